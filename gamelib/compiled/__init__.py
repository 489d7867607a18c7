"""The searches as machine code, for Connect Four, tic-tac-toe and Nim: same calls, same results.

Numba makes the machine code when a search is first called, and keeps it on disk.
`python -m gamelib.compiled` does that for all searches at once.
"""

from gamelib.compiled.games import supports
from gamelib.compiled.mcts import mcts, playouts
from gamelib.compiled.solver import solve
from gamelib.compiled.trees import alphabeta, minimax
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.search.ordering import centre_first

__all__ = ["alphabeta", "mcts", "minimax", "playouts", "solve", "supports", "warm"]


def warm() -> None:
    """Call every search once, so that its machine code is made, or loaded from disk."""
    for state in (TicTacToe(), ConnectFour(4, 4, 3), Nim((1, 2))):
        for search in (minimax, alphabeta):
            search(state, depth=2)
        mcts(state, simulations=10, solver=True, share=True, rng=0)
        playouts(state, games=1, rng=0)
        for only_value in (False, True):
            solve(state, only_value=only_value)
    for board in (TicTacToe(), ConnectFour(4, 4, 3)):
        alphabeta(board, depth=2, order=centre_first)  # the order of the rules has its own code
