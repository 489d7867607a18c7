"""Boards of Connect Four of up to 49 cells, solved from nothing: outcome, plies, nodes, seconds.

`python -m benchmarks boards` keeps them in `benchmarks/boards.csv`, and writes them into
docs/speed.md; `python -m benchmarks.boards 60` gives each board 60 seconds, not 600.  Beside them
what is known of some: Tromp and Steininger (John's Connect Four Playground,
tromp.github.io/c4/c4.html), Allis for the usual board.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import prod
from time import process_time

from benchmarks.peers import BOARDS, keep
from gamelib import ConnectFour, compiled

MOST_CELLS, SECONDS = 49, 600.0
KNOWN = {  # by rows and columns: the value for the first player, and the plies
    (6, 6): (-1, 36), (6, 7): (1, 41), (7, 6): (1, 41), (5, 8): (1, 39), (5, 7): (0, 35),
}  # fmt: skip
OUTCOMES = {1: "first wins", 0: "draw", -1: "second wins"}


def row(rows: int, cols: int, seconds: float) -> list[str]:
    """Return what is found of a board within so many seconds."""
    started = process_time()
    found = compiled.solve(
        ConnectFour(rows, cols), only_value=True, stop=lambda: process_time() > started + seconds
    )
    took, size = f"{process_time() - started:.2f}", f"{rows} x {cols}"
    if found.stopped:
        return [size, f"not solved in {seconds:.0f} s", "", f"{found.stats.nodes:,}", took, ""]
    plies = found.distance or rows * cols
    known = KNOWN.get((rows, cols))
    beside = "WRONG" if known else ""
    if known == (found.value, plies):
        beside = "as known"
    return [size, OUTCOMES[found.value], f"{plies}", f"{found.stats.nodes:,}", took, beside]


def main(arguments: Sequence[str] = ()) -> None:
    seconds = float(arguments[0]) if arguments else SECONDS
    sizes = [(rows, cols) for rows in range(4, 13) for cols in range(4, 13)]
    fitting = [size for size in sizes if prod(size) <= MOST_CELLS and size[1] * (size[0] + 1) <= 64]
    compiled.solve(ConnectFour(4, 4), only_value=True)  # makes, or loads, the machine code
    table = [["rows x columns", "outcome", "plies", "nodes", "seconds", "beside others"]]
    for size in sorted(fitting, key=prod):
        table.append(row(*size, seconds))
        print(*table[-1], sep="  ", flush=True)
    keep(BOARDS, table)


if __name__ == "__main__":
    main(sys.argv[1:])
