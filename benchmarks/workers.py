"""Several threads at one position: how much sooner they are done, and whether they choose as well.

Workers grow a tree each (root parallelisation).  So two questions belong together: how long so many
simulations take, by the clock, and how good a choice they are.  The machine should be quiet.

The solver's workers share what they learn, so that question is how many more nodes they search.

What more cores would bring is worked out.  A search takes as long as making trees, starting threads
and adding up (measured as a search with one simulation for each worker), and then the time of its
simulations, divided by the workers.  The solver's threads take turns on the cores that are there,
and their nodes are counted.  What cores share, such as the way to the memory, is left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from math import sqrt
from statistics import mean, median, stdev
from time import perf_counter

import gamefast
from benchmarks.proofs import Puzzle, after_random_plies, puzzles
from gamefast import connect_four
from gamelib import ConnectFour, SearchResult

ROUNDS = 15
SEEDS = 10
CORES = (2, 4, 8, 16)
BOARD = ConnectFour()


def error(values: Sequence[float]) -> float:
    """Return 1.96 standard errors of a mean."""
    return 1.96 * stdev(values) / sqrt(len(values))


def seconds(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started


def speed(title: str, work: Callable[[int], object], rounds: int = ROUNDS) -> None:
    """Print how many times as fast each number of workers is; a ratio is taken in each round."""
    counts = [n for n in (1, *CORES) if n <= (os.cpu_count() or 1)]
    rows = [[seconds(lambda n=n: work(n)) for n in counts] for _ in range(rounds)]
    for place, workers in enumerate(counts[1:], start=1):
        ratios = [row[0] / row[place] for row in rows]
        print(
            f"{title:26}{workers:3} workers: {mean(ratios):.2f} ± {error(ratios):.2f} times as fast"
            f" ({min(ratios):.2f} to {max(ratios):.2f}, median {median(ratios):.2f})"
        )


def more_cores(simulations: int) -> None:
    """Print what more cores would bring at most, by the time that is not divided among them."""

    def search(simulations: int, workers: int) -> Callable[[], object]:
        return lambda: gamefast.mcts(BOARD, simulations=simulations, rng=1, workers=workers)

    def least(simulations: int, workers: int) -> float:
        return min(seconds(search(simulations, workers)) for _ in range(ROUNDS))

    fixed, whole = least(1, 1), least(simulations, 1)
    for workers in CORES:
        serial = least(workers, workers)
        bound = whole / (serial + (whole - fixed) / workers)
        print(
            f"MCTS of {simulations:<9,}{workers:12} workers: {bound:5.2f} times as fast at most;"
            f" {1e3 * serial:.2f} of {1e3 * whole:.1f} ms are not divided"
        )


def solved(workers: int) -> SearchResult:
    """Return the values of all columns of the empty board, solved from nothing."""
    connect_four.board_of(ConnectFour, 6, 7, 4).forget()
    return gamefast.solve(BOARD, workers=workers)


def more_threads() -> None:
    """Print how many nodes the solver searches with more threads, and so what they bring at most.

    Each has the table for few cells left that it would have on a core of its own.
    """
    connect_four.THREADS = max(CORES)
    connect_four.board_of.cache_clear()
    alone = solved(1)
    for workers in CORES:
        found = solved(workers)
        if found.values != alone.values or found.distances != alone.distances:
            raise ValueError(f"{workers} workers find another result: {found}")
        more = found.stats.nodes / alone.stats.nodes
        print(
            f"all columns{workers:17} workers: {found.stats.nodes:,} nodes, {more:.2f} times as"
            f" many; {workers / more:.1f} times as fast at most"
        )


def choices(found: list[Puzzle], simulations: int, workers: int) -> list[float]:
    """Return of each position the share of searches that choose an optimal action."""
    return [
        mean(
            gamefast.mcts(state, simulations=simulations, workers=workers, rng=seed).action in best
            for seed in range(1000 * place, 1000 * place + SEEDS)
        )
        for place, (state, best) in enumerate(found)
    ]


def strength(found: list[Puzzle]) -> None:
    """Print how well several trees choose, beside one tree of as many simulations in all."""
    for simulations in (1000, 4000, 16_000):
        alone = choices(found, simulations, 1)
        for workers in (2, 16):
            shares = choices(found, simulations, workers)
            gains = [b - a for a, b in zip(alone, shares, strict=True)]
            print(
                f"{simulations:7,} simulations: alone {mean(alone):.4f}; {workers:2} workers"
                f" {mean(shares):.4f}, difference {mean(gains):+.4f} ± {error(gains):.4f}",
                flush=True,
            )


def main() -> None:
    gamefast.warm()
    for n in (50_000, 10**6):
        speed(
            f"MCTS of {n:,}", lambda w, n=n: gamefast.mcts(BOARD, simulations=n, rng=1, workers=w)
        )
        more_cores(n)
    speed("4,000,000 random games", lambda w: gamefast.playouts(BOARD, games=4 * 10**6, workers=w))
    speed("all columns, solved", solved, rounds=5)
    more_threads()
    found = puzzles(after_random_plies(BOARD, 8, 14, 2028), 300)
    print(f"\nThe share of optimal choices with as many simulations in all; {len(found)} positions")
    strength(found)


if __name__ == "__main__":
    main()
