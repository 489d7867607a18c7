"""The arena: matches that are fair, results that are kept, and what they show."""

from gamelib.arena.budget import BudgetExceededError
from gamelib.arena.guard import FileAgent, Limits
from gamelib.arena.intervals import wilson_interval
from gamelib.arena.match import Forfeit, ForfeitError, GameRecord, seat
from gamelib.arena.match_up import MatchUp, match_up
from gamelib.arena.ratings import Rating, bradley_terry
from gamelib.arena.records import RecordsError
from gamelib.arena.standings import Standing, Tournament
from gamelib.arena.tally import Tally
from gamelib.arena.tournament import tournament

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
