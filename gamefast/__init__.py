"""The searches as machine code, for Connect Four, tic-tac-toe and Nim: same calls, same results.

Numba makes the machine code when a search is first called, and keeps it on disk.
`python -m gamefast` does that for all searches at once.  In a browser tab it is there.
"""

from importlib import import_module
from typing import Any

from gamefast.fast import fast

__all__ = ["alphabeta", "fast", "mcts", "minimax", "solve", "warm"]


def __getattr__(name: str) -> Any:
    """Return a search.  The first one loads Numba, which takes a second: so none does before."""
    if name not in __all__:
        raise AttributeError(f"module 'gamefast' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module("gamefast.compiled"), name)
    return found
