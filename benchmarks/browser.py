"""The compiled tier as WebAssembly, beside the native one and the readable tier.

`python -m benchmarks browser` fetches a browser's Python and runs it in Node.js.  In every round
each program does all works, one after the other, and the fastest time of each counts.  A ratio is
taken in each round, and the median of the rounds is printed.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

import gamefast
import gamelib
from gamelib import ConnectFour, TicTacToe, open_lines

Work = Callable[[], object]
ROOT = Path(__file__).parents[1]
FOUR = ConnectFour()
LATE = FOUR.play(*map(int, "3333320"))
TIERS = COMPILED, READABLE = "compiled", "readable"


def works(tier: str) -> dict[str, Work]:
    """Return what is measured; with the readable tier what takes at most some seconds."""
    of = gamelib if tier == READABLE else gamefast
    found: dict[str, Work] = {
        "tic-tac-toe, minimax": lambda: of.minimax(TicTacToe()),
        "tic-tac-toe, alpha-beta": lambda: of.alphabeta(TicTacToe()),
        "Connect Four, minimax, depth 5": lambda: of.minimax(FOUR, depth=5),
        "Connect Four, alpha-beta, depth 8": lambda: of.alphabeta(FOUR, depth=8),
        "the same with lines": lambda: of.alphabeta(FOUR, depth=6, evaluate=open_lines),
        "Connect Four, MCTS, 5,000": lambda: of.mcts(FOUR, simulations=5_000, rng=1),
        "tic-tac-toe, MCTS, 5,000": lambda: of.mcts(TicTacToe(), simulations=5_000, rng=1),
        "the same with proofs, shared": lambda: of.mcts(
            TicTacToe(), simulations=5_000, rng=1, solver=True, share=True
        ),
    }
    if of is gamefast:
        found |= {
            "Connect Four, minimax, depth 8": lambda: of.minimax(FOUR, depth=8),
            "Connect Four, alpha-beta, depth 12": lambda: of.alphabeta(FOUR, depth=12),
            "the same with lines, depth 9": lambda: of.alphabeta(
                FOUR, depth=9, evaluate=open_lines
            ),
            "Connect Four, MCTS, 200,000": lambda: of.mcts(FOUR, simulations=200_000, rng=1),
            "Connect Four, exact": lambda: exact(of),
        }
    return found


def exact(of) -> object:
    from gamefast.connect_four import board_of

    board_of(ConnectFour, 6, 7, 4).forget()
    return of.solve(LATE, only_value=True, strong=False)


def measured(tier: str, seconds: float = 0.6) -> dict[str, float]:
    """Return the least seconds that each work takes."""
    times = {}
    for name, work in works(tier).items():
        work()
        best, end = float("inf"), perf_counter() + seconds
        while perf_counter() < end:
            started = perf_counter()
            work()
            best = min(best, perf_counter() - started)
        times[name] = best
    return times


def main(rounds: int = 3) -> None:
    from tools.site import kernels, sources

    here = Path(__file__)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("gamelib", "gamefast"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, f"{folder}/{name}", ignore=ignored)
        shutil.copy(kernels.build(sources.CACHE), Path(folder) / kernels.PLACE)
        pyodide = sources.pyodide(sources.TESTED)
        run = ROOT / "tests" / "site" / "run.mjs"
        tab = [*sources.node(), run, pyodide, folder, here.parent, here.name]
        native = [sys.executable, "-m", "benchmarks.browser", "measure"]
        found = [(seconds(native), seconds(tab)) for _ in range(rounds)]
    heads = ("native", "readable", "in the tab", "readable", "times", "times")
    print(f"{'milliseconds':36}" + "".join(f"{head:>12}" for head in heads))
    for name in found[0][0][COMPILED]:
        rows = [[side[tier].get(name) for side in both for tier in TIERS] for both in found]
        times = [f"{1e3 * min(all_of):12.3f}" for all_of in zip(*rows, strict=True) if all_of[0]]
        ratios = [
            f"{median(row[i + 2] / row[i] for row in rows):12.2f}" for i in (0, 1) if rows[0][i]
        ]
        if len(ratios) == 1:
            times.insert(1, " " * 12)
            times.append(" " * 12)
        print(f"{name:36}{''.join(times)}{''.join(ratios)}", flush=True)


def seconds(command: list[object]) -> dict[str, dict[str, float]]:
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    print(json.dumps({tier: measured(tier) for tier in TIERS}))
