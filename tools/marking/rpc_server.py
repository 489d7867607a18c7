"""The process in which a student's program runs.

It runs the cells of the notebook and serves the requests of the marker.  It contains no answers and
no solutions.  If visits of positions are counted, the marker counts them and sends the facts about
each position.
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
from contextlib import nullcontext
from dataclasses import fields
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, NoReturn, Self

import gamelib
from arena.sandbox import worker_io
from arena.sandbox.containment import open_readable_paths
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
MAX_LIBRARY_NAMES, MAX_NAME_CHARS = 10, 80  # names of the library, and characters of each
MAX_CPU_SECONDS = 900  # of computing, in all
RECORD_TYPE_NAMES = ("Plan", "MatchUp", "GameRecord")  # of an experiment, sent field by field
NO_RULES_MODE = "without-rules"  # the mode of a process that must not import the rules again
# Positions that replace unvisited ones when a search only checks the rules of the interface.
PLACEHOLDERS = {players: GameTree([(0,) * players]).successor(0) for players in range(2, 7)}


class LocalRules(RemoteNodeBudget):
    """The rules of the games, until `drop_rules`; after that the marker generates new positions.

    Positions that are generated again are counted here, and the count is sent with the next
    request.  Falsifying this count gains nothing, because a program may also keep the positions.
    """

    def __init__(self, request: RequestSuccessor) -> None:
        super().__init__(request)
        self._rules: list[Callable[..., GameState]] = []
        self._generated: dict[tuple[GameState, int], GameState] = {}
        self._repeat_count, self._max_repeats = 0, 0

    def drop_rules(self) -> None:
        """Request every new position from the marker from now on."""
        self._rules.clear()

    def start_move(self, repeats: int, *, forget: bool) -> None:
        """Start a move, of which repeated positions are counted here, up to `repeats` of them.

        With `forget`, the marker has forgotten all positions that were generated before.
        """
        self.generated, self._repeat_count, self._max_repeats = 0, 0, repeats
        if forget:
            self._numbers, self._generated = {}, {}

    def take_repeat_count(self) -> int:
        """Return the number of positions that were generated again since the last request."""
        again, self._repeat_count = self._repeat_count, 0
        return again

    def remote_successor(self, state: GameState, action: Any) -> GameState:
        """Return a successor: the stored one, or a new one from the marker."""
        if self.generated >= self._max_repeats or type(action) is not int:
            return super().remote_successor(state, action)
        self.generated += 1  # at least the marker's count, which decides when the budget is spent
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
    """The connection to the marker, and the objects that the marker knows by their numbers."""

    def __init__(self, hidden: Iterable[Path]) -> None:
        super().__init__(hidden)
        self.objects: list[Any] = []
        self.rules = LocalRules(
            self.request_remote_successor
        )  # which a program that sees stones has lost
        for game in GAMES.values():
            self.rules.instrument(game)

    def request_remote_successor(self, of: Any, action: Any) -> tuple[int, dict[str, Any]]:
        """Request a successor from the marker, and report the repeated positions."""
        told = of if type(of) is int else of.to_json()
        number, changed = self.request(
            SUCCESSOR_REQUEST, self.rules.take_repeat_count(), told, action
        )
        return number, changed

    # --- what goes out ---

    def encode_other(self, value: Any) -> Any:
        """Return the plain data for an object of this process."""
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
        """Store an object of this process, and return its number."""
        self.objects.append(thing)
        return len(self.objects) - 1

    # --- what comes in ---

    def decode_r(self, number: int) -> Any:
        """Return an object of this process."""
        return self.objects[number]

    def decode_m(self, number: int) -> Callable[..., Any]:
        """Return a function that calls a function of the marker."""

        def rule(*arguments: Any) -> Any:
            (answer,) = self.request(b"F", number, [*map(self.encode, arguments)])
            return self.decode(answer)

        return rule

    def decode_v(self, number: int, key: int, player: int, players: int) -> RemoteState:
        """Return a position whose visits the marker counts."""
        state = RemoteState(self, key, player, players)
        state._number = number
        return state


class RemoteState(GameState):
    """A proxy of a position in the marker, which counts the visit when a method is called.

    The proxy does not show the board, or the nodes below it in a tree.
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
        """Visit the position, and return the facts about it.

        These are its payoffs or None, its actions, and for each action the player to move after it
        and the key of the successor; equal positions have the same key.
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
        """Return the position after an action; it is not visited yet."""
        _, actions, players, keys = self._request_view()
        action = to_python_action(action)
        if action not in actions or type(action) not in (int, tuple):
            raise IllegalActionError(f"take one of {actions}; got {action!r}")
        number = actions.index(action)
        child = type(self)(self._link, keys[number], players[number], self.num_players)
        child._parent, child._action = self, action
        return child

    # Searches check the rules of the interface by this function, which visits no position.
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
        """Return None, because a symmetry key would show the board."""

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


# --- what runs of the library ---


class LibraryWatch:
    """Notes which code of the library a program enters, whatever name it has used for it.

    A program that takes this off again is noted, too.  Rules of games are no such code.
    """

    FOLDERS = tuple(f"{ROOT / name}{os.sep}" for name in ("gamelib", "gamefast", "arena"))
    GAMES = str(ROOT / "gamelib" / "games")  # of these only functions, such as a theorem
    NONE_OF_IT = tuple(
        str(ROOT / name)
        for name in (
            "gamelib/state",
            "gamelib/board_layout",
            "gamelib/conformance",
            "arena/sandbox",
        )
    )

    def __init__(self) -> None:
        self.names: dict[str, None] = {}

    def __enter__(self) -> Self:
        sys.setprofile(self._note)
        return self

    def __exit__(self, *error: object) -> None:
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "c_call" and argument in (sys.setprofile, sys.settrace):
            if frame.f_code is not LibraryWatch.__exit__.__code__:
                self._add(f"sys.{argument.__name__}")
        elif event == "call" and self._is_library(frame) and not _is_inner(frame):
            name, caller = frame.f_code.co_qualname.partition(".")[0], frame.f_back
            while caller and self._is_library(caller) and _is_inner(caller):
                caller = caller.f_back  # a decorator's function, which calls helpers, too
                name = name if name in dir(gamelib) else ""
            if name and not (caller and caller.f_code.co_filename.startswith(self.FOLDERS)):
                self._add(name)

    def _is_library(self, frame: FrameType) -> bool:
        file = frame.f_code.co_filename
        if not file.startswith(self.FOLDERS) or file.startswith(self.NONE_OF_IT):
            return False
        return not (file.startswith(self.GAMES) and "." in frame.f_code.co_qualname)

    def _add(self, name: str) -> None:
        if len(self.names) < MAX_LIBRARY_NAMES:
            self.names[name[:MAX_NAME_CHARS]] = None


def _is_inner(frame: FrameType) -> bool:
    """Return whether a frame is of a function inside a function."""
    return "<locals>" in frame.f_code.co_qualname


# --- what the marker asks for ---


class NotebookNamespace:
    """The namespace of a student's notebook, and the handlers of the marker's requests."""

    def __init__(self, link: MarkerConnection) -> None:
        self.connection = link
        module = ModuleType("__main__")
        sys.modules["__main__"] = module
        self.names = vars(module)
        self.names.update(display=_ignore, get_ipython=lambda: _Shell(self.names))
        self.names_after_cell: dict[str, dict[str, Any]] = {}

    def begin(self) -> Any:
        """Return an empty reply, which tells the marker that the process has started."""
        return {}

    def run(self, cell: str, source: str, keep: list[str]) -> Any:
        """Run a cell, and store the values of the names in `keep`, the arguments of checks."""
        lines = [f"{line}\n" for line in source_lines(source)]
        linecache.cache[f"<{cell}>"] = (len(source), None, lines, f"<{cell}>")
        try:
            exec(_compiled(source, f"<{cell}>"), self.names)
        finally:
            self.names_after_cell[cell] = {
                name: self.names[name] for name in keep if name in self.names
            }
        return {}

    def exercise(self, cell: str, names: list[str], boards: bool) -> Any:
        """Return the values of names after a cell, or else after the whole notebook.

        With `boards`, this process loses the rules of the games.
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
        watch: bool,
    ) -> Any:
        """Return what a function of the student, or a view of it, answers, and what it spoils.

        With `watch` the answer says which code of the library has run.
        """
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
        seen = LibraryWatch()
        with seen if watch else nullcontext():
            result = function(*given, **named)
        result = to_python_action(result)
        spoilt, again = restore(states, before), link.rules.take_repeat_count()
        answer = {"answer": link.encode(result), "spoilt": spoilt, "again": again}
        return answer | {"library": [*seen.names]}

    def method(self, thing: int, name: str, arguments: list[Any]) -> Any:
        """Return an attribute or the result of a method of a position of a student's game."""
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
        """Return the reply to a request, or the description of the error that it raised."""
        kind = request.pop("do")
        try:
            return getattr(self, kind)(**request)
        except BaseException as error:
            return {"raised": self.describe_error(error)}

    def describe_error(self, error: BaseException) -> dict[str, Any]:
        """Return the description of an error, for the other process."""
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


def _compiled(source: str, name: str) -> CodeType:
    """Return a cell as code; a SyntaxError if Python cannot read it, however that ends."""
    try:
        return compile(source, name, "exec", dont_inherit=True)
    except (RecursionError, MemoryError):
        raise SyntaxError("its code is nested too deeply, or too long") from None


def _error_description(told: str) -> dict[str, Any]:
    return {"kinds": ["Exception"], "words": "", "told": told, "place": "", "state": None}


class MarkerTimeout(BaseException):
    """The marker has stopped waiting; raised in the student's program."""


def _ignore(*things: Any, **options: Any) -> None:
    """Do nothing, because nobody sees the output."""


class _Shell:
    """A replacement for IPython's shell, which runs timed cells and ignores commands."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def run_cell_magic(self, name: str, words: str, source: str) -> None:
        """Run a cell whose first line is %%time, %%timeit or %%capture."""
        if name in ("time", "timeit", "capture"):
            exec(compile(source, f"<{name}>", "exec", dont_inherit=True), self.names)

    run_line_magic = system = getoutput = lambda *words: None


def prepare_forks() -> None:
    """Do what takes long once, in the process from which those of a class are forked."""
    open_readable_paths(tuple(_hidden_paths("")))
    # The views of some lessons need these, and a restricted process cannot store compiled modules.
    # They have no rules of games, which `LocalRules` must replace before others can keep them.
    for module in ("course.tracing", "course.draw.tree"):
        import_module(module)


def _hidden_paths(mode: str) -> Iterable[Path]:
    """Return the paths that a program cannot read: another copy of the course, or all rules."""
    paths = [Path(sysconfig.get_path(name), "course") for name in ("purelib", "platlib")]
    if mode == NO_RULES_MODE:
        paths += [*worker_io.compiled_paths(), ROOT / "gamelib" / "games"]
    return filter(Path.exists, paths)


def main(mode: str = "") -> NoReturn:
    """Serve the requests of the marker until it closes the connection."""
    worker_io.ERRORS["TooManyVisitsError"] = TooManyVisitsError
    link = MarkerConnection(_hidden_paths(mode))
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
