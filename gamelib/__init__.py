"""The games and the searches of a course in adversarial search; needs nothing but Python."""

from difflib import get_close_matches
from typing import Any

from gamelib import agents, games, moved, search
from gamelib.agents import *
from gamelib.check import check_game
from gamelib.games import *
from gamelib.search import *
from gamelib.state import CHANCE, Action, GameState, IllegalActionError
from gamelib.trace import Trace, record

__all__ = ["CHANCE", "Action", "GameState", "IllegalActionError", "Trace", "check_game", "record"]
__all__ += agents.__all__
__all__ += games.__all__
__all__ += search.__all__


def __getattr__(name: str) -> Any:
    # What is not named above has a file of its own in gamelib/games or gamelib/search.
    for table in (games.GAMES, search.SEARCHES):
        if name in table:
            return table[name]
    moved.Signpost.find_spec(f"gamelib.{name}")
    known = {each.lower(): each for each in [*__all__, *games.GAMES, *search.SEARCHES]}
    if alike := get_close_matches(name.lower(), known, 1, 0.7):
        # An import would not repeat what an AttributeError says.
        raise ImportError(f"gamelib has no {name!r}.  Did you mean {known[alike[0]]}?")
    raise AttributeError(f"module 'gamelib' has no attribute {name!r}")
