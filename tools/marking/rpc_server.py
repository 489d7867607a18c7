"""The process in which a student's program runs: it runs cells, and answers what the marker asks.

No answer and no reference program is here.  What a position that writes down visits must tell, and
what is counted, is asked of the marker through the pipe.
"""

from __future__ import annotations

import linecache
import operator
import os
import random
import signal
import sys
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NoReturn, Self

from arena.sandbox import worker_io
from arena.sandbox.forfeits import ROOT
from arena.sandbox.node_budget import SUCCESSOR_REQUEST, RemoteNodeBudget, RequestSuccessor
from arena.source import source_lines
from course.exercises.error_report import describe_error, error_location, frame_location, safe_repr
from course.exercises.run_cases import restore, snapshot
from course.exercises.visit_counter import TooManyVisitsError
from gamelib.agents import SearchAgent, agent_name
from gamelib.games import GAMES, GameTree
from gamelib.state import GameState, IllegalActionError, to_python_action
from tools.marking.codec import Codec, CodecError

MEMORY_MEGABYTES = 1024  # on top of what Python and the course need
MAX_CPU_SECONDS = 900  # of computing, in all
RECORD_TYPE_NAMES = ("Plan", "MatchUp", "GameRecord")  # of an experiment, sent field by field
NO_RULES_MODE = "without-rules"  # what a process is told that must not read them again
# Stand for positions that a search has not visited: of them it may know that they keep the rules.
PLACEHOLDERS = {players: GameTree([(0,) * players]).successor(0) for players in range(2, 7)}


class LocalRules(RemoteNodeBudget):
    """The games have their rules here until they are lost; then every new position is asked for.

    One that is made again is counted here, and told with the next question.  A program that wants
    no count of it could have kept it, too.
    """

    def __init__(self, request: RequestSuccessor) -> None:
        super().__init__(request)
        self._rules: list[Callable[..., GameState]] = []
        self._generated: dict[tuple[GameState, int], GameState] = {}
        self._repeat_count, self._max_repeats = 0, 0

    def drop_rules(self) -> None:
        """Ask for every position from now on."""
        self._rules.clear()

    def start_move(self, repeats: int, *, forget: bool) -> None:
        """Count what is made again among the first `repeats` positions of a move here.

        With `forget` the other end has forgotten what was made before.
        """
        self.generated, self._repeat_count, self._max_repeats = 0, 0, repeats
        if forget:
            self._numbers, self._generated = {}, {}

    def take_repeat_count(self) -> int:
        """Return how many positions were made again since the last question."""
        again, self._repeat_count = self._repeat_count, 0
        return again

    def remote_successor(self, state: GameState, action: Any) -> GameState:
        """Return a successor: that of before, or as the marker has made it."""
        if self.generated >= self._max_repeats or type(action) is not int:
            return super().remote_successor(state, action)
        self.generated += 1  # at least what the marker counts, who says when there are no more
        if (known := self._generated.get((state, action))) is None:
            known = self._generated[state, action] = super().remote_successor(state, action)
        else:
            self._repeat_count += 1
        return known

    def _counting_successor(self, successor: Callable[..., GameState]) -> Callable[..., GameState]:
        asked, number = super()._counting_successor(successor), len(self._rules)
        self._rules.append(successor)

        @wraps(asked)
        def ruled(state: GameState, action: Any) -> GameState:
            return (self._rules[number] if self._rules else asked)(state, action)

        del ruled.__wrapped__
        return ruled


class MarkerConnection(Codec, worker_io.ParentConnection):
    """The line to the marker, and the things of this process that the marker knows by number."""

    def __init__(self, hidden: Iterable[Path]) -> None:
        super().__init__(hidden)
        self.objects: list[Any] = []
        self.rules = LocalRules(
            self.request_remote_successor
        )  # which a program that sees stones has lost
        for game in GAMES.values():
            self.rules.instrument(game)

    def request_remote_successor(self, of: Any, action: Any) -> tuple[int, dict[str, Any]]:
        """Return what the marker says of a successor; it is told first of those made again."""
        told = of if type(of) is int else of.to_json()
        number, changed = self.request(
            SUCCESSOR_REQUEST, self.rules.take_repeat_count(), told, action
        )
        return number, changed

    # --- what goes out ---

    def encode_other(self, value: Any) -> Any:
        """Return what is sent for a thing of this process."""
        kind = type(value)
        if isinstance(value, GameState):
            return ["h", self.register_object(value), kind.__name__]
        if isinstance(value, type):
            game = "game" if issubclass(value, GameState) else "class"
            return ["f", self.register_object(value), value.__name__, game]
        if callable(value):
            called = agent_name(value) if isinstance(value, SearchAgent) else ""
            called = called or str(getattr(value, "__name__", "<nameless>"))
            return ["f", self.register_object(value), called[:80], ""]
        if kind.__name__ in RECORD_TYPE_NAMES:
            names = [each.name for each in fields(value)]
            return ["b", kind.__name__, *([n, self.encode(getattr(value, n))] for n in names)]
        if kind.__module__ == "numpy" and hasattr(value, "tolist"):
            return self.encode(value.tolist())
        return ["x", kind.__name__, safe_repr(value)]

    def register_object(self, thing: Any) -> int:
        """Return the number of a thing of this process."""
        self.objects.append(thing)
        return len(self.objects) - 1

    # --- what comes in ---

    def decode_r(self, number: int) -> Any:
        """Return a thing of this process."""
        return self.objects[number]

    def decode_m(self, number: int) -> Callable[..., Any]:
        """Return a function of the marker's."""

        def rule(*arguments: Any) -> Any:
            (answer,) = self.request(b"F", number, [*map(self.encode, arguments)])
            return self.decode(answer)

        return rule

    def decode_v(self, number: int, key: int, player: int, players: int) -> RemoteState:
        """Return a position that tells the marker when it is asked."""
        state = RemoteState(self, key, player, players)
        state._number = number
        return state


class RemoteState(GameState):
    """A position that answers as another one does, after it has told the marker that it is asked.

    It knows no stones, and of a tree nothing that lies below.
    """

    __slots__ = (
        *("_action", "_key", "_link", "_number", "_parent", "_view"),
        *("current_player", "num_players"),
    )
    num_players: int
    current_player: int

    def __init__(self, link: MarkerConnection, key: int, player: int, players: int) -> None:
        self._link, self._key, self._view = link, key, list[Any]()
        self._number, self._action = 0, None
        self._parent: Self | None = None
        self.current_player, self.num_players = player, players

    def _request_view(self) -> list[Any]:
        """Return what the marker says of the position, which is visited from now on.

        These are the payoffs or None, the actions, and who moves after each, and what it equals.
        """
        if not self._view:
            above = self._parent or self
            told = self._link.request(b"V", above._number, self._link.encode(self._action))
            self._number, payoffs, actions, *below = told
            self._view = [payoffs, [*map(self._link.decode, actions)], *below]
        return self._view

    def legal_actions(self) -> Sequence[Any]:
        """Return the actions."""
        actions: list[Any] = self._request_view()[1]
        return actions

    def successor(self, action: Any) -> Self:
        """Return the position after an action; it is visited when it is asked for more."""
        _, actions, players, keys = self._request_view()
        action = to_python_action(action)
        if action not in actions or type(action) not in (int, tuple):
            raise IllegalActionError(f"take one of {actions}; got {action!r}")
        number = actions.index(action)
        child = type(self)(self._link, keys[number], players[number], self.num_players)
        child._parent, child._action = self, action
        return child

    # What a search looks at to see whether a game keeps the rules is not visited.
    successor.__wrapped__ = lambda self, action: PLACEHOLDERS[self.num_players]  # type: ignore[attr-defined]

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._request_view()[0] is not None

    def utilities(self) -> tuple[float, ...]:
        """Return the payoffs."""
        if not self.is_terminal():
            raise ValueError("nobody has a payoff before the end: the game goes on")
        return tuple(self._request_view()[0])

    def symmetry_key(self) -> None:
        """Return nothing: which positions are mirror images, the stones would say."""

    def __getattr__(self, name: str) -> Any:
        words = "of a position whose visits are counted only what every game has can be asked"
        raise AttributeError(f"no {name!r}: {words}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemoteState) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        return "a position of which searches are counted"

    def __repr__(self) -> str:
        return f"<{self}>"


# --- what the marker asks for ---


class NotebookNamespace:
    """The names of a student's notebook, and the answers to requests."""

    def __init__(self, link: MarkerConnection) -> None:
        self.connection = link
        module = ModuleType("__main__")
        sys.modules["__main__"] = module
        self.names = vars(module)
        self.names.update(display=_ignore, get_ipython=lambda: _Shell(self.names))
        self.names_after_cell: dict[str, dict[str, Any]] = {}

    def begin(self) -> Any:
        """Say that it has started."""
        return {}

    def run(self, cell: str, source: str, keep: list[str]) -> Any:
        """Run a cell; note what its names stand for with which it calls checks."""
        lines = [f"{line}\n" for line in source_lines(source)]
        linecache.cache[f"<{cell}>"] = (len(source), None, lines, f"<{cell}>")
        try:
            exec(compile(source, f"<{cell}>", "exec", dont_inherit=True), self.names)
        finally:
            self.names_after_cell[cell] = {
                name: self.names[name] for name in keep if name in self.names
            }
        return {}

    def exercise(self, cell: str, names: list[str], boards: bool) -> Any:
        """Return what names stood for at the end of a cell, or stand for in the end.

        With `boards` the games lose their rules here.
        """
        self.connection.objects.clear()  # of the last exercise
        if boards:
            self.connection.rules.drop_rules()
        known = self.names | self.names_after_cell.get(cell, {})
        if missing := [name for name in names if name not in known]:
            return {"missing": missing[0]}
        return {"values": self.connection.encode([known[name] for name in names])}

    def call(
        self,
        thing: int,
        view: str,
        arguments: list[Any],
        options: dict[str, Any],
        seed: int,
        repeats: int,
        forget: bool,
    ) -> Any:
        """Return what a function of the student, or a view of it, answers, and what it spoils."""
        function, link = self.connection.objects[thing], self.connection
        random.seed(seed)
        if isinstance(function, SearchAgent):
            function = function.seeded(seed)
        if view:
            module, _, name = view.partition(":")
            function = getattr(import_module(module), name)(function)
        given = [link.decode(each) for each in arguments]
        named = {name: link.decode(each) for name, each in options.items()}
        states = [each for each in given if not isinstance(each, RemoteState)]
        before = [snapshot(each) for each in states]
        link.rules.start_move(repeats, forget=forget)
        result = to_python_action(function(*given, **named))
        spoilt, again = restore(states, before), link.rules.take_repeat_count()
        return {"answer": link.encode(result), "spoilt": spoilt, "again": again}

    def method(self, thing: int, name: str, arguments: list[Any]) -> Any:
        """Return what a position of a student's game answers."""
        state, given = (
            self.connection.objects[thing],
            [self.connection.decode(each) for each in arguments],
        )
        if name in ("current_player", "num_players", "max_utility"):
            return {"answer": self.connection.encode(to_python_action(getattr(state, name)))}
        plain: dict[str, Callable[..., Any]]
        plain = {"__hash__": hash, "__str__": str, "__repr__": repr, "__eq__": operator.eq}
        answer = plain[name](state, *given) if name in plain else getattr(state, name)(*given)
        return {"answer": self.connection.encode(answer)}

    def serve(self, request: dict[str, Any]) -> Any:
        """Return the answer to a request, or what was raised instead."""
        kind = request.pop("do")
        try:
            return getattr(self, kind)(**request)
        except BaseException as error:
            return {"raised": self.describe_error(error)}

    def describe_error(self, error: BaseException) -> dict[str, Any]:
        """Return what is known of an error, for a process in which it cannot be raised."""
        try:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            return {
                "kinds": kinds,
                "words": str(error)[:4000],
                "told": describe_error(error),
                "place": error_location(error),
                "state": self.connection.encode(getattr(error, "state", None)),
                "yours": vars(error).get("of_parent"),
            }
        except BaseException:
            return _error_description("raised an error.")


def _error_description(told: str) -> dict[str, Any]:
    return {"kinds": ["Exception"], "words": "", "told": told, "place": "", "state": None}


class MarkerTimeout(BaseException):
    """Raised in the student's program when the marker waits no longer."""


def _ignore(*things: Any, **options: Any) -> None:
    """Show nothing: nobody looks."""


class _Shell:
    """What a notebook calls `get_ipython()`: runs cells that are timed, and no commands."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def run_cell_magic(self, name: str, words: str, source: str) -> None:
        """Run a cell that is timed or kept silent."""
        if name in ("time", "timeit", "capture"):
            exec(compile(source, f"<{name}>", "exec", dont_inherit=True), self.names)

    run_line_magic = system = getoutput = lambda *words: None


def main(mode: str = "") -> NoReturn:
    """Answer the marker until it goes."""
    hidden = [Path(sysconfig.get_path(name), "course") for name in ("purelib", "platlib")]
    if mode == NO_RULES_MODE:
        hidden += [*worker_io.compiled_paths(), ROOT / "gamelib" / "games"]
    worker_io.ERRORS["TooManyVisitsError"] = TooManyVisitsError
    link = MarkerConnection(hidden)
    notebook = NotebookNamespace(link)
    worker_io.limit("RLIMIT_CPU", MAX_CPU_SECONDS, MAX_CPU_SECONDS)
    worker_io.limit_memory(MEMORY_MEGABYTES)

    def too_late(number: int, frame: FrameType | None) -> None:
        os.write(2, b"\n" + frame_location(frame).encode() + worker_io.READY)
        raise MarkerTimeout

    signal.signal(signal.SIGUSR1, too_late)
    while True:
        answer = notebook.serve(link.receive())
        try:
            link.send(answer)
        except (TypeError, ValueError, RecursionError, CodecError):
            link.send({"raised": _error_description("returned something that cannot be sent.")})
