"""Whose the values of a program are, and where they stand in what it returns."""

from __future__ import annotations

from itertools import islice
from typing import Any

from course.watch.text import Seen
from gamelib.state import CHANCE, GameState, is_number

SAMPLE = 400  # visits that are asked
WHOLE = -1  # the place of a value that is all of a tuple: one payoff for each player
MOVER, EACH = "mover", "each"
Viewer = int | str  # a player, or one of these words


def value_in(returned: Any, place: int) -> Any:
    """Return the value in what a program has returned: a number, or one for each player; None."""
    own = getattr(returned, "value", None)
    if own is not None and not is_value(returned) and not callable(own):
        returned = own  # of a SearchResult, say
    if isinstance(returned, tuple | list):
        if place == WHOLE and is_value(tuple(returned)):
            return tuple(returned)
        place = max(place, 0)
        returned = returned[place] if len(returned) > place else None
    return returned if is_value(returned) else None


def is_value(thing: Any) -> bool:
    """Return whether this is a number, True or False, or a tuple of numbers."""
    if isinstance(thing, tuple):
        return bool(thing) and all(map(is_number, thing))
    return is_number(thing) or isinstance(thing, bool)


def place_of_value(visits: list[Seen]) -> int:
    """Return where the value stands in the tuples that a program returns, from what leaves say."""
    votes = {WHOLE: 0, 0: 0, 1: 0}
    leaves = (v for v in visits if isinstance(v.call.returned, tuple | list))
    for visit in islice((v for v in leaves if is_over(v.node.state)), SAMPLE):
        returned, payoffs = visit.call.returned, payoffs_of(visit.node.state)
        votes[WHOLE] += tuple(returned) == payoffs
        for place, part in enumerate(returned[:2]):
            votes[place] += part == payoffs or (is_number(part) and abs(part) in map(abs, payoffs))
    return max(votes, key=votes.__getitem__) if any(votes.values()) else 0


def viewer_of(visits: list[Seen], root: GameState) -> Viewer:
    """Return for whom the values are that agree best with payoffs, and with each other."""
    if any(isinstance(visit.value, tuple) for visit in visits[-SAMPLE:]):
        return EACH
    players = [root.current_player, *range(root.num_players)]
    votes: dict[Viewer, int] = {viewer: 0 for viewer in (*players, MOVER) if viewer != CHANCE}
    for visit in visits[:SAMPLE] + visits[SAMPLE:][-SAMPLE:]:
        if visit.value is not None:
            for viewer in votes:
                votes[viewer] += expected(visit, viewer) == visit.value
    return max(votes, key=votes.__getitem__)


def expected(visit: Seen, viewer: Viewer) -> Any:
    """Return what a visit should return for a viewer, after what its children did; or None."""
    state = visit.node.state
    mover = state.current_player
    if not visit.children:
        player = mover if viewer == MOVER else viewer
        return payoffs_of(state)[int(player)] if is_over(state) else None
    values = [seen_by(child, visit, viewer) for child in visit.children]
    if mover == CHANCE or None in values:
        return None
    return max(values) if viewer in (mover, MOVER) else min(values)


def seen_by(child: Seen, parent: Seen, viewer: Viewer) -> Any:
    """Return the value of a child as its parent sees it: in negamax, often with another sign."""
    turns = child.node.state.current_player != parent.node.state.current_player
    flips = viewer == MOVER and turns and is_number(child.value)
    return -child.value if flips else child.value


def is_over(state: GameState) -> bool:
    """Return whether the game is over; False of a learner's game that cannot say."""
    try:
        return bool(state.is_terminal())
    except Exception:
        return False


def payoffs_of(state: GameState) -> tuple[float, ...]:
    """Return what every player gets at the end of a game; nothing where a game cannot say."""
    try:
        return tuple(state.utilities())
    except Exception:
        return (float("nan"),) * state.num_players
