"""Games and searches for a course in adversarial search.  They need only Python itself."""

from typing import TYPE_CHECKING

__version__ = "1.0.0"

# These imports come first, so that a file of `gamelib.games` can write
# `from gamelib import GameState`.
from gamelib.state import CHANCE as CHANCE
from gamelib.state import Action as Action
from gamelib.state import GameState as GameState
from gamelib.state import IllegalActionError as IllegalActionError

# isort: split
from gamelib import games, search
from gamelib.agents import PlayedGame as PlayedGame
from gamelib.agents import SearchAgent as SearchAgent
from gamelib.agents import lookahead_agent as lookahead_agent
from gamelib.agents import play_game as play_game
from gamelib.agents import random_agent as random_agent
from gamelib.board_agents import board_agent as board_agent
from gamelib.conformance import check_game as check_game
from gamelib.games import *
from gamelib.same_game import same_game as same_game
from gamelib.search import *
from gamelib.truth import SearchReport as SearchReport
from gamelib.truth import check_search as check_search

if not TYPE_CHECKING:  # a type checker knows what is public, and reports a misspelt name
    _NAMES = ["CHANCE", "Action", "GameState", "IllegalActionError", "PlayedGame", "SearchAgent"]
    _NAMES += ["SearchReport", "board_agent", "check_game", "check_search", "lookahead_agent"]
    _NAMES += ["play_game", "random_agent", "same_game"]
    __all__ = [*_NAMES, *games.__all__, *search.__all__]

    def __getattr__(name: str) -> object:
        """Return a game or search that is in no `__all__`; AttributeError, with a hint, if none."""
        from difflib import get_close_matches

        discovered = {**games.GAMES, **search.SEARCHES}
        if name in discovered:
            return discovered[name]
        names = {public.lower(): public for public in [*__all__, *discovered]}
        matches = get_close_matches(name.lower(), names, 1, 0.7)
        hint = f".  Did you mean {names[matches[0]]}?" if matches else ""
        raise AttributeError(f"gamelib has no {name!r}{hint}")
