"""All compiled searches; importing this module loads Numba."""

from collections.abc import Callable

import gamefast.backend  # noqa: F401 - first, because its error says what to install

# isort: split
from gamefast.alphabeta_search import alphabeta, minimax
from gamefast.mcts_search import SearchTree, mcts
from gamefast.solver import solve
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.search.ordering import centre_first

__all__ = ["SearchTree", "alphabeta", "mcts", "minimax", "solve", "warm"]


def _warm_mcts() -> None:
    for state in (TicTacToe(), ConnectFour(4, 4, 3), Nim((1, 2))):
        tree = SearchTree()
        result = mcts(state, simulations=10, solver=True, share=True, tree=tree, rng=0)
        tree.after(result.action)


def _warm_alphabeta() -> None:
    for board in (TicTacToe(), ConnectFour(4, 4, 3)):
        minimax(board, depth=2)
        alphabeta(board, depth=2)
        alphabeta(board, depth=2, order=centre_first)  # without `order`, another kernel is used


# What processes can compile at the same time, beginning with what takes longest.
PARTS: dict[str, Callable[[], object]] = {
    "mcts": _warm_mcts,
    "alphabeta": _warm_alphabeta,
    "solve, tic-tac-toe": lambda: solve(TicTacToe()),
    "solve, Connect Four": lambda: solve(ConnectFour(4, 4, 3)),
}


def warm() -> None:
    """Call every search once, so that it is compiled or loaded from disk."""
    for warm_part in PARTS.values():
        warm_part()
