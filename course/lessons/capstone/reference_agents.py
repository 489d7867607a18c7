"""The three reference agents that an entry of the capstone plays against."""

from functools import cache

from course.lessons.capstone.budget_match import BUDGET
from gamelib.agents import SearchAgent
from gamelib.games import ConnectFour
from gamelib.search import centre_first, iterative_deepening, lookahead, open_windows


def centre(state: ConnectFour, player: int) -> float:
    """Return how much nearer to the middle the discs of `player` are, inside (-1, 1)."""
    mine, theirs = state.stones(player), state.stones(1 - player)
    lead = 0
    for column, weight in _columns(state.rows, state.cols):
        lead += weight * ((mine & column).bit_count() - (theirs & column).bit_count())
    return lead / (state.rows * state.cols**2)


@cache
def _columns(rows: int, cols: int) -> list[tuple[int, int]]:
    """Return (bits, weight) of each column; the weight grows with the distance to the edge."""
    column = (1 << rows) - 1
    return [(column << c * (rows + 1), min(c, cols - 1 - c)) for c in range(cols)]


# A search notices that its nodes are used up only at the next inner node that is not in its table.
NODES = BUDGET - 30
LEVELS: tuple[SearchAgent, ...] = (
    SearchAgent(lookahead, "lookahead"),
    SearchAgent(iterative_deepening, "deepening with centre", nodes=NODES, evaluate=centre),
    SearchAgent(
        iterative_deepening,
        "deepening with open_windows",
        nodes=NODES,
        evaluate=open_windows,
        order=centre_first,
    ),
)
