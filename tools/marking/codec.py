"""What passes between the marker and a student's process, as JSON: plain values and a few things.

A value that is no number, text or None is a list whose first item is its tag:

    t, l, d, s   a tuple, list, dict, set         n   a node of a tree of simulations
    g            a position of a game             v   a position that writes down visits
    f            a function or a class            c   a position whose successors are counted
    h            a position of a student's game   x   anything else: its class and its repr
    k            a position as the key of a dict  r   a thing that was sent before
    e, a, q      the Ellipsis, a range, a fraction
    p, m         the plan and the results of an experiment

Nothing that arrives is run, or chooses what is made: there is no way to name a class or function
that is not in this list.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from gamelib.games import GAMES, GameTree, from_json
from gamelib.state import GameState

MOST_TEXT = 20_000  # characters of a position
PLAIN = (type(None), bool, int, float, str)
# The methods that read the value of a number or text, whatever its class makes of it.
_READ: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
}
_LISTS: dict[type, tuple[str, Callable[[Any], Any]]] = {
    tuple: ("t", tuple.__iter__),
    list: ("l", list.__iter__),
    set: ("s", set.__iter__),
    frozenset: ("s", frozenset.__iter__),
}


class CodecError(Exception):
    """Something arrived that is none of the things that may."""


class Codec:
    """Turns values into JSON and back; each side adds what only it knows."""

    def encode(self, value: Any) -> Any:
        """Return a value as plain data."""
        kind = type(value)
        if kind in PLAIN:
            return value
        if value is ...:
            return ["e"]
        if kind is range:
            return ["a", value.start, value.stop, value.step]
        if kind is Fraction:
            return ["q", value.numerator, value.denominator]
        for known, read in _READ.items():
            if isinstance(value, known):
                return read(value)
        if (special := self.special(value)) is not None:
            return special
        for known, (tag, each) in _LISTS.items():
            if isinstance(value, known):
                return [tag, self.number(value), *map(self.encode, each(value))]
        if isinstance(value, dict):
            return ["d", self.number(value), *self.pairs(dict.items(value))]
        if kind in GAMES.values() and (data := value.to_json()) is not None:
            return ["g", data]
        return self.other(value)

    def pairs(self, items: Any) -> list[Any]:
        """Return the items of a dict as plain data."""
        return [[self.key(key), self.encode(value)] for key, value in items]

    def decode(self, data: Any) -> Any:
        """Return the value of plain data; CodecError if there is none."""
        if type(data) in PLAIN:
            return data
        if type(data) is not list or not data or type(data[0]) is not str:
            raise CodecError(f"no value: {str(data)[:80]}")
        make = getattr(self, f"make_{data[0]}", None)
        if make is None:
            raise CodecError(f"no tag: {data[0]!r}")
        return make(*data[1:])

    # What a side may do otherwise.

    def special(self, value: Any) -> Any:
        """Return what is sent for a thing that only this side has; None for all others."""

    def other(self, value: Any) -> Any:
        """Return what is sent for a thing that has no tag of its own."""
        raise CodecError(f"cannot be sent: {type(value).__name__}")

    def number(self, value: Any) -> int:
        """Return the number by which a list, set or dict is known; 0 if it is sent once only."""
        return 0

    def known(self, number: int, value: Any) -> Any:
        """Return a list, set or dict that has arrived, under its number."""
        return value

    def key(self, key: Any) -> Any:
        """Return what is sent for a key of a dict."""
        return self.encode(key)

    # What arrives, by its tag.

    def make_e(self) -> Any:
        """Return the Ellipsis."""
        return ...

    def make_a(self, *ends: int) -> range:
        """Return a range."""
        return range(*ends)

    def make_q(self, above: int, below: int) -> Fraction:
        """Return a fraction."""
        return Fraction(above, below)

    def make_t(self, number: int, *items: Any) -> Any:
        """Return a tuple."""
        return tuple(map(self.decode, items))

    def make_l(self, number: int, *items: Any) -> Any:
        """Return a list."""
        return self.known(number, list(map(self.decode, items)))

    def make_s(self, number: int, *items: Any) -> Any:
        """Return a set."""
        return self.known(number, set(map(self.decode, items)))

    def make_d(self, number: int, *pairs: Any) -> Any:
        """Return a dict."""
        made = {self.decode(key): self.decode(value) for key, value in pairs}
        return self.known(number, made)

    def make_g(self, data: Any) -> GameState:
        """Return a position of one of the course's games."""
        if not isinstance(data, dict) or len(str(data)) > MOST_TEXT:
            raise CodecError("no position, or one that is too large")
        if data.get("game") == "GameTree":
            return _tree(data["tree"], tuple(data["players"])).play(*data["path"])
        return _position(json.dumps(data))


@lru_cache(maxsize=2000)
def _tree(text: str, players: tuple[int, ...]) -> GameTree:
    """Return the root of a tree, read once."""
    return GameTree.parse(text, players=players)


@lru_cache(maxsize=2000)
def _position(text: str) -> GameState:
    return from_json(json.loads(text))


@lru_cache(maxsize=500)
def class_called(name: str, *bases: type) -> Any:
    """Return a class that is called as one in the other process is."""
    return type(name, bases, {"__slots__": ()})
