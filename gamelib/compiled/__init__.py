"""The searches as machine code, for Connect Four, tic-tac-toe and Nim: same calls, same results.

Numba makes the machine code when a search is first called, and keeps it on disk.
`python -m gamelib.compiled` does that for all searches at once.
"""

from gamelib.compiled.games import supports
from gamelib.compiled.mcts import mcts, playouts
from gamelib.compiled.solver import solve
from gamelib.compiled.trees import alphabeta, minimax

__all__ = ["alphabeta", "mcts", "minimax", "playouts", "solve", "supports"]
