"""Call the programs of others that `peers` compares with; ImportError if one is not installed."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gamelib import GameState, Nim, TicTacToe

Search = Callable[[], Any]
SOURCE = Path(__file__).with_name("c_reference.c")


@cache
def c_reference() -> ctypes.CDLL:
    """Compile the program in C, and return its library."""
    if not (compiler := shutil.which("cc")):
        raise ImportError("there is no C compiler, cc")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "c_reference.so"
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, SOURCE, "-o", library, "-lm"], check=True)
        loaded = ctypes.CDLL(str(library))
    for name in ("tictactoe_minimax", "tictactoe_alphabeta"):
        getattr(loaded, name).restype = ctypes.c_long
    loaded.uct.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_uint64]
    loaded.prepare()
    return loaded


def open_spiel_alphabeta(name: str, depth: int) -> Search:
    import pyspiel
    from open_spiel.python.algorithms.minimax import alpha_beta_search

    game = pyspiel.load_game(name)
    return lambda: alpha_beta_search(game, value_function=lambda _: 0, maximum_depth=depth)[0]


def open_spiel_minimax() -> Search:
    import pyspiel
    from open_spiel.python.algorithms.minimax import expectiminimax

    start = pyspiel.load_game("tic_tac_toe").new_initial_state()
    return lambda: expectiminimax(start, 9, lambda _: 0, 0)[0]


def open_spiel_mcts(name: str, simulations: int, solve: bool = False) -> Callable[..., Any]:
    """Return a search by OpenSpiel's MCTS in C++, which returns the root of its tree.

    Its rewards are -1 to +1, and ours 0 to 1, so its c is twice as large in order to explore as
    much.
    """
    import pyspiel

    game = pyspiel.load_game(name)

    def run(seed: int = 1) -> Any:
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(
            game, evaluator, 2 * 2**0.5, simulations, 4000, solve, seed, False,
            pyspiel.ChildSelectionPolicy.UCT,
        )  # fmt: skip
        return bot.mcts_search(game.new_initial_state())

    return run


def open_spiel_search(game: str, simulations: int) -> Search:
    """Return a search by OpenSpiel's MCTS in Python."""
    import pyspiel
    from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator

    rng = np.random.RandomState(1)
    loaded = pyspiel.load_game(game)
    evaluator = RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    bot = MCTSBot(loaded, 2 * 2**0.5, simulations, evaluator, solve=True, random_state=rng)
    return lambda: bot.mcts_search(loaded.new_initial_state())


def aima(name: str, depth: int | None = None) -> tuple[Search, int]:
    """Return a search of tic-tac-toe, or of Connect Four to a depth, by aima3, and its nodes.

    aima3 is the code of Russell and Norvig's "AI: A Modern Approach".  Its searches return an
    action but no value; the nodes are the calls of the game's `result`.
    """
    from aima3 import games

    game = games.ConnectFour() if depth else games.TicTacToe()
    # It stops only at positions that are deeper than `d`.
    options = {"d": depth - 1} if depth else {}
    search = getattr(games, name)
    counting, count = type(game)(), [1]

    def result(state: Any, move: Any) -> Any:
        count[0] += 1
        return game.result(state, move)

    def run() -> None:
        search(game.initial, game, **options)

    counting.result = result
    search(counting.initial, counting, **options)
    return run, count[0]


class WithTableKey:
    """The method that a table of easyAI needs, which its example games do not define."""

    def ttentry(self) -> tuple[int, tuple[int, ...]]:
        return self.current_player, tuple(self.board)


class CountingMoves:
    """A counter of the moves that a search makes, which are the nodes below the root."""

    moves = 0

    def make_move(self, move: int) -> None:
        CountingMoves.moves += 1
        super().make_move(move)


def easy_ai(name: str, depth: int, *, table: bool = False) -> tuple[Search, int]:
    """Return a search of easyAI for the value of an empty board, and its nodes.

    Its Negamax is pure Python, on one of its example games.  It always prunes with alpha-beta, and
    uses a table if `table` is true.  It prefers early wins, so fewer values tie than in a search
    for win, draw or loss.  If lines of different lengths win, it therefore visits a larger tree.
    """
    from easyAI import Negamax, games
    from easyAI.AI.TranspositionTable import TranspositionTable

    def run(*more: type) -> float:
        mixins = (WithTableKey, *more) if table else more
        bases = (*mixins, getattr(games, name))
        search = Negamax(depth, tt=TranspositionTable() if table else None)
        search(type(name, bases, {})([None, None]))
        return search.alpha

    CountingMoves.moves = 0
    run(CountingMoves)
    return run, CountingMoves.moves + 1


PROOFS: dict[str, tuple[GameState, str]] = {
    "tic-tac-toe": (TicTacToe(), "tic_tac_toe"),
    "Nim 3 4 5": (Nim((3, 4, 5)), "nim(pile_sizes=3;4;5,is_misere=False)"),
    "Nim 1 3 5 7": (Nim((1, 3, 5, 7)), "nim(pile_sizes=1;3;5;7,is_misere=False)"),
}
MAX_SIMULATIONS = 2_000_000
