"""Measure how the leaves of alpha-beta on the empty Connect Four board grow with the depth.

A leaf is a terminal state or a node at the depth limit.  The minimum is that of Knuth and Moore
(1975): a search without a table that proves the value of a uniform tree with b branches and d plies
visits at least b^ceil(d/2) + b^floor(d/2) - 1 leaves.  Here b is 7.  Some columns fill up and some
games end early, so the true minimum is a little lower.  A search with a table can visit fewer
leaves, because transpositions share a position, and mirror images have the same value.

The figures depend on the heuristic, because it decides how many values tie.  With the weights
(1, 4, 16), the last search of deepening has 0.60 of the minimum at depth 8 and 0.08 at depth 12.

`python -m tools.benchmarks growth` takes a minute.  It stores its figures in growth.csv and writes
them to docs/speed.md.
"""

from collections.abc import Callable, Iterator, Sequence

from gamelib import ConnectFour, SearchResult, Table, alphabeta, centre_first, iterative_deepening
from gamelib.search.heuristics import windows_heuristic
from tools.benchmarks.peers import GROWTH, store_table

Search = Callable[[int], SearchResult]
EMPTY = ConnectFour()
EVALUATE = windows_heuristic(weights=(1, 10, 50))


def search_to_depth(search: Callable[..., SearchResult], *, ordered: bool, table: bool) -> Search:
    """Return a search of the empty board to a depth."""
    order = centre_first if ordered else None

    def run(depth: int) -> SearchResult:
        known = Table(symmetric=True) if table else None
        return search(EMPTY, depth=depth, evaluate=EVALUATE, order=order, table=known)

    return run


SEARCHES: dict[str, Search] = {
    "left to right": search_to_depth(alphabeta, ordered=False, table=False),
    "centre first": search_to_depth(alphabeta, ordered=True, table=False),
    "and a table": search_to_depth(alphabeta, ordered=True, table=True),
    # The leaves of all its searches, from depth 1 on.
    "and deepening": search_to_depth(iterative_deepening, ordered=True, table=True),
}
LAST = "its last search"
NAMES = ["minimum", *SEARCHES, LAST]

Row = dict[str, int]


def knuth_moore(depth: int, branches: int = 7) -> int:
    """Return the fewest leaves that prove the value of a uniform tree."""
    return branches ** ((depth + 1) // 2) + branches ** (depth // 2) - 1


def count_leaves(result: SearchResult) -> int:
    return result.stats.leaves + result.stats.evaluations


def rows(depths: Sequence[int], natural_up_to: int) -> Iterator[Row]:
    """Yield the number of leaves that each search visits, one row for each depth."""
    for depth in depths:
        row = {"depth": depth, "minimum": knuth_moore(depth)}
        for name, search in SEARCHES.items():
            if name != "left to right" or depth <= natural_up_to:
                row[name] = count_leaves(search(depth))
        # Deepening to this depth repeats all searches of deepening to the previous depth.
        row[LAST] = row["and deepening"] - count_leaves(SEARCHES["and deepening"](depth - 1))
        yield row


def per_ply(table: Sequence[Row], name: str) -> float:
    """Return the mean factor per ply between the first and the last even depth."""
    first, *_, last = [row for row in table if name in row and row["depth"] % 2 == 0]
    return (last[name] / first[name]) ** (1 / (last["depth"] - first["depth"]))


def main() -> None:
    table = []
    for row in rows(range(4, 13), natural_up_to=10):
        table.append(row)
        print(*(f"{name} {row[name]:,}" for name in row), sep=", ", flush=True)
    shown = [
        [f"{row['depth']}", *(f"{row[name]:,}" if name in row else "" for name in NAMES)]
        for row in table
    ]
    rates = [f"{per_ply(table, name):.2f}" for name in NAMES]
    store_table(GROWTH, [["depth", *NAMES], *shown, ["growth per ply", *rates]])
