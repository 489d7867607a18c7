"""The arena: matches that are fair, results that are kept, and what they show.

A name loads its module when it is first used: a board needs of all this `arena.here` only.
"""

from importlib import import_module
from typing import Any

import arena.first  # noqa: F401 - before all others

_LATE = {
    "BudgetExceededError": "arena.sandbox.budget",
    "FileAgent": "arena.sandbox.guard",
    "Forfeit": "arena.results.records",
    "ForfeitError": "arena.sandbox.reasons",
    "GameRecord": "arena.results.records",
    "Limits": "arena.sandbox.guard",
    "MatchUp": "arena.results.match_up",
    "Rating": "arena.results.statistics",
    "RecordsError": "arena.results.records",
    "Standing": "arena.results.standings",
    "Tally": "arena.results.statistics",
    "Tournament": "arena.results.standings",
    "bradley_terry": "arena.results.statistics",
    "match_up": "arena.play.run",
    "seat": "arena.play.match",
    "tournament": "arena.play.tournament",
    "wilson_interval": "arena.results.statistics",
}

__all__ = [*_LATE]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        value = globals()[name] = getattr(import_module(_LATE[name]), name)
        return value
    raise AttributeError(f"module 'arena' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATE])
