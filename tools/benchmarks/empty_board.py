"""The empty board of Connect Four, solved from nothing by one core: half a minute.

The first player wins, with the first stone in the middle and the last one 41 plies from the start
(Allen 1988, Allis 1988).  The memory is that of the whole process, Python and compiler included.
"""

import resource
import sys
from time import process_time

import gamefast
from gamefast.connect_four import board_of
from gamelib import ConnectFour

QUESTIONS: dict[str, dict[str, bool]] = {
    "who wins, and how soon": {"only_value": True},
    "all columns": {},
}


def megabytes() -> float:
    """Return the most memory that this process has had so far, in millions of bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1e6 if sys.platform == "darwin" else most * 1024 / 1e6


def main() -> None:
    gamefast.solve(ConnectFour(4, 4, 4), only_value=True)  # makes, or loads, the machine code
    board_of(ConnectFour, 6, 7, 4).forget()
    before = megabytes()
    for name, options in QUESTIONS.items():
        board_of(ConnectFour, 6, 7, 4).forget()
        started = process_time()
        found = gamefast.solve(ConnectFour(), **options)
        seconds, nodes = process_time() - started, found.stats.nodes
        print(
            f"{name:22} column {found.action}, value {found.value:+}, distance {found.distance}: "
            f"{seconds:.1f} s, {nodes:,} nodes, {1e9 * seconds / nodes:.0f} ns a node, "
            f"{megabytes():.0f} MB ({before:.0f} before)",
            flush=True,
        )
