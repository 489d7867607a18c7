"""The arena: matches that are fair, results that are kept, and what they show."""

import arena.first  # noqa: F401 - before all others
from arena.play.match import seat
from arena.play.run import match_up
from arena.play.tournament import tournament
from arena.results.match_up import MatchUp
from arena.results.records import Forfeit, GameRecord, RecordsError
from arena.results.standings import Standing, Tournament
from arena.results.statistics import Rating, Tally, bradley_terry, wilson_interval
from arena.sandbox.budget import BudgetExceededError
from arena.sandbox.guard import FileAgent, Limits
from arena.sandbox.reasons import ForfeitError

__all__ = [
    "BudgetExceededError",
    "FileAgent",
    "Forfeit",
    "ForfeitError",
    "GameRecord",
    "Limits",
    "MatchUp",
    "Rating",
    "RecordsError",
    "Standing",
    "Tally",
    "Tournament",
    "bradley_terry",
    "match_up",
    "seat",
    "tournament",
    "wilson_interval",
]
