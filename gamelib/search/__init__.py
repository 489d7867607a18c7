"""The searches: one file an idea."""

from gamelib.search.minimax import minimax, negamax
from gamelib.search.result import COUNTING, Bound, SearchResult, Stats

__all__ = ["COUNTING", "Bound", "SearchResult", "Stats", "minimax", "negamax"]
