"""The compiled tier beside C and OpenSpiel, and beside the readable tier.

`python -m benchmarks compiled` takes some minutes.  In every round each program does the same work
once, one after the other, so that a slow spell of the machine hits all alike; a ratio is taken in
each round, and the least and the median of the rounds are printed.  What is measured is the
processor time of this process.  A C compiler is needed for the limit, `cc`; OpenSpiel is left
out where it is not installed.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import gamefast
import gamelib
from gamelib import ConnectFour, GameState, Nim, TicTacToe

Work = Callable[[], object]
SOURCE = Path(__file__).with_name("limit.c")


def seconds_of(work: Work, least: float = 0.02) -> float:
    """Return the seconds that `work` takes, the mean of as many times as take `least` seconds."""
    times, started = 0, process_time()
    while (elapsed := process_time() - started) < least:
        work()
        times += 1
    return elapsed / times


def compare(title: str, ours: Work, peers: dict[str, Work | None], *, rounds: int = 7) -> None:
    """Print how many times as long as ours each peer takes."""
    peers = {name: work for name, work in peers.items() if work}
    for work in (ours, *peers.values()):
        work()
    times = [[seconds_of(work) for work in (ours, *peers.values())] for _ in range(rounds)]
    print_row(title, "compiled", [own for own, *_ in times], [])
    for i, name in enumerate(peers, start=1):
        print_row("", name, [row[i] for row in times], [row[i] / row[0] for row in times])


def print_row(title: str, name: str, seconds: Sequence[float], ratios: Sequence[float]) -> None:
    text = f"{min(ratios):9.2f} {median(ratios):9.2f}" if ratios else ""
    print(f"{title:44} {name:28} {1e3 * median(seconds):12.4f} {text}", flush=True)


def limit() -> ctypes.CDLL | None:
    """Return the program in C, compiled now; None without a compiler."""
    if not (compiler := shutil.which("cc")):
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "limit.so"
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, SOURCE, "-o", library], check=True)
        loaded = ctypes.CDLL(str(library))
    loaded.connect_four_playouts.argtypes = ctypes.c_long, ctypes.c_uint64
    for name in ("tictactoe_minimax", "tictactoe_alphabeta", "connect_four_playouts"):
        getattr(loaded, name).restype = ctypes.c_long
    loaded.prepare()
    return loaded


def open_spiel_alphabeta(name: str, depth: int) -> Work | None:
    try:
        import pyspiel
        from open_spiel.python.algorithms.minimax import alpha_beta_search
    except ImportError:
        return None
    game = pyspiel.load_game(name)
    return lambda: alpha_beta_search(game, value_function=lambda _: 0, maximum_depth=depth)


def open_spiel_mcts(name: str, simulations: int, solve: bool = False) -> Callable[..., Any] | None:
    """Return a search by OpenSpiel's MCTS in C++; it answers with the root of its tree.

    Its payoffs are -1 to +1, ours 0 to 1: to explore as much, its c is twice as large.
    """
    try:
        import pyspiel
    except ImportError:
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


def trees(c: ctypes.CDLL | None) -> None:
    empty, four = TicTacToe(), ConnectFour()
    compare(
        "tic-tac-toe, minimax",
        lambda: gamefast.minimax(empty),
        {"C": c and c.tictactoe_minimax},
    )
    compare(
        "tic-tac-toe, alpha-beta",
        lambda: gamefast.alphabeta(empty),
        {
            "C": c and c.tictactoe_alphabeta,
            "OpenSpiel alpha_beta_search": open_spiel_alphabeta("tic_tac_toe", 30),
            "gamelib, readable": lambda: gamelib.alphabeta(empty),
        },
    )
    compare(
        "Connect Four, alpha-beta of depth 8",
        lambda: gamefast.alphabeta(four, depth=8),
        {
            "C": c and (lambda: c.connect_four_alphabeta(8)),
            "OpenSpiel alpha_beta_search": open_spiel_alphabeta("connect_four", 8),
            "gamelib, readable": lambda: gamelib.alphabeta(four, depth=8),
        },
    )


def random_games(c: ctypes.CDLL | None) -> None:
    four = ConnectFour()
    compare(
        "Connect Four, 100,000 random games",
        lambda: gamefast.playouts(four, games=100_000, rng=1),
        {"C": c and (lambda: c.connect_four_playouts(100_000, 1))},
    )
    for simulations, rounds in ((50_000, 5), (1_000_000, 3)):
        compare(
            f"Connect Four, MCTS of {simulations:,}",
            lambda n=simulations: gamefast.mcts(four, simulations=n, rng=1),
            {"OpenSpiel MCTSBot, C++": open_spiel_mcts("connect_four", simulations)},
            rounds=rounds,
        )
    compare(
        "tic-tac-toe, MCTS of 50,000",
        lambda: gamefast.mcts(TicTacToe(), simulations=50_000, rng=1),
        {"OpenSpiel MCTSBot, C++": open_spiel_mcts("tic_tac_toe", 50_000)},
        rounds=5,
    )


PROOFS: dict[str, tuple[GameState, str]] = {
    "tic-tac-toe": (TicTacToe(), "tic_tac_toe"),
    "Nim 3 4 5": (Nim((3, 4, 5)), "nim(pile_sizes=3;4;5,is_misere=False)"),
    "Nim 1 3 5 7": (Nim((1, 3, 5, 7)), "nim(pile_sizes=1;3;5;7,is_misere=False)"),
}
MOST = 2_000_000


def proof(state: GameState, seed: int, share: bool) -> int:
    """Return how many simulations a proof takes."""
    options = {"simulations": MOST, "rng": seed, "solver": True, "share": share}
    return gamefast.mcts(state, **options).stats.simulations


def open_spiel_proof(name: str) -> Callable[[int], int] | None:
    """Return the same for OpenSpiel, by the seed."""
    search = open_spiel_mcts(name, MOST, solve=True)
    return search and (lambda seed: search(seed).explore_count)


def proofs(seeds: int = 5) -> None:
    """Print how many simulations, and how long, it takes to prove a position."""
    for name, (state, peer) in PROOFS.items():
        searches = {
            "compiled": lambda seed, s=state: proof(s, seed, share=False),
            "compiled, share": lambda seed, s=state: proof(s, seed, share=True),
            "OpenSpiel MCTSBot, C++": open_spiel_proof(peer),
        }
        for label, search in searches.items():
            if search:
                started = process_time()
                counts = [search(seed) for seed in range(1, seeds + 1)]
                seconds = (process_time() - started) / seeds
                shown = " ".join("none" if n >= MOST else f"{n:,}" for n in counts)
                print(f"proof of {name:35} {label:28} {1e3 * seconds:12.4f}  simulations {shown}")


def main(parts: Sequence[str] = ()) -> None:
    print(f"{'':44} {'':28} {'ms, median':>12} {'least':>9} {'median':>9}  times ours")
    c = limit()
    if not parts or "trees" in parts:
        trees(c)
    if not parts or "games" in parts:
        random_games(c)
    if not parts or "proofs" in parts:
        proofs()


if __name__ == "__main__":
    main(sys.argv[1:])
