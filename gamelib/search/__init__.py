"""The searches, one file an idea; a name that is read here is the search, not its file."""

from typing import Any

from gamelib.lazy import offered

__all__ = [*offered(__name__), "SEARCHES"]


def missing(name: str) -> Any:
    """Return the table of all searches, for which every file is read, or what one file adds."""
    from gamelib.search.registry import discover

    searches = discover(__name__, tuple(__path__))
    if name != "SEARCHES" and name not in searches:
        raise AttributeError(f"gamelib.search has no {name!r}")
    return searches if name == "SEARCHES" else searches[name]
