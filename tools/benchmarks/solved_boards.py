"""Solve boards of Connect Four with up to 49 cells, without stored results.

`python -m tools.benchmarks solved_boards` stores the outcome, plies, nodes and seconds of each
board in `solved_boards.csv`, and writes them to docs/speed.md.  Each board has 600 s of the
processor.  Outcomes are compared with those of John Tromp (tromp.github.io/c4/c4.html).
"""

from math import prod
from time import process_time

import gamefast
from gamelib import ConnectFour
from tools.benchmarks.peers import SOLVED_BOARDS, store_table

MAX_CELLS, SECONDS = 49, 600.0
# By rows, for 4, 5, ... columns: the first player wins, loses, or draws.
TROMP = {
    4: "==-=----", 5: "====+++", 6: "==-+--", 7: "==+=+", 8: "==-+", 9: "==+", 10: "==", 11: "=",
}  # fmt: skip
SIGNS = {1: "+", 0: "=", -1: "-"}
OUTCOMES = {1: "first wins", 0: "draw", -1: "second wins"}


def compare_with_tromp(rows: int, cols: int, value: float) -> str:
    """Return "as known" or "WRONG"; "" if the outcome is not known."""
    known = TROMP.get(rows, "")[cols - 4 : cols - 3]
    return known and ("as known" if known == SIGNS[value] else "WRONG")


def solve_board(rows: int, cols: int) -> list[str]:
    """Solve a board, and return its row of the table."""
    started = process_time()
    found = gamefast.solve(
        ConnectFour(rows, cols), only_value=True, stop=lambda: process_time() > started + SECONDS
    )
    took, size = f"{process_time() - started:.2f}", f"{rows} x {cols}"
    if found.stopped:
        return [size, f"not solved in {SECONDS:.0f} s", "", f"{found.stats.nodes:,}", took, ""]
    plies, known = found.distance or rows * cols, compare_with_tromp(rows, cols, found.value)
    return [size, OUTCOMES[found.value], f"{plies}", f"{found.stats.nodes:,}", took, known]


def main() -> None:
    sizes = [(rows, cols) for rows in range(4, 13) for cols in range(4, 13)]
    fitting = [size for size in sizes if prod(size) <= MAX_CELLS and size[1] * (size[0] + 1) <= 64]
    gamefast.solve(ConnectFour(4, 4, 3), only_value=True)  # compiles the solver, or loads it
    table = [["rows x columns", "outcome", "plies", "nodes", "seconds", "beside Tromp"]]
    for size in sorted(fitting, key=prod):
        table.append(solve_board(*size))
        print(*table[-1], sep="  ", flush=True)
    store_table(SOLVED_BOARDS, table)
