"""The games and the searches of a course in adversarial search; needs nothing but Python."""

import sys
from difflib import get_close_matches
from typing import Any

from gamelib import agents, games, search
from gamelib.agents import *
from gamelib.check import check_game
from gamelib.games import *
from gamelib.search import *
from gamelib.state import CHANCE, Action, GameState, IllegalActionError

__all__ = ["CHANCE", "Action", "GameState", "IllegalActionError", "check_game"]
__all__ += agents.__all__
__all__ += games.__all__
__all__ += search.__all__


def __getattr__(name: str) -> Any:
    # What is not named above has a file of its own in gamelib/games or gamelib/search.
    for table in (games.GAMES, search.SEARCHES):
        if name in table:
            return table[name]
    known = {each.lower(): each for each in [*__all__, *games.GAMES, *search.SEARCHES]}
    alike = get_close_matches(name.lower(), known, 1, 0.7)
    hint = f".  Did you mean {known[alike[0]]}?" if alike else ""
    # An import would not repeat what an AttributeError says.
    imported = "importlib" in sys._getframe(1).f_globals["__name__"]
    raise (ImportError if imported and alike else AttributeError)(f"gamelib has no {name!r}{hint}")
