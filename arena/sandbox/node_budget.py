"""The count of nodes that a program generates, in its own process or outside it.

A count is the same on a fast machine and on a slow one, so it is fairer than seconds.  A process
that counts its own nodes (`NodeBudget`) is fast, but a program can get around it on purpose.  A
process without the rules of the games (`RemoteNodeBudget`) requests each node from another process
(`SuccessorServer`), which counts it.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache, wraps
from threading import Lock
from typing import Any

from gamelib.games import from_json
from gamelib.state import GameState, random_playout, to_python_action

SUCCESSOR_REQUEST = b"P"  # the first letter of a request for a successor, during an answer

RequestSuccessor = Callable[[Any, Any], tuple[int, dict[str, Any]]]


class BudgetExceededError(RuntimeError):
    """The error of an agent that has generated all positions allowed for this move."""


class NodeBudget:
    """A counter of nodes, which are the calls of `successor` in the games of gamelib."""

    def __init__(self, max_nodes: float) -> None:
        self.max_nodes, self.generated, self._allowed = max_nodes, 0, 0.0

    def instrument(self, game: Any) -> None:
        """Replace the methods of a game by methods that count, `playout` included."""
        game.successor = self._counting_successor(game.successor)
        if "playout" in vars(game):
            game.playout = random_playout  # the same playout, but it calls `successor`

    def count_node(self) -> None:
        """Count a node; BudgetExceededError if none is left."""
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
            # The count is 1 even if the game called itself again, for a number of numpy.
            self.generated = before + 1
            return child

        del counted.__wrapped__  # so that nobody calls the uncounted method by mistake
        return counted

    def exceeded_error(self) -> BudgetExceededError:
        """Return the error of an agent that has used up its budget."""
        return BudgetExceededError(
            f"all {self.max_nodes:,} positions allowed for this move have been generated"
        )

    def one_move(self) -> AbstractContextManager[None]:
        """Allow `max_nodes` nodes inside the `with` block, and none after it."""
        self.generated = 0
        return self._allow(self.max_nodes)

    def no_limit(self) -> AbstractContextManager[None]:
        """Allow any number of nodes inside the `with` block, and none after it."""
        return self._allow(math.inf)

    @contextmanager
    def _allow(self, num_nodes: float) -> Iterator[None]:
        self._allowed = num_nodes
        try:
            yield
        finally:
            self._allowed = 0  # for a thread that continues after the answer


class RemoteNodeBudget(NodeBudget):
    """A counter for audits: every successor is requested from the parent, which counts it.

    request  a function of (number or position, action) that returns the number of the successor
             and its changed attributes
    """

    def __init__(self, request: RequestSuccessor, max_nodes: float = math.inf) -> None:
        super().__init__(max_nodes)
        self._request, self._one_at_a_time = request, Lock()
        self._numbers: dict[GameState, int] = {}

    def one_move(self) -> AbstractContextManager[None]:
        """Remove the positions of the last move, and allow `max_nodes` nodes."""
        self._numbers = {}
        return super().one_move()

    def remote_successor(self, state: GameState, action: Any) -> GameState:
        """Return a successor, from the data of the parent."""
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
        def remote(state: GameState, action: Any) -> GameState:
            return self.remote_successor(state, action)

        remote.__module__ = successor.__module__  # the searches trust the games of gamelib
        return remote


class SuccessorServer:
    """The parent's side of a `RemoteNodeBudget`, which generates the nodes of a move."""

    def __init__(self, max_text_length: int = 300) -> None:
        self.states: list[GameState] = []
        self.max_text_length = max_text_length  # a huge position would fill this process

    def generate_successor(self, parent: Any, action: Any) -> tuple[int, dict[str, Any]]:
        """Return the number of a successor and its changed attributes; an error if illegal."""
        if type(parent) is not int and len(str(parent)) > self.max_text_length:
            limit = f"{self.max_text_length} characters"
            raise ValueError(f"the text of a position must not have more than {limit}")
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
    """Return the names of the attributes of positions of a game."""
    return tuple(name for base in game.__mro__ for name in vars(base).get("__slots__", ()))
