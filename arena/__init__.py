"""The arena: fair matches between agents, stored results, and the statistics of both.

A name loads its module when it is first used, because widgets need only `arena.capabilities`.
"""

import arena._bootstrap  # noqa: F401 - before all other imports

# isort: split
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the names of `_LAZY_NAMES`, for type checkers and editors
    from arena.play.cluster import ClusterExecutor as ClusterExecutor
    from arena.play.match import seat as seat
    from arena.play.run import match_up as match_up
    from arena.play.tournament import tournament as tournament
    from arena.results.game_records import Forfeit as Forfeit
    from arena.results.game_records import GameRecord as GameRecord
    from arena.results.match_up import MatchUp as MatchUp
    from arena.results.record_file import RecordsError as RecordsError
    from arena.results.standings import Standing as Standing
    from arena.results.standings import Tournament as Tournament
    from arena.results.statistics import BradleyTerry as BradleyTerry
    from arena.results.statistics import Rating as Rating
    from arena.results.statistics import Tally as Tally
    from arena.results.statistics import wilson_interval as wilson_interval
    from arena.sandbox.containment import contained as contained
    from arena.sandbox.file_agent import FileAgent as FileAgent
    from arena.sandbox.file_agent import Limits as Limits
    from arena.sandbox.forfeits import ForfeitError as ForfeitError
    from arena.sandbox.node_budget import BudgetExceededError as BudgetExceededError

_LAZY_NAMES = {
    "BudgetExceededError": "arena.sandbox.node_budget",
    **dict.fromkeys(["FileAgent", "Limits"], "arena.sandbox.file_agent"),
    "ClusterExecutor": "arena.play.cluster",
    "contained": "arena.sandbox.containment",
    **dict.fromkeys(["Forfeit", "GameRecord"], "arena.results.game_records"),
    "RecordsError": "arena.results.record_file",
    "ForfeitError": "arena.sandbox.forfeits",
    "MatchUp": "arena.results.match_up",
    **dict.fromkeys(
        ["BradleyTerry", "Rating", "Tally", "wilson_interval"], "arena.results.statistics"
    ),
    **dict.fromkeys(["Standing", "Tournament"], "arena.results.standings"),
    "match_up": "arena.play.run",
    "seat": "arena.play.match",
    "tournament": "arena.play.tournament",
}

if not TYPE_CHECKING:  # without this function, a type checker reports a misspelt name
    __all__ = [*_LAZY_NAMES]

    def __getattr__(name: str) -> Any:
        if name in _LAZY_NAMES:
            # It is stored here, so that authors of agents see what they can import.
            value = globals()[name] = getattr(import_module(_LAZY_NAMES[name]), name)
            return value
        raise AttributeError(f"module 'arena' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY_NAMES])
