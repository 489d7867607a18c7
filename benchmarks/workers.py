"""Several threads at one position: how much sooner they are done, and whether they choose as well.

Workers grow a tree each (root parallelisation).  So two questions belong together: how long so many
simulations take, by the clock, and how good a choice they are.  The machine should be quiet.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from math import sqrt
from statistics import mean, median, stdev
from time import perf_counter

from benchmarks.proofs import Puzzle, after_random_plies, puzzles
from gamelib import ConnectFour, compiled

ROUNDS = 7
SEEDS = 10


def seconds(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started


def speed(title: str, work: Callable[[int], object]) -> None:
    """Print how many times as fast each number of workers is; a ratio is taken in each round."""
    counts = [n for n in (1, 2, 4, 8, 16) if n <= (os.cpu_count() or 1)]
    rows = [[seconds(lambda n=n: work(n)) for n in counts] for _ in range(ROUNDS)]
    for place, workers in enumerate(counts):
        ratios = sorted(row[0] / row[place] for row in rows)
        spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
        print(f"{title:36}{workers:3} workers: {median(ratios):5.2f} times as fast ({spread})")


def choices(found: list[Puzzle], simulations: int, workers: int) -> list[float]:
    """Return of each position the share of searches that choose an optimal action."""
    return [
        mean(
            compiled.mcts(state, simulations=simulations, workers=workers, rng=seed).action in best
            for seed in range(1000 * place, 1000 * place + SEEDS)
        )
        for place, (state, best) in enumerate(found)
    ]


def main() -> None:
    board = ConnectFour()
    compiled.warm()
    speed("MCTS of 1,000,000", lambda n: compiled.mcts(board, simulations=10**6, rng=1, workers=n))
    speed("4,000,000 random games", lambda n: compiled.playouts(board, games=4 * 10**6, workers=n))
    found = puzzles(after_random_plies(board, 8, 14, 2028), 300)
    print(f"\nThe share of optimal choices with as many simulations in all; {len(found)} positions")
    for simulations in (1000, 4000, 16_000):
        alone = choices(found, simulations, 1)
        for workers in (2, 16):
            gains = [
                b - a for a, b in zip(alone, choices(found, simulations, workers), strict=True)
            ]
            error = 1.96 * stdev(gains) / sqrt(len(gains))
            print(
                f"{simulations:7,} simulations: alone {mean(alone):.4f}; {workers:2} workers"
                f" {mean(alone) + mean(gains):.4f}, difference {mean(gains):+.4f} ± {error:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
