"""Drawings: pure functions of positions and events, to SVG.  They know no widget."""

from gamelib.draw.board import Mark, position, position_or_none

__all__ = ["Mark", "position", "position_or_none"]
