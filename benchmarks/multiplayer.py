"""MaxN, Paranoid and best reply beside minimax: nodes and nodes a second, in one run."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

from gamelib import SearchResult, TicTacToe, best_reply, maxn, minimax, paranoid

TWO, THREE = TicTacToe(), TicTacToe(num_players=3)

SEARCHES: dict[str, Callable[[], SearchResult]] = {
    "minimax, 2 players": lambda: minimax(TWO),
    "maxn, 2 players": lambda: maxn(TWO),
    "maxn, 3 players": lambda: maxn(THREE),
    "maxn, 3 players, prune": lambda: maxn(THREE, prune=True),
    "paranoid, 3 players, no pruning": lambda: paranoid(THREE, prune=False),
    "paranoid, 3 players": lambda: paranoid(THREE),
    "best reply, 3 players, no pruning": lambda: best_reply(THREE, prune=False),
    "best reply, 3 players": lambda: best_reply(THREE),
}


def measure(runs: int = 5) -> dict[str, tuple[int, float]]:
    """Return nodes and the processor seconds of the fastest of some runs, by search.

    The searches take turns, so that a slow spell of the machine hits all of them alike.
    """
    fastest: dict[str, tuple[int, float]] = {}
    for _ in range(runs):
        for name, search in SEARCHES.items():
            started = process_time()
            result = search()
            seconds = process_time() - started
            fastest[name] = result.stats.nodes, min(seconds, fastest.get(name, (0, seconds))[1])
    return fastest


def main() -> None:
    measured = measure()
    nodes, seconds = measured["minimax, 2 players"]
    rate = nodes / seconds
    print(f"{'3 x 3 tic-tac-toe':34} {'nodes':>8} {'ms':>7} {'nodes/s':>10}  of minimax")
    for name, (nodes, seconds) in measured.items():
        own = nodes / seconds
        print(f"{name:34} {nodes:8,} {1000 * seconds:7.1f} {own:10,.0f}  {own / rate:5.2f}")


if __name__ == "__main__":
    main()
