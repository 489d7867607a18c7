"""How the cost of alpha-beta grows with the depth: leaves on the empty Connect Four board.

Counted are the nodes where the game is over or the depth limit is reached.  They are divided by
the minimum of Knuth and Moore (1975): whoever proves the value of a uniform tree of b branches and
d plies, without a table, looks at b^ceil(d/2) + b^floor(d/2) - 1 leaves or more.  Here b is 7; as
some columns fill and some games end, the true minimum is a little lower.  A table can go below it:
many orders of the same stones lead to one position, and a mirror image has the same value.

The figures depend on the heuristic, since it decides how many values tie: with the weights
(1, 4, 16) the last search of deepening has 0.60 at depth 8 and 0.08 at depth 12.

`python -m tools.benchmarks growth` goes to depth 8.  The figures kept in growth.csv took a minute:

    python -m tools.benchmarks.growth --depth 12 --natural 10 --write growth.csv --chart growth.svg
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from gamelib import ConnectFour, SearchResult, Table, alphabeta, centre_first, iterative_deepening
from gamelib.search.heuristics import windows_heuristic

EMPTY = ConnectFour()
EVALUATE = windows_heuristic(weights=(1, 10, 50))


def natural(depth: int) -> SearchResult:
    return alphabeta(EMPTY, depth=depth, evaluate=EVALUATE)


def ordered(depth: int) -> SearchResult:
    return alphabeta(EMPTY, depth=depth, evaluate=EVALUATE, order=centre_first)


def remembering(depth: int) -> SearchResult:
    options = {"order": centre_first, "table": Table(symmetric=True)}
    return alphabeta(EMPTY, depth=depth, evaluate=EVALUATE, **options)


def deepening(depth: int) -> SearchResult:
    options = {"order": centre_first, "table": Table(symmetric=True)}
    return iterative_deepening(EMPTY, depth=depth, evaluate=EVALUATE, **options)


SEARCHES: dict[str, Callable[[int], SearchResult]] = {
    "left to right": natural,
    "centre first": ordered,
    "and a table": remembering,
    "and deepening": deepening,  # the leaves of all its searches, from depth 1 on
}
LAST = "its last search"
NAMES = [*SEARCHES, LAST]

Row = dict[str, int]


def knuth_moore(depth: int, branches: int = 7) -> int:
    """Return the fewest leaves that prove the value of a uniform tree."""
    return branches ** ((depth + 1) // 2) + branches ** (depth // 2) - 1


def leaves(result: SearchResult) -> int:
    return result.stats.leaves + result.stats.evaluations


def rows(depths: Sequence[int], natural_up_to: int) -> Iterator[Row]:
    """Yield the leaves that each search looks at, depth by depth."""
    for depth in depths:
        row = {"depth": depth, "minimum": knuth_moore(depth)}
        for name, search in SEARCHES.items():
            if search is not natural or depth <= natural_up_to:
                row[name] = leaves(search(depth))
        # Deepening to this depth begins with all that deepening to the depth before does.
        row[LAST] = row["and deepening"] - leaves(deepening(depth - 1))
        yield row


def print_row(row: Row) -> None:
    shares = [f"{row[name] / row['minimum']:.2f}" if name in row else "" for name in NAMES]
    print(
        f"{row['depth']:5} {row['minimum']:10,}", *(f"{share:>15}" for share in shares), flush=True
    )


def write(table: list[Row], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["depth", "minimum", *NAMES], lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def draw_chart(table: list[Row], path: Path) -> None:
    from matplotlib.figure import Figure

    axes = (figure := Figure(figsize=(8, 5), layout="constrained")).subplots()
    colours = ("#D55E00", "#E69F00", "#009E73", "#56B4E9", "#0072B2")
    for name, colour, marker in zip(NAMES, colours, "osD^v", strict=True):
        found = [row for row in table if name in row]
        shares = [row[name] / row["minimum"] for row in found]
        axes.plot([row["depth"] for row in found], shares, colour, marker=marker, label=name)
    axes.axhline(1, color="black", linewidth=1)
    axes.set_yscale("log")
    axes.set_xticks([row["depth"] for row in table])
    axes.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    axes.set_xlabel("depth in plies")
    axes.set_ylabel("leaves / Knuth-Moore minimum")
    axes.set_title("Alpha-beta on the empty Connect Four board")
    axes.legend()
    figure.savefig(path)


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(description="Leaves of alpha-beta, depth by depth.")
    parser.add_argument("--depth", type=int, default=8, help="the last depth")
    parser.add_argument("--natural", type=int, default=8, help="the last one from left to right")
    parser.add_argument("--write", type=Path, help="write the leaves to this file, as CSV")
    parser.add_argument("--chart", type=Path, help="draw the chart to this file")
    options = parser.parse_args(arguments)
    print("Leaves over the Knuth-Moore minimum, Connect Four")
    print("depth    minimum", *(f"{name:>15}" for name in NAMES))
    table = []
    for row in rows(range(4, options.depth + 1), options.natural):
        table.append(row)
        print_row(row)
    if options.write:
        write(table, options.write)
    if options.chart:
        draw_chart(table, options.chart)


if __name__ == "__main__":
    main(sys.argv[1:])
