"""The budget of a tournament: how many positions an agent may make for a move.

Counts are the same on a fast machine and on a slow one, so they are fair where seconds are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property, wraps
from threading import Lock
from typing import Any

from gamelib.state import GameState, IllegalActionError, from_numpy, random_playout


class BudgetExceededError(RuntimeError):
    """The agent has made all the positions that it may make for this move."""


class Budget:
    """Counts positions: the calls of `successor` of the course's games."""

    def __init__(self, most: float) -> None:
        self.most, self.made, self._allowed = most, 0, 0.0

    def count(self, game: Any) -> None:
        """Make a class of positions count, `playout` included."""
        game.successor = self._counted(game.successor)
        if "playout" in vars(game):
            game.playout = random_playout  # the same game, position by position

    def _counted(self, successor: Callable[..., GameState]) -> Callable[..., GameState]:
        @wraps(successor)
        def counted(state: GameState, action: Any) -> GameState:
            if self.made >= self._allowed:
                raise self.spent()
            before = self.made
            child = successor(state, action)
            self.made = before + 1  # one, even where numpy's numbers made the game call it again
            return child

        del counted.__wrapped__  # nobody gets at what is not counted by mistake
        return counted

    def spent(self) -> BudgetExceededError:
        """Return the error of an agent that wants one more."""
        return BudgetExceededError(
            f"all {self.most:,} positions allowed for this move have been made"
        )

    def check(self, state: GameState, action: Any) -> None:
        """Raise an IllegalActionError unless `action` is legal; that counts for nothing."""
        with self.no_limit():
            state.successor(action)

    def one_move(self) -> AbstractContextManager[None]:
        """Allow `most` positions inside the `with` block, and none after it."""
        self.made = 0
        return self._allow(self.most)

    def no_limit(self) -> AbstractContextManager[None]:
        """Allow any number of positions inside the `with` block, and none after it."""
        return self._allow(math.inf)

    @contextmanager
    def _allow(self, positions: float) -> Iterator[None]:
        self._allowed = positions
        try:
            yield
        finally:
            self._allowed = 0  # for a thread that goes on after the answer


class Asked(Budget):
    """Counts nothing here: every successor is asked for, and whoever makes it counts."""

    def __init__(self, ask: Callable[[dict[str, Any]], dict[str, Any]], most: float) -> None:
        super().__init__(most)
        self._ask, self._one_at_a_time = ask, Lock()
        self._numbers: dict[GameState, int] = {}

    def one_move(self) -> AbstractContextManager[None]:
        """Forget the numbers of the positions that were made for the move before."""
        self._numbers.clear()
        return super().one_move()

    def check(self, state: GameState, action: Any) -> None:
        """Leave it to the other end."""

    def _counted(self, successor: Callable[..., GameState]) -> Callable[..., GameState]:
        def asked(state: GameState, action: Any) -> GameState:
            of = self._numbers.get(state)
            question = {"of": state.to_json() if of is None else of, "action": from_numpy(action)}
            with self._one_at_a_time:
                made = self._ask(question)
            if "spent" in made:
                raise self.spent()
            if "illegal" in made:
                raise IllegalActionError(made["illegal"])
            child = object.__new__(type(state))
            for name, value in {**held(state), **made["changed"]}.items():
                object.__setattr__(child, name, tuple(value) if type(value) is list else value)
            self._numbers[child] = made["number"]
            return child

        asked.__module__ = successor.__module__  # the searches trust the games of gamelib
        return asked


def held(state: GameState) -> dict[str, Any]:
    """Return the attributes of a position, without those that it computes from the others."""
    parts: Any = object.__getstate__(state)  # a dict, or that and one of slots
    every = {**(parts[0] or {}), **parts[1]} if isinstance(parts, tuple) else parts
    computed = {k for k in every if isinstance(getattr(type(state), k, None), cached_property)}
    return {name: value for name, value in every.items() if name not in computed}
