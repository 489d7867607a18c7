"""Which positions can be searched as machine code."""

from __future__ import annotations

from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.state import GameState

SUPPORTED = (
    "ConnectFour with cols * (rows + 1) up to 64, TicTacToe with rows * (cols + 1) up to 64, and "
    "Nim with up to 16 heaps"
)
MOST_HEAPS = 16


def unsupported(state: GameState) -> TypeError:
    """Return the error for a position that is not supported."""
    return TypeError(
        f"gamelib.compiled plays {SUPPORTED}, but not their subclasses; got {state!r}.  "
        "The searches of gamelib itself play every game"
    )


def supports(state: GameState) -> bool:
    """Return whether the searches of this package can play `state`."""
    if type(state) is ConnectFour:
        return state.cols * (state.rows + 1) <= 64
    if type(state) is TicTacToe:
        return state.rows * (state.cols + 1) <= 64
    return type(state) is Nim and len(state.heaps) <= MOST_HEAPS


def check_supported(state: GameState) -> None:
    """Raise a TypeError unless `supports(state)`."""
    if not supports(state):
        raise unsupported(state)
