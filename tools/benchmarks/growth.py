"""How the cost of alpha-beta grows with the depth: leaves on the empty Connect Four board.

Counted are the nodes where the game is over or the depth limit is reached.  They are divided by
the minimum of Knuth and Moore (1975): whoever proves the value of a uniform tree of b branches and
d plies, without a table, looks at b^ceil(d/2) + b^floor(d/2) - 1 leaves or more.  Here b is 7; as
some columns fill and some games end, the true minimum is a little lower.  A table can go below it:
many orders of the same stones lead to one position, and a mirror image has the same value.

The figures depend on the heuristic, since it decides how many values tie: with the weights
(1, 4, 16) the last search of deepening has 0.60 at depth 8 and 0.08 at depth 12.

`python -m tools.benchmarks growth` keeps its figures in growth.csv, and writes them into
docs/speed.md; it takes a minute.
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
    """Yield the leaves that each search looks at, depth by depth."""
    for depth in depths:
        row = {"depth": depth, "minimum": knuth_moore(depth)}
        for name, search in SEARCHES.items():
            if name != "left to right" or depth <= natural_up_to:
                row[name] = count_leaves(search(depth))
        # Deepening to this depth begins with all that deepening to the depth before does.
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
