"""The searches, one file an idea; a name that is read here is the search, not its file."""

from collections.abc import Callable
from typing import Any

from gamelib.search import registry
from gamelib.search.alphabeta import alphabeta
from gamelib.search.best_reply import best_reply
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
    forces_win,
    lookahead,
    random_choice,
    safe_actions,
    two_step_wins,
    winning_actions,
)
from gamelib.search.maxn import PayoffBounds, hurt_the_leader, maxn
from gamelib.search.mcts import mcts
from gamelib.search.minimax import minimax, negamax
from gamelib.search.ordering import centre_first, preferred
from gamelib.search.paranoid import paranoid
from gamelib.search.registry import SEARCHES
from gamelib.search.result import COUNTING, Bound, SearchResult, Stats
from gamelib.search.rollouts import random_rollout, take_a_win
from gamelib.search.solver import solve
from gamelib.search.table import Table
from gamelib.search.tree import SearchTree

# What an option may be that is written as text, besides a plain value: these, and what those make.
VALUES: dict[str, Callable[..., Any]] = {
    value.__name__: value for value in (centre_first, hurt_the_leader, random_rollout, take_a_win)
}
MAKERS: dict[str, Callable[..., Any]] = {
    maker.__name__: maker for maker in (OpenLines, lines_heuristic, windows_heuristic, preferred)
}
# A file of this folder that is not named above is found all the same.
registry.discover(__name__, __path__)
globals().update(SEARCHES)
# All searches, and all else that is imported above: the names are not listed twice.
__all__ = ["COUNTING", "SEARCHES"]
__all__ += [
    name
    for name, thing in list(globals().items())
    if getattr(thing, "__module__", "").startswith("gamelib.search.")
]
