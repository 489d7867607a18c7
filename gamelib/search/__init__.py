"""The searches: one file an idea."""

from gamelib.search.alphabeta import alphabeta
from gamelib.search.best_reply import best_reply
from gamelib.search.deepening import iterative_deepening
from gamelib.search.maxn import PayoffBounds, against, favour, hurt_the_leader, maxn, maxn_outcomes
from gamelib.search.minimax import minimax, negamax
from gamelib.search.ordering import centre_first, preferred
from gamelib.search.paranoid import paranoid, security_values
from gamelib.search.result import COUNTING, Bound, SearchResult, Stats
from gamelib.search.table import Table
from gamelib.search.trace import Trace, record

__all__ = [
    "COUNTING",
    "Bound",
    "PayoffBounds",
    "SearchResult",
    "Stats",
    "Table",
    "Trace",
    "against",
    "alphabeta",
    "best_reply",
    "centre_first",
    "favour",
    "hurt_the_leader",
    "iterative_deepening",
    "maxn",
    "maxn_outcomes",
    "minimax",
    "negamax",
    "paranoid",
    "preferred",
    "record",
    "security_values",
]
