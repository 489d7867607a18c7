"""Drawings: pure functions of positions and events, to SVG.  They know no widget."""

from gamelib.draw import charts
from gamelib.draw.board import Mark, board_kind, position, position_or_none
from gamelib.draw.picture import picture
from gamelib.draw.tree import folded, tree, tree_text

__all__ = [
    "Mark",
    "board_kind",
    "charts",
    "folded",
    "picture",
    "position",
    "position_or_none",
    "tree",
    "tree_text",
]
