"""Drawings: pure functions of positions and events, to SVG.  They know no widget."""

from gamelib.draw.board import Mark, position, position_or_none
from gamelib.draw.tree import tree, tree_text

__all__ = ["Mark", "position", "position_or_none", "tree", "tree_text"]
