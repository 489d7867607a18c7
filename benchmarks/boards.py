"""Boards of Connect Four of up to 49 cells, solved from nothing: outcome, plies, nodes, seconds.

    python -m benchmarks boards [most seconds a board]

The outcomes are those that Tromp's table of solved boards has (John's Connect Four Playground,
tromp.github.io/c4/c4.html) where a test knows them.  A board that takes longer is named so.
"""

from __future__ import annotations

import sys
from time import process_time

from gamelib import ConnectFour, compiled

MOST_CELLS, SECONDS = 49, 600.0
OUTCOMES = {1: "first wins", 0: "draw", -1: "second wins", None: "not solved"}


def main() -> None:
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    sizes = [(rows, cols) for rows in range(1, 13) for cols in range(1, 13)]
    sizes = [(rows, cols) for rows, cols in sizes if rows >= 4 or cols >= 4]
    compiled.solve(ConnectFour(4, 4), only_value=True)  # makes, or loads, the machine code
    print("| rows x columns | outcome | plies | nodes | seconds |")
    print("| --- | --- | ---: | ---: | ---: |")
    for rows, cols in sorted(sizes, key=lambda size: size[0] * size[1]):
        if rows * cols > MOST_CELLS or cols * (rows + 1) > 64:
            continue
        started = process_time()
        found = compiled.solve(
            ConnectFour(rows, cols),
            only_value=True,
            stop=lambda end=started + limit: process_time() > end,
        )
        outcome = "not solved" if found.stopped else OUTCOMES[found.value]
        plies = "" if found.stopped else found.distance or rows * cols
        seconds = process_time() - started
        print(
            f"| {rows}x{cols} | {outcome} | {plies} | {found.stats.nodes:,} | {seconds:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
