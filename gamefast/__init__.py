"""Compiled searches for Connect Four, tic-tac-toe and Nim, with the calls and results of gamelib.

Numba compiles a search when it is first called, and stores the code on disk.  `python -m gamefast`
compiles all searches.  In a browser tab they are compiled in advance.
"""

from importlib import import_module
from typing import Any

from gamefast.fast import fast

__all__ = ["alphabeta", "fast", "mcts", "minimax", "solve", "warm"]


def __getattr__(name: str) -> Any:
    """Return a search.  Only this loads Numba, because that takes a second."""
    if name not in __all__:
        raise AttributeError(f"module 'gamefast' has no attribute {name!r}")
    search = globals()[name] = getattr(import_module("gamefast.compiled"), name)
    return search
