"""The arena: matches that are fair, results that are kept, and what they show.

A name loads its module when it is first used: widgets ask `arena.here` and need nothing else.
"""

import arena.first  # noqa: F401 - before all others

# isort: split
from importlib import import_module
from typing import Any

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

__all__ = [*_LATE]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        # Kept: who writes an agent's file looks here for what can be imported.
        value = globals()[name] = getattr(import_module(_LATE[name]), name)
        return value
    raise AttributeError(f"module 'arena' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATE])
