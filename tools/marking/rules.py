"""The rules of the games, taken away: where positions are counted, the marker makes each of them.

A program that sees the stones could search a copy of the board, and nobody would count.  So before
such an exercise its process loses the rules of the course's games: `successor` then asks.  Rules
that a program brings itself are counted nowhere; the seconds that it computes show them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self

from gamelib.games import ConnectFour
from gamelib.state import GameState, random_playout

WITHOUT_RULES = "without-rules"  # what a process is told that must not read them again
Make = Callable[[Any, Any], Any]  # of a position and an action: the successor


def gated(games: Iterable[Any]) -> Callable[[Make], None]:
    """Return a function that replaces the rules of games, also where a program has kept them."""
    gates = [_gate(game) for game in games]

    def lose(make: Make) -> None:
        for gate in gates:
            gate(make)

    return lose


def _gate(game: Any) -> Callable[[Make], None]:
    rule = game.successor

    def successor(state: GameState, action: Any) -> GameState:
        made: GameState = rule(state, action)
        return made

    def lose(make: Make) -> None:
        nonlocal rule
        rule = make

    successor.__module__ = rule.__module__  # the searches trust the games of gamelib
    game.successor = successor
    if "playout" in vars(game):
        game.playout = random_playout  # the same game, position by position
    return lose


class Counted(ConnectFour):
    """A position of Connect Four of a move that is counted: the marker knows it by its number."""

    __slots__ = ("_number",)
    playout = random_playout  # type: ignore[assignment]
    make: ClassVar[Callable[[int, int], list[int]]]  # (number, column): all stones, and who has won
    made: ClassVar[int]  # successors in this move
    _number: int

    @classmethod
    def begin(cls, text: str, options: dict[str, Any], make: Callable[[int, int], Any]) -> Counted:
        """Return the position of a new move."""
        cls.make, cls.made = staticmethod(make), 0
        root = cls.parse(text, **options)
        root._number = 0
        return root

    def successor(self, action: int) -> Self:
        """Return the position after an action, if the budget allows one more."""
        if action.__class__ is not int:
            return self._after(action)
        taken, winner = Counted.make(self._number, action)
        Counted.made += 1
        child = object.__new__(self.__class__)
        child._rules, child._number = self._rules, Counted.made
        child._mine, child._taken = self._taken ^ self._mine, taken
        child.current_player = 1 - self.current_player
        child.winner = None if winner < 0 else winner
        return child

    successor.__module__ = ConnectFour.__module__  # as above

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConnectFour)
            and self._taken == other._taken
            and self._mine == other._mine
            and self.current_player == other.current_player
            and self._rules is other._rules
        )

    __hash__ = ConnectFour.__hash__


Counted.__name__ = "ConnectFour"  # as it prints
