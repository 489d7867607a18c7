"""Boards of Connect Four of up to 49 cells, solved from nothing: outcome, plies, nodes, seconds.

Beside it what is known of some: Tromp and Steininger (John's Connect Four Playground,
tromp.github.io/c4/c4.html), Allis for the usual board.
"""

from __future__ import annotations

from time import process_time

from gamelib import ConnectFour, compiled

MOST_CELLS, SECONDS = 49, 600.0
KNOWN = {  # by rows and columns: the value for the first player, and the plies
    (6, 6): (-1, 36), (6, 7): (1, 41), (7, 6): (1, 41), (5, 8): (1, 39), (5, 7): (0, 35),
}  # fmt: skip
OUTCOMES = {1: "first wins", 0: "draw", -1: "second wins", None: "not solved"}


def main() -> None:
    sizes = [(rows, cols) for rows in range(1, 13) for cols in range(1, 13)]
    sizes = [(rows, cols) for rows, cols in sizes if rows >= 4 or cols >= 4]
    compiled.solve(ConnectFour(4, 4), only_value=True)  # makes, or loads, the machine code
    print("| rows x columns | outcome | plies | nodes | seconds | beside others |")
    print("| --- | --- | ---: | ---: | ---: | --- |")
    for rows, cols in sorted(sizes, key=lambda size: size[0] * size[1]):
        if rows * cols > MOST_CELLS or cols * (rows + 1) > 64:
            continue
        started = process_time()
        found = compiled.solve(
            ConnectFour(rows, cols),
            only_value=True,
            stop=lambda end=started + SECONDS: process_time() > end,
        )
        known = "" if found.stopped or (rows, cols) not in KNOWN else "as known"
        if known and KNOWN[rows, cols] != (found.value, found.distance or rows * cols):
            known = "WRONG"
        outcome = "not solved" if found.stopped else OUTCOMES[found.value]
        plies = "" if found.stopped else found.distance or rows * cols
        seconds = process_time() - started
        counts = f"{plies} | {found.stats.nodes:,} | {seconds:.2f}"
        print(f"| {rows}x{cols} | {outcome} | {counts} | {known} |", flush=True)


if __name__ == "__main__":
    main()
