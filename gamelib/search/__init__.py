"""The searches.  A name such as `gamelib.search.minimax` is the search, not its module."""

from gamelib.search.alphabeta import alphabeta
from gamelib.search.best_reply import best_reply
from gamelib.search.checks import PayoffBounds
from gamelib.search.deepening import iterative_deepening
from gamelib.search.expectiminimax import expectiminimax, star1
from gamelib.search.heuristics import (
    OpenLines,
    lines_heuristic,
    open_lines,
    open_windows,
    windows_heuristic,
)
from gamelib.search.lookahead import (
    lookahead,
    random_choice,
    safe_actions,
    two_step_wins,
    winning_actions,
)
from gamelib.search.maxn import hurt_the_leader, maxn
from gamelib.search.mcts import mcts
from gamelib.search.mcts_tree import SearchTree
from gamelib.search.minimax import minimax, negamax
from gamelib.search.ordering import centre_first, preferred
from gamelib.search.paranoid import paranoid
from gamelib.search.registry import Search, discover
from gamelib.search.result import COUNTING, Bound, SearchResult, Stats
from gamelib.search.rollouts import random_rollout, take_a_win
from gamelib.search.solver import solve
from gamelib.search.transposition import Table

__all__ = [
    "COUNTING",
    "SEARCHES",
    "Bound",
    "OpenLines",
    "PayoffBounds",
    "SearchResult",
    "SearchTree",
    "Stats",
    "Table",
    "alphabeta",
    "best_reply",
    "centre_first",
    "expectiminimax",
    "hurt_the_leader",
    "iterative_deepening",
    "lines_heuristic",
    "lookahead",
    "maxn",
    "mcts",
    "minimax",
    "negamax",
    "open_lines",
    "open_windows",
    "paranoid",
    "preferred",
    "random_choice",
    "random_rollout",
    "safe_actions",
    "solve",
    "star1",
    "take_a_win",
    "two_step_wins",
    "windows_heuristic",
    "winning_actions",
]

# All searches of this folder by name, even those in files that are not imported above.
SEARCHES: dict[str, Search] = discover(__name__, tuple(__path__))
