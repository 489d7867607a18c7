"""The arena: matches that are fair, results that are kept, and what they show.

A name loads its module when it is first used: widgets ask `arena.here` and need nothing else.
"""

import arena.first  # noqa: F401 - before all others

# isort: split
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the names of `_LATE`, for type checkers and editors
    from arena.play.match import seat as seat
    from arena.play.run import match_up as match_up
    from arena.play.tournament import tournament as tournament
    from arena.results.games import Forfeit as Forfeit
    from arena.results.games import GameRecord as GameRecord
    from arena.results.match_up import MatchUp as MatchUp
    from arena.results.records import RecordsError as RecordsError
    from arena.results.standings import Standing as Standing
    from arena.results.standings import Tournament as Tournament
    from arena.results.statistics import BradleyTerry as BradleyTerry
    from arena.results.statistics import Rating as Rating
    from arena.results.statistics import Tally as Tally
    from arena.results.statistics import wilson_interval as wilson_interval
    from arena.sandbox.contain import contained as contained
    from arena.sandbox.counter import BudgetExceededError as BudgetExceededError
    from arena.sandbox.guard import FileAgent as FileAgent
    from arena.sandbox.guard import Limits as Limits
    from arena.sandbox.reasons import ForfeitError as ForfeitError

_LATE = {
    "BudgetExceededError": "arena.sandbox.counter",
    **dict.fromkeys(["FileAgent", "Limits"], "arena.sandbox.guard"),
    "contained": "arena.sandbox.contain",
    **dict.fromkeys(["Forfeit", "GameRecord"], "arena.results.games"),
    "RecordsError": "arena.results.records",
    "ForfeitError": "arena.sandbox.reasons",
    "MatchUp": "arena.results.match_up",
    **dict.fromkeys(
        ["BradleyTerry", "Rating", "Tally", "wilson_interval"], "arena.results.statistics"
    ),
    **dict.fromkeys(["Standing", "Tournament"], "arena.results.standings"),
    "match_up": "arena.play.run",
    "seat": "arena.play.match",
    "tournament": "arena.play.tournament",
}

if not TYPE_CHECKING:  # a type checker reports a misspelt name by itself
    __all__ = [*_LATE]

    def __getattr__(name: str) -> Any:
        if name in _LATE:
            # Kept: who writes an agent's file looks here for what can be imported.
            value = globals()[name] = getattr(import_module(_LATE[name]), name)
            return value
        raise AttributeError(f"module 'arena' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATE])
