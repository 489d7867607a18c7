"""Which positions can be searched as machine code."""

from __future__ import annotations

from gamelib.engines import MOST_HEAPS, supports
from gamelib.state import GameState

__all__ = ["check_supported", "supports", "unsupported"]

SUPPORTED = (
    "ConnectFour with cols * (rows + 1) up to 64, TicTacToe with rows * (cols + 1) up to 64, and "
    f"Nim with up to {MOST_HEAPS} heaps"
)


def unsupported(state: GameState) -> TypeError:
    """Return the error for a position that is not supported."""
    return TypeError(
        f"gamelib.compiled plays {SUPPORTED}, but not their subclasses; got {state!r}.  "
        "The searches of gamelib itself play every game"
    )


def check_supported(state: GameState) -> None:
    """Raise a TypeError unless `supports(state)`."""
    if not supports(state):
        raise unsupported(state)
