"""The arena: matches that are fair, results that are kept, and what they show."""

from arena.play.match import Forfeit, ForfeitError, GameRecord, seat
from arena.play.match_up import MatchUp, match_up
from arena.play.tournament import tournament
from arena.results.intervals import wilson_interval
from arena.results.ratings import Rating, bradley_terry
from arena.results.records import RecordsError
from arena.results.standings import Standing, Tournament
from arena.results.tally import Tally
from arena.sandbox.budget import BudgetExceededError
from arena.sandbox.guard import FileAgent, Limits

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
