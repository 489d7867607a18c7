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

from arena.sandbox import inside
from arena.sandbox.counter import MADE, Ask, Asked
from arena.sandbox.reasons import ROOT
from arena.source import source_lines
from course.kit.asking import contents, restore
from course.kit.blame import place_of_error, place_of_frame, raised, shown
from course.kit.visits import TooManyVisitsError
from gamelib.agents import SearchAgent, agent_name
from gamelib.games import GAMES, GameTree
from gamelib.state import GameState, IllegalActionError, from_numpy
from tools.marking.codec import Codec, CodecError

MEGABYTES = 1024  # on top of what Python and the course need
MOST_SECONDS = 900  # of computing, in all
RECORDS = ("Plan", "MatchUp", "GameRecord")  # of an experiment, sent field by field
WITHOUT_RULES = "without-rules"  # what a process is told that must not read them again
# Stand for positions that a search has not visited: of them it may know that they keep the rules.
UNSEEN = {players: GameTree([(0,) * players]).successor(0) for players in range(2, 7)}


class Rules(Asked):
    """The games have their rules here until they are lost; then every new position is asked for.

    One that is made again is counted here, and told with the next question.  A program that wants
    no count of it could have kept it, too.
    """

    def __init__(self, ask: Ask) -> None:
        super().__init__(ask)
        self._rules: list[Callable[..., GameState]] = []
        self._kept: dict[tuple[GameState, int], GameState] = {}
        self._again, self._repeats = 0, 0

    def lose_rules(self) -> None:
        """Ask for every position from now on."""
        self._rules.clear()

    def next_move(self, repeats: int, *, forget: bool) -> None:
        """Count what is made again among the first `repeats` positions of a move here.

        With `forget` the other end has forgotten what was made before.
        """
        self.made, self._again, self._repeats = 0, 0, repeats
        if forget:
            self._numbers, self._kept = {}, {}

    def repeated(self) -> int:
        """Return how many positions were made again since the last question."""
        again, self._again = self._again, 0
        return again

    def child(self, state: GameState, action: Any) -> GameState:
        """Return a successor: that of before, or as the marker has made it."""
        if self.made >= self._repeats or type(action) is not int:
            return super().child(state, action)
        self.made += 1  # at least what the marker counts, who says when there are no more
        if (known := self._kept.get((state, action))) is None:
            known = self._kept[state, action] = super().child(state, action)
        else:
            self._again += 1
        return known

    def _counted(self, successor: Callable[..., GameState]) -> Callable[..., GameState]:
        asked, number = super()._counted(successor), len(self._rules)
        self._rules.append(successor)

        @wraps(asked)
        def ruled(state: GameState, action: Any) -> GameState:
            return (self._rules[number] if self._rules else asked)(state, action)

        del ruled.__wrapped__
        return ruled


class Line(Codec, inside.Line):
    """The line to the marker, and the things of this process that the marker knows by number."""

    def __init__(self, hidden: Iterable[Path]) -> None:
        super().__init__(hidden)
        self.things: list[Any] = []
        self.rules = Rules(self.asked)  # which a program that sees stones has lost
        for game in GAMES.values():
            self.rules.count(game)

    def asked(self, of: Any, action: Any) -> tuple[int, dict[str, Any]]:
        """Return what the marker says of a successor; it is told first of those made again."""
        told = of if type(of) is int else of.to_json()
        number, changed = self.ask(MADE, self.rules.repeated(), told, action)
        return number, changed

    # --- what goes out ---

    def other(self, value: Any) -> Any:
        """Return what is sent for a thing of this process."""
        kind = type(value)
        if isinstance(value, GameState):
            return ["h", self.name(value), kind.__name__]
        if isinstance(value, type):
            game = "game" if issubclass(value, GameState) else "class"
            return ["f", self.name(value), value.__name__, game]
        if callable(value):
            called = agent_name(value) if isinstance(value, SearchAgent) else ""
            called = called or str(getattr(value, "__name__", "<nameless>"))
            return ["f", self.name(value), called[:80], ""]
        if kind.__name__ in RECORDS:
            names = [each.name for each in fields(value)]
            return ["b", kind.__name__, *([n, self.encode(getattr(value, n))] for n in names)]
        if kind.__module__ == "numpy" and hasattr(value, "tolist"):
            return self.encode(value.tolist())
        return ["x", kind.__name__, shown(value)]

    def name(self, thing: Any) -> int:
        """Return the number of a thing of this process."""
        self.things.append(thing)
        return len(self.things) - 1

    # --- what comes in ---

    def make_r(self, number: int) -> Any:
        """Return a thing of this process."""
        return self.things[number]

    def make_m(self, number: int) -> Callable[..., Any]:
        """Return a function of the marker's."""

        def rule(*arguments: Any) -> Any:
            (answer,) = self.ask(b"F", number, [*map(self.encode, arguments)])
            return self.decode(answer)

        return rule

    def make_v(self, number: int, key: int, player: int, players: int) -> Distant:
        """Return a position that tells the marker when it is asked."""
        state = Distant(self, key, player, players)
        state._number = number
        return state


class Distant(GameState):
    """A position that answers as another one does, after it has told the marker that it is asked.

    It knows no stones, and of a tree nothing that lies below.
    """

    __slots__ = (
        *("_action", "_key", "_link", "_number", "_parent", "_view"),
        *("current_player", "num_players"),
    )

    def __init__(self, link: Line, key: int, player: int, players: int) -> None:
        self._link, self._key, self._view = link, key, list[Any]()
        self._number, self._action = 0, None
        self._parent: Self | None = None
        self.current_player, self.num_players = player, players

    def _asked(self) -> list[Any]:
        """Return what the marker says of the position, which is visited from now on.

        These are the payoffs or None, the actions, and who moves after each, and what it equals.
        """
        if not self._view:
            above = self._parent or self
            told = self._link.ask(b"V", above._number, self._link.encode(self._action))
            self._number, payoffs, actions, *below = told
            self._view = [payoffs, [*map(self._link.decode, actions)], *below]
        return self._view

    def legal_actions(self) -> Sequence[Any]:
        """Return the actions."""
        actions: list[Any] = self._asked()[1]
        return actions

    def successor(self, action: Any) -> Self:
        """Return the position after an action; it is visited when it is asked for more."""
        _, actions, players, keys = self._asked()
        action = from_numpy(action)
        if action not in actions or type(action) not in (int, tuple):
            raise IllegalActionError(f"take one of {actions}; got {action!r}")
        number = actions.index(action)
        child = type(self)(self._link, keys[number], players[number], self.num_players)
        child._parent, child._action = self, action
        return child

    # What a search looks at to see whether a game keeps the rules is not visited.
    successor.__wrapped__ = lambda self, action: UNSEEN[self.num_players]  # type: ignore[attr-defined]

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._asked()[0] is not None

    def utilities(self) -> tuple[float, ...]:
        """Return the payoffs."""
        if not self.is_terminal():
            raise ValueError("nobody has a payoff before the end: the game goes on")
        return tuple(self._asked()[0])

    def symmetry_key(self) -> None:
        """Return nothing: which positions are mirror images, the stones would say."""

    def __getattr__(self, name: str) -> Any:
        words = "of a position whose visits are counted only what every game has can be asked"
        raise AttributeError(f"no {name!r}: {words}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Distant) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        return "a position of which searches are counted"

    def __repr__(self) -> str:
        return f"<{self}>"


# --- what the marker asks for ---


class Notebook:
    """The names of a student's notebook, and the answers to requests."""

    def __init__(self, link: Line) -> None:
        self.link = link
        module = ModuleType("__main__")
        sys.modules["__main__"] = module
        self.names = vars(module)
        self.names.update(display=_nothing, get_ipython=lambda: _Shell(self.names))
        self.kept: dict[str, dict[str, Any]] = {}

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
            self.kept[cell] = {name: self.names[name] for name in keep if name in self.names}
        return {}

    def exercise(self, cell: str, names: list[str], boards: bool) -> Any:
        """Return what names stood for at the end of a cell, or stand for in the end.

        With `boards` the games lose their rules here.
        """
        self.link.things.clear()  # of the last exercise
        if boards:
            self.link.rules.lose_rules()
        known = self.names | self.kept.get(cell, {})
        if missing := [name for name in names if name not in known]:
            return {"missing": missing[0]}
        return {"values": self.link.encode([known[name] for name in names])}

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
        function, link = self.link.things[thing], self.link
        random.seed(seed)
        if isinstance(function, SearchAgent):
            function = function.seeded(seed)
        if view:
            module, _, name = view.partition(":")
            function = getattr(import_module(module), name)(function)
        given = [link.decode(each) for each in arguments]
        named = {name: link.decode(each) for name, each in options.items()}
        states = [each for each in given if not isinstance(each, Distant)]
        before = [contents(each) for each in states]
        link.rules.next_move(repeats, forget=forget)
        result = from_numpy(function(*given, **named))
        spoilt, again = restore(states, before), link.rules.repeated()
        return {"answer": link.encode(result), "spoilt": spoilt, "again": again}

    def method(self, thing: int, name: str, arguments: list[Any]) -> Any:
        """Return what a position of a student's game answers."""
        state, given = self.link.things[thing], [self.link.decode(each) for each in arguments]
        if name in ("current_player", "num_players", "max_utility"):
            return {"answer": self.link.encode(from_numpy(getattr(state, name)))}
        plain: dict[str, Callable[..., Any]]
        plain = {"__hash__": hash, "__str__": str, "__repr__": repr, "__eq__": operator.eq}
        answer = plain[name](state, *given) if name in plain else getattr(state, name)(*given)
        return {"answer": self.link.encode(answer)}

    def answer(self, request: dict[str, Any]) -> Any:
        """Return the answer to a request, or what was raised instead."""
        kind = request.pop("do")
        try:
            return getattr(self, kind)(**request)
        except BaseException as error:
            return {"raised": self.told(error)}

    def told(self, error: BaseException) -> dict[str, Any]:
        """Return what is known of an error, for a process in which it cannot be raised."""
        try:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            return {
                "kinds": kinds,
                "words": str(error)[:4000],
                "told": raised(error),
                "place": place_of_error(error),
                "state": self.link.encode(getattr(error, "state", None)),
                "yours": vars(error).get("of_parent"),
            }
        except BaseException:
            return _raised("raised an error.")


def _raised(told: str) -> dict[str, Any]:
    return {"kinds": ["Exception"], "words": "", "told": told, "place": "", "state": None}


class OutOfTime(BaseException):
    """Raised in the student's program when the marker waits no longer."""


def _nothing(*things: Any, **options: Any) -> None:
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


def main(word: str = "") -> NoReturn:
    """Answer the marker until it goes."""
    hidden = [Path(sysconfig.get_path(name), "course") for name in ("purelib", "platlib")]
    if word == WITHOUT_RULES:
        hidden += [*inside.machine_code(), ROOT / "gamelib" / "games"]
    inside.ERRORS["TooManyVisitsError"] = TooManyVisitsError
    link = Line(hidden)
    notebook = Notebook(link)
    inside.limit("RLIMIT_CPU", MOST_SECONDS, MOST_SECONDS)
    inside.limit_memory(MEGABYTES)

    def too_late(number: int, frame: FrameType | None) -> None:
        os.write(2, b"\n" + place_of_frame(frame).encode() + inside.HERE)
        raise OutOfTime

    signal.signal(signal.SIGUSR1, too_late)
    while True:
        answer = notebook.answer(link.receive())
        try:
            link.send(answer)
        except (TypeError, ValueError, RecursionError, CodecError):
            link.send({"raised": _raised("returned something that cannot be sent.")})
