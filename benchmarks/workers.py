"""Several threads that solve one position: how much sooner they are done.

They share what they learn, so the question is how many more nodes they search.  What more cores
would bring is worked out: the threads take turns on the cores that are there, and their nodes are
counted.  What cores share, such as the way to the memory, is left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from math import sqrt
from statistics import mean, median, stdev
from time import perf_counter

import gamefast
from gamefast import connect_four
from gamelib import ConnectFour, SearchResult

ROUNDS = 5
CORES = (2, 4, 8, 16)
BOARD = ConnectFour()


def error(values: Sequence[float]) -> float:
    """Return 1.96 standard errors of a mean."""
    return 1.96 * stdev(values) / sqrt(len(values))


def seconds(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started


def solved(workers: int) -> SearchResult:
    """Return the values of all columns of the empty board, solved from nothing."""
    connect_four.board_of(ConnectFour, 6, 7, 4).forget()
    return gamefast.solve(BOARD, workers=workers)


def speed() -> None:
    """Print how many times as fast each number of workers is; a ratio is taken in each round."""
    counts = [n for n in (1, *CORES) if n <= (os.cpu_count() or 1)]
    rows = [[seconds(lambda n=n: solved(n)) for n in counts] for _ in range(ROUNDS)]
    for place, workers in enumerate(counts[1:], start=1):
        ratios = [row[0] / row[place] for row in rows]
        print(
            f"all columns{workers:17} workers: {mean(ratios):.2f} ± {error(ratios):.2f} times as"
            f" fast ({min(ratios):.2f} to {max(ratios):.2f}, median {median(ratios):.2f})"
        )


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


def main() -> None:
    gamefast.warm()
    speed()
    more_threads()


if __name__ == "__main__":
    main()
