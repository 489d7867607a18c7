"""What Jupyter shows of a state."""

from __future__ import annotations

from gamelib.draw.board import position_or_none
from gamelib.draw.tree import tree
from gamelib.games import GameTree
from gamelib.state import GameState


def picture(state: GameState) -> str | None:
    """Return an SVG of a state: its board, or its tree; None for a game that has neither."""
    return tree(state) if isinstance(state, GameTree) else position_or_none(state)
