"""Positions that a program makes, counted: here, or where the program cannot reach it.

Counts are the same on a fast machine and on a slow one, so they are fair where seconds are not.
A process that counts its own positions (`NodeBudget`) is fast, and a program that wants to can get
around it.  One that has no rules of the games (`RemoteNodeBudget`) asks another
(`SuccessorServer`) for each position.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache, wraps
from threading import Lock
from typing import Any

from gamelib.games import from_json
from gamelib.state import GameState, random_playout, to_python_action

SUCCESSOR_REQUEST = b"P"  # how a process begins to ask for a position, in the middle of an answer

RequestSuccessor = Callable[[Any, Any], tuple[int, dict[str, Any]]]


class BudgetExceededError(RuntimeError):
    """The agent has made all the positions that it may make for this move."""


class NodeBudget:
    """Counts positions: the calls of `successor` of the course's games."""

    def __init__(self, max_nodes: float) -> None:
        self.max_nodes, self.generated, self._allowed = max_nodes, 0, 0.0

    def instrument(self, game: Any) -> None:
        """Make a class of positions count, `playout` included."""
        game.successor = self._counting_successor(game.successor)
        if "playout" in vars(game):
            game.playout = random_playout  # the same game, position by position

    def count_node(self) -> None:
        """Count a position; BudgetExceededError where none is left."""
        if self.generated >= self._allowed:
            raise self.exceeded_error()
        self.generated += 1

    def _counting_successor(self, successor: Callable[..., GameState]) -> Callable[..., GameState]:
        @wraps(successor)
        def counted(state: GameState, action: Any) -> GameState:
            if self.generated >= self._allowed:
                raise self.exceeded_error()
            before = self.generated
            child = successor(state, action)
            # one, even where numpy's numbers made the game call it again
            self.generated = before + 1
            return child

        del counted.__wrapped__  # nobody gets at what is not counted by mistake
        return counted

    def exceeded_error(self) -> BudgetExceededError:
        """Return the error of an agent that wants one more."""
        return BudgetExceededError(
            f"all {self.max_nodes:,} positions allowed for this move have been made"
        )

    def one_move(self) -> AbstractContextManager[None]:
        """Allow `max_nodes` positions inside the `with` block, and none after it."""
        self.generated = 0
        return self._allow(self.max_nodes)

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


class RemoteNodeBudget(NodeBudget):
    """Counts nothing here: every successor is asked for, and whoever makes it counts.

    request  of (number or position, action): the child's number, and what differs
    """

    def __init__(self, request: RequestSuccessor, max_nodes: float = math.inf) -> None:
        super().__init__(max_nodes)
        self._request, self._one_at_a_time = request, Lock()
        self._numbers: dict[GameState, int] = {}

    def one_move(self) -> AbstractContextManager[None]:
        """Forget the positions of the move before."""
        self._numbers = {}
        return super().one_move()

    def remote_successor(self, state: GameState, action: Any) -> GameState:
        """Return a successor, as the other end has made it."""
        with self._one_at_a_time:
            number, changed = self._request(
                self._numbers.get(state, state), to_python_action(action)
            )
        child = object.__new__(type(state))
        for name in _names(type(state)):
            value = changed[name] if name in changed else getattr(state, name)
            object.__setattr__(child, name, tuple(value) if type(value) is list else value)
        self._numbers[child] = number
        return child

    def _counting_successor(self, successor: Callable[..., GameState]) -> Callable[..., GameState]:
        def asked(state: GameState, action: Any) -> GameState:
            return self.remote_successor(state, action)

        asked.__module__ = successor.__module__  # the searches trust the games of gamelib
        return asked


class SuccessorServer:
    """The other end of a `RemoteNodeBudget`: makes positions, and numbers those of a move."""

    def __init__(self, max_text_length: int = 300) -> None:
        self.states: list[GameState] = []
        self.max_text_length = max_text_length  # a huge one would fill this process

    def generate_successor(self, parent: Any, action: Any) -> tuple[int, dict[str, Any]]:
        """Return the number of a successor, and what differs in it; what is none raises."""
        if type(parent) is not int and len(str(parent)) > self.max_text_length:
            raise ValueError("this position is too big to be counted")
        state = self.states[parent] if type(parent) is int else from_json(parent)
        child = state.successor(tuple(action) if isinstance(action, list) else action)
        changed = {}
        for name in _names(type(state)):
            if (new := getattr(child, name)) is not getattr(state, name):
                changed[name] = new
        self.states.append(child)
        return len(self.states) - 1, changed


@cache
def _names(game: type) -> tuple[str, ...]:
    """Return the attributes of the positions of a game."""
    return tuple(name for base in game.__mro__ for name in vars(base).get("__slots__", ()))
