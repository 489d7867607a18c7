"""Encode the messages between the marker and a student's process as JSON.

Numbers, texts and None are sent as they are.  Every other value is a list that begins with a tag:

    t, l, d   a tuple (or a range), a list, a dict     v   a position that counts visits
    e         the Ellipsis                             b   the plan or the results of an experiment
    g         a position of a game                     m   a function of the marker
    h         a position of a student's game           r   an object of that process, by its number
    f         a student's function or class            x   any other value: its class and its repr

The receiver runs nothing that arrives.  A message cannot name a class or a function that is not in
this list.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from gamelib.games import GAMES, GameTree, from_json
from gamelib.state import GameState

MAX_POSITION_CHARS = 20_000  # characters of a position
PLAIN_TYPES = (type(None), bool, int, float, str)
# The methods that read a number, a text or a list, even if a subclass overrides them.
_PLAIN_READERS: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
}
_SEQUENCES: dict[type, tuple[str, Callable[[Any], Any]]] = {
    tuple: ("t", tuple.__iter__),
    list: ("l", list.__iter__),
    range: ("t", range.__iter__),
}


class CodecError(Exception):
    """A message is invalid, or a value cannot be sent."""


class Codec:
    """Converter between values and JSON; each side adds the values that only it has."""

    def encode(self, value: Any) -> Any:
        """Return a value as plain data."""
        kind = type(value)
        if kind in PLAIN_TYPES:
            return value
        for known, read in _PLAIN_READERS.items():
            if isinstance(value, known):
                return read(value)
        for known, (tag, each) in _SEQUENCES.items():
            if isinstance(value, known):
                return [tag, *map(self.encode, each(value))]
        if isinstance(value, dict):
            return ["d", *([self.encode(key), self.encode(v)] for key, v in dict.items(value))]
        if value is ...:
            return ["e"]
        if kind in GAMES.values() and (data := value.to_json()) is not None:
            return ["g", data]
        return self.encode_other(value)

    def encode_other(self, value: Any) -> Any:
        """Return the plain data for a value that only this side has."""
        raise CodecError(f"cannot be sent: {type(value).__name__}")

    def decode(self, data: Any) -> Any:
        """Return the value of plain data; CodecError if the data are invalid."""
        if type(data) in PLAIN_TYPES:
            return data
        if type(data) is not list or not data or type(data[0]) is not str:
            raise CodecError(f"no value: {str(data)[:80]}")
        make = getattr(self, f"decode_{data[0]}", None)
        if make is None:
            raise CodecError(f"no tag: {data[0]!r}")
        return make(*data[1:])

    def decode_e(self) -> Any:
        """Return the Ellipsis."""
        return ...

    def decode_t(self, *items: Any) -> Any:
        """Return a tuple."""
        return tuple(map(self.decode, items))

    def decode_l(self, *items: Any) -> Any:
        """Return a list."""
        return list(map(self.decode, items))

    def decode_d(self, *pairs: Any) -> Any:
        """Return a dict."""
        return {self.decode(key): self.decode(value) for key, value in pairs}

    def decode_g(self, data: Any) -> GameState:
        """Return a position of one of the course's games."""
        if not isinstance(data, dict) or len(str(data)) > MAX_POSITION_CHARS:
            raise CodecError("no position, or one that is too large")
        if data.get("game") == "GameTree":
            return _tree_from_text(data["tree"], tuple(data["players"])).play(*data["path"])
        return _position_from_text(json.dumps(data))


@lru_cache(maxsize=2000)
def _tree_from_text(text: str, players: tuple[int, ...]) -> GameTree:
    """Return the root of a tree, read once."""
    return GameTree.parse(text, players=players)


@lru_cache(maxsize=2000)
def _position_from_text(text: str) -> GameState:
    return from_json(json.loads(text))
