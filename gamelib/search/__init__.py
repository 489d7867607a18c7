"""The searches: one file an idea."""

from gamelib.search.maxn import PayoffBounds, against, favour, hurt_the_leader, maxn, maxn_outcomes
from gamelib.search.minimax import minimax, negamax
from gamelib.search.result import COUNTING, Bound, SearchResult, Stats

__all__ = [
    "COUNTING",
    "Bound",
    "PayoffBounds",
    "SearchResult",
    "Stats",
    "against",
    "favour",
    "hurt_the_leader",
    "maxn",
    "maxn_outcomes",
    "minimax",
    "negamax",
]
