"""The arena: matches that are fair, results that are kept, and what they show."""

from gamelib.arena.budget import BudgetExceededError
from gamelib.arena.intervals import wilson_interval
from gamelib.arena.match import Forfeit, ForfeitError, GameRecord, seat
from gamelib.arena.match_up import MatchUp, Tally, match_up
from gamelib.arena.records import RecordsError

__all__ = [
    "BudgetExceededError",
    "Forfeit",
    "ForfeitError",
    "GameRecord",
    "MatchUp",
    "RecordsError",
    "Tally",
    "match_up",
    "seat",
    "wilson_interval",
]
