"""The games and the searches of a course in adversarial search; needs nothing but Python."""

import sys
from difflib import get_close_matches
from typing import Any

from gamelib.lazy import offered

__all__ = offered(__name__)


def missing(name: str) -> Any:
    """Return a game or a search of a file that the stub does not name; an error with a hint."""
    from gamelib.games import GAMES
    from gamelib.search import SEARCHES

    for table in (GAMES, SEARCHES):
        if name in table:
            return table[name]
    known = {each.lower(): each for each in [*__all__, *GAMES, *SEARCHES]}
    alike = get_close_matches(name.lower(), known, 1, 0.7)
    hint = f".  Did you mean {known[alike[0]]}?" if alike else ""
    # An import would not repeat what an AttributeError says.
    imported = "importlib" in sys._getframe(2).f_globals["__name__"]
    raise (ImportError if imported and alike else AttributeError)(f"gamelib has no {name!r}{hint}")
