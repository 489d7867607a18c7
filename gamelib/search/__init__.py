"""The searches: one file an idea."""

from gamelib.search.best_reply import best_reply
from gamelib.search.maxn import PayoffBounds, against, favour, hurt_the_leader, maxn, maxn_outcomes
from gamelib.search.minimax import minimax, negamax
from gamelib.search.paranoid import paranoid, security_values
from gamelib.search.result import COUNTING, Bound, SearchResult, Stats

__all__ = [
    "COUNTING",
    "Bound",
    "PayoffBounds",
    "SearchResult",
    "Stats",
    "against",
    "best_reply",
    "favour",
    "hurt_the_leader",
    "maxn",
    "maxn_outcomes",
    "minimax",
    "negamax",
    "paranoid",
    "security_values",
]
