"""The budget of a tournament: how many positions an agent may make for a move.

Counts are the same on a fast machine and on a slow one, so they are fair where seconds are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any

from gamelib.state import GameState, random_playout


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
                raise BudgetExceededError(
                    f"all {self.most:,} positions allowed for this move have been made"
                )
            child = successor(state, action)
            self.made += 1
            return child

        return counted

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
