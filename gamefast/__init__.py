"""Compiled searches for Connect Four, tic-tac-toe and Nim, with the calls and results of gamelib.

Numba compiles a search when it is first called, and stores the code on disk.  `python -m gamefast`
compiles all searches.  In a browser tab they are compiled in advance.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gamefast.fast import fast

if TYPE_CHECKING:  # the names that `__getattr__` finds, for type checkers and editors
    from gamefast.compiled import SearchTree as SearchTree
    from gamefast.compiled import alphabeta as alphabeta
    from gamefast.compiled import mcts as mcts
    from gamefast.compiled import minimax as minimax
    from gamefast.compiled import solve as solve
    from gamefast.compiled import warm as warm

__all__ = ["SearchTree", "alphabeta", "fast", "mcts", "minimax", "solve", "warm"]

if not TYPE_CHECKING:  # a type checker reports a misspelt name by itself

    def __getattr__(name: str) -> Any:
        """Return a search, or the tree of one.  Only this loads Numba, because that takes a second.

        ImportError, which names what to install, if Numba is missing or does not work.
        """
        if name not in __all__:
            raise AttributeError(f"module 'gamefast' has no attribute {name!r}")
        found = globals()[name] = getattr(import_module("gamefast.compiled"), name)
        return found
