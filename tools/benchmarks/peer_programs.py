"""The programs in C and of OpenSpiel that `peers` compares with; None where one is missing."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gamelib import GameState, Nim, TicTacToe

try:
    import pyspiel
    from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator
    from open_spiel.python.algorithms.minimax import alpha_beta_search, expectiminimax
except ImportError:
    pyspiel = None

Work = Callable[[], object]
SOURCE = Path(__file__).with_name("limit.c")


def limit() -> ctypes.CDLL | None:
    """Return the program in C, compiled now; None without a compiler."""
    if not (compiler := shutil.which("cc")):
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "limit.so"
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, SOURCE, "-o", library], check=True)
        loaded = ctypes.CDLL(str(library))
    for name in ("tictactoe_minimax", "tictactoe_alphabeta"):
        getattr(loaded, name).restype = ctypes.c_long
    loaded.prepare()
    return loaded


def open_spiel_alphabeta(name: str, depth: int) -> Work | None:
    if not pyspiel:
        return None
    game = pyspiel.load_game(name)
    return lambda: alpha_beta_search(game, value_function=lambda _: 0, maximum_depth=depth)


def open_spiel_minimax() -> Work | None:
    if not pyspiel:
        return None
    start = pyspiel.load_game("tic_tac_toe").new_initial_state()
    return lambda: expectiminimax(start, 9, lambda _: 0, 0)


def open_spiel_mcts(name: str, simulations: int, solve: bool = False) -> Callable[..., Any] | None:
    """Return a search by OpenSpiel's MCTS in C++; it answers with the root of its tree.

    Its payoffs are -1 to +1, ours 0 to 1: to explore as much, its c is twice as large.
    """
    if not pyspiel:
        return None
    game = pyspiel.load_game(name)

    def run(seed: int = 1) -> Any:
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(
            game, evaluator, 2 * 2**0.5, simulations, 4000, solve, seed, False,
            pyspiel.ChildSelectionPolicy.UCT,
        )  # fmt: skip
        return bot.mcts_search(game.new_initial_state())

    return run


def open_spiel_search(game: str, simulations: int) -> Work | None:
    """Return the same by OpenSpiel's MCTS in Python."""
    if not pyspiel:
        return None
    rng = np.random.RandomState(1)
    loaded = pyspiel.load_game(game)
    evaluator = RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    bot = MCTSBot(loaded, 2 * 2**0.5, simulations, evaluator, solve=True, random_state=rng)
    return lambda: bot.mcts_search(loaded.new_initial_state())


PROOFS: dict[str, tuple[GameState, str]] = {
    "tic-tac-toe": (TicTacToe(), "tic_tac_toe"),
    "Nim 3 4 5": (Nim((3, 4, 5)), "nim(pile_sizes=3;4;5,is_misere=False)"),
    "Nim 1 3 5 7": (Nim((1, 3, 5, 7)), "nim(pile_sizes=1;3;5;7,is_misere=False)"),
}
MOST = 2_000_000
