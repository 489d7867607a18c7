"""What Jupyter shows of a state."""

from __future__ import annotations

from functools import singledispatch

from gamelib.picture.board import position_or_none
from gamelib.state import GameState


@singledispatch
def picture(state: GameState) -> str | None:
    """Return an SVG of a state, or None for a game that has none.

    A package that draws a kind of game in a way of its own registers here: `picture.register`.
    """
    return position_or_none(state)
