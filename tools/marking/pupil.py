"""The process in which a student's program runs: it runs cells, and answers what the marker asks.

No check, no answer and no reference program is here.  What a position that writes down visits must
tell, and what is counted, is asked of the marker through the pipe.
"""

from __future__ import annotations

import linecache
import operator
import os
import random
import signal
import sys
import sysconfig
from collections.abc import Callable, Hashable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NoReturn, Self

from arena.sandbox import inside
from arena.sandbox.counter import Asked
from arena.sandbox.reasons import ROOT
from course.kit.asking import contents, restore
from course.kit.blame import place_of_error, place_of_frame, raised, shown
from course.kit.visits import TooManyVisitsError
from gamelib.agents import SearchAgent, agent_name
from gamelib.games import GAMES, GameTree
from gamelib.state import GameState, IllegalActionError, from_numpy
from tools.marking.codec import Codec, CodecError

MEGABYTES = 1024  # on top of what Python and the course need
MOST_SECONDS = 900  # of computing, in all
# What only some lessons have is loaded where it is needed: a process starts for each student.
NODES = ("PathNode", "TreeNode")
NODES_HOME, PLAN_HOME = "course.lessons.mcts.check", "course.lessons.experiments.check"
GAMES_HOME = "course.lessons.framework.specimens"
WITHOUT_RULES = "without-rules"  # what a process is told that must not read them again
# Stand for positions that a search has not visited: of them it may know that they keep the rules.
UNSEEN = {players: GameTree([(0,) * players]).successor(0) for players in range(2, 7)}
_MISSING = object()


class Line(Codec, inside.Line):
    """The things that this process knows under numbers, and those of the marker's."""

    def __init__(self, hidden: Iterable[Path]) -> None:
        super().__init__(hidden)
        self.rules = Asked(self.made, rules=True)  # which a program that sees stones has lost
        for game in GAMES.values():
            self.rules.count(game)
        self.begin()

    def begin(self) -> None:
        """Forget the things of the last exercise."""
        self.things: dict[int, Any] = {}  # numbers of the marker's are even, those from here odd
        self.numbers: dict[int, int] = {}
        self.sent: dict[int, Any] = {}  # what a list, dict or node was when the marker knew it
        self.keys: dict[Any, int] = {}
        self.states: dict[int, Any] = {}
        self.next = 1
        self.rules.one_move()

    # --- what goes out ---

    def name(self, thing: Any) -> int:
        """Return the number of a thing of this process."""
        if id(thing) not in self.numbers:
            self.numbers[id(thing)], self.things[self.next] = self.next, thing
            self.next += 2
        return self.numbers[id(thing)]

    def special(self, value: Any) -> Any:
        """Return what is sent for nodes, games of a student, plans and results."""
        if isinstance(value, dict | list) and self.numbers.get(id(value)) in self.sent:
            return ["r", self.numbers[id(value)]]
        if _is_node(value):
            return self.node(value)
        if _is_one(value, PLAN_HOME, "Plan"):
            plan = [getattr(value, name) for name in ("better", "than", "game", "games", "seed")]
            return ["p", *map(self.encode, plan)]
        if _is_one(value, "arena.results.match_up", "MatchUp"):
            return self.match_up(value)
        if isinstance(value, type) or (callable(value) and not isinstance(value, GameState)):
            kind = (
                "game"
                if isinstance(value, type) and issubclass(value, GameState)
                else "class"
                if isinstance(value, type)
                else ""
            )
            return ["f", self.name(value), _called(value), kind]
        return None

    def node(self, node: Any) -> Any:
        """Return a node with all that hangs on it, or its number if the marker knows it."""
        if (number := self.numbers.get(id(node))) in self.sent:
            return ["r", number]
        number = self.name(node)
        self.sent[number] = dict(vars(node))
        return ["n", number, type(node).__name__, self.fields(vars(node))]

    def fields(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return what a node holds as plain data."""
        return {name: self.encode(value) for name, value in values.items()}

    def match_up(self, results: Any) -> Any:
        """Return the results of an experiment as plain data."""
        names = ("agents", "state", "games", "seed")
        records = [
            [record.game, list(record.seats), record.seed, list(record.actions), record.utilities]
            for record in results.records
        ]
        return ["m", *(self.encode(getattr(results, name)) for name in names), self.encode(records)]

    def other(self, value: Any) -> Any:
        """Return a position of a student's game by number; of anything else what it looks like."""
        if isinstance(value, GameState):
            return ["h", self.name(value), type(value).__name__]
        if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
            return self.encode(value.tolist())
        return ["x", type(value).__name__, shown(value)]

    def key(self, key: Any) -> Any:
        """Return a number for a position, so that a table need not be sent with all it holds."""
        if not isinstance(key, GameState):
            return self.encode(key)
        if key not in self.keys:
            self.keys[key] = self.name(key)
        return ["k", self.keys[key]]

    def changed(self) -> list[Any]:
        """Return what has changed in the things that the marker has sent, or knows."""
        found = []
        for number, before in list(self.sent.items()):
            thing = self.things[number]
            if isinstance(thing, dict):
                new = [
                    item for item in thing.items() if before.get(item[0], _MISSING) is not item[1]
                ]
                gone = [key for key in before if key not in thing]
                if new or gone:
                    self.sent[number] = dict(thing)
                    found.append([number, [self.key(key) for key in gone], self.pairs(new)])
            elif _is_node(thing):
                if _differs([*(now := vars(thing)).items()], [*before.items()]):
                    self.sent[number] = dict(now)
                    found.append([number, self.fields(now)])
            elif _differs(thing, before):
                self.sent[number] = list(thing)
                found.append([number, [self.encode(item) for item in thing]])
        return found

    # --- what comes in ---

    def known(self, number: int, value: Any) -> Any:
        """Keep a list or dict of the marker's under its number: what changes is told."""
        if number:
            self.things[number], self.numbers[id(value)] = value, number
            self.sent[number] = dict(value) if isinstance(value, dict) else list(value)
        return value

    def make_n(self, number: int, kind: str, fields: dict[str, Any]) -> Any:
        """Return a node."""
        values = {name: self.decode(value) for name, value in fields.items()}
        known = getattr(import_module(NODES_HOME), kind)
        node = known.__new__(known)
        vars(node).update(values)
        self.things[number], self.numbers[id(node)] = node, number
        self.sent[number] = values
        return node

    def make_r(self, number: int) -> Any:
        """Return a thing that was sent before."""
        return self.things[number]

    make_h = make_k = make_r

    def make_i(self, number: int, data: Any = None) -> Any:
        """Return a position, and keep it under its number."""
        if data is not None:
            self.states[number] = self.make_g(data)
        return self.states[number]

    def make_f(self, number: int) -> Callable[..., Any]:
        """Return a function of the marker's."""

        def rule(*arguments: Any) -> Any:
            (answer,) = self.ask(b"F", number, [*map(self.encode, arguments)])
            return self.decode(answer)

        return rule

    def make_v(self, number: int, facts: dict[str, Any]) -> Distant:
        """Return a position that tells the marker when it is asked."""
        state = Distant(self, facts["key"], facts["player"], facts["players"])
        state._number, state._real = number, self.decode(facts["real"])
        state._shown = state._real is not None
        return state

    def make_c(self, data: Any) -> GameState:
        """Return a position whose successors the marker makes, and counts; it knows it as 0."""
        state = self.make_g(data)
        self.rules.one_move(state)
        return state

    def make_o(self, name: str, fields: dict[str, Any]) -> Any:
        """Return a position of one of the games that a lesson shows, which tells no name."""
        known = {field: self.decode(value) for field, value in fields.items()}
        home = import_module(GAMES_HOME)
        return home.nameless(getattr(home, name))(**known)


def _is_one(thing: Any, home: str, name: str) -> bool:
    """Return whether a thing is of a class that its module, if it is loaded, has."""
    return home in sys.modules and type(thing) is getattr(sys.modules[home], name)


def _is_node(thing: Any) -> bool:
    return any(_is_one(thing, NODES_HOME, name) for name in NODES)


def _called(thing: Any) -> str:
    """Return what to call a student's function, as the checks do."""
    if isinstance(thing, SearchAgent):
        return agent_name(thing)
    return str(getattr(thing, "__name__", "<nameless>"))[:80]


def _differs(now: list[Any], before: list[Any]) -> bool:
    """Return whether a list holds something else than it did."""
    if len(now) != len(before):
        return True
    return any(a is not b and a != b for a, b in zip(now, before, strict=True))


# --- positions that the marker looks after ---


class Distant(GameState):
    """A position that answers as another one does, after it has told the marker that it is asked.

    It knows no stones, and of a tree nothing that lies below; unless the exercise is to look at
    the stones: then this process has no rules to search them by.
    """

    __slots__ = (
        *("_action", "_key", "_link", "_number", "_parent", "_real", "_shown", "_view"),
        *("current_player", "num_players"),
    )

    def __init__(self, link: Line, key: int, player: int, players: int) -> None:
        self._link, self._key = link, key
        self._real, self._shown, self._view = None, False, list[Any]()
        self._number, self._action = 0, None
        self._parent: Self | None = None
        self.current_player, self.num_players = player, players

    def _asked(self) -> list[Any]:
        """Return what the marker says of the position, which is visited from now on."""
        if not self._view:
            above, action = self._parent, self._action
            number = self._number if above is None else above._number
            told = self._link.ask(
                b"V", number, None if above is None else self._link.encode(action)
            )
            self._number, self._view = told[0], told[1:6]
            self._view[2] = [*map(self._link.decode, self._view[2])]
            self._real = self._link.decode(told[6])
        return self._view

    def legal_actions(self) -> Sequence[Any]:
        """Return the actions."""
        actions: list[Any] = self._asked()[2]
        return actions if self._real is None else self._real.legal_actions()

    def successor(self, action: Any) -> Self:
        """Return the position after an action; it is visited when it is asked for more."""
        _, _, actions, players, keys = self._asked()
        action = from_numpy(action)
        if action not in actions or type(action) not in (int, tuple):
            raise IllegalActionError(f"take one of {actions}; got {action!r}")
        number = actions.index(action)
        child = type(self)(self._link, keys[number], players[number], self.num_players)
        child._parent, child._action, child._shown = self, action, self._shown
        return child

    # What a search looks at to see whether a game keeps the rules is not visited.
    successor.__wrapped__ = lambda self, action: UNSEEN[self.num_players]  # type: ignore[attr-defined]

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return bool(self._asked()[0])

    def utilities(self) -> tuple[float, ...]:
        """Return the payoffs."""
        over, payoffs, *_ = self._asked()
        if not over:
            raise ValueError("nobody has a payoff before the end: the game goes on")
        return tuple(payoffs)

    def _board(self) -> Any:
        """Return the position with its stones, where the exercise is to look at them, or None."""
        if self._real is None and self._shown:
            self._asked()
        return self._real

    def symmetry_key(self) -> Hashable | None:
        """Return what the position shares with its mirror images."""
        board = self._board()
        return None if board is None else board.symmetry_key()

    def player_name(self, player: int) -> str:
        """Return what a player is called."""
        board = self._board()
        return f"player {player}" if board is None else board.player_name(player)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or (board := self._board()) is None:
            words = "of a position whose visits are counted only what every game has can be asked"
            raise AttributeError(f"no {name!r}: {words}")
        return getattr(board, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Distant) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        board = self._board()
        return "a position of which searches are counted" if board is None else str(board)

    def __repr__(self) -> str:
        board = self._board()
        return f"<{self}>" if board is None else repr(board)


# --- what the marker asks for ---


class Notebook:
    """The names of a student's notebook, and the answers to requests."""

    def __init__(self, link: Line) -> None:
        self.link = link
        module = ModuleType("__main__")
        sys.modules["__main__"] = module
        self.names = vars(module)
        self.names.update(display=_nothing, get_ipython=lambda: _Shell(self.names))
        self.kept: dict[tuple[str, str], Any] = {}

    def run(self, cell: str, source: str, keep: list[str]) -> Any:
        """Run a cell; note what its names stand for with which it calls checks."""
        told = None
        lines = source.splitlines(keepends=True)
        linecache.cache[f"<{cell}>"] = (len(source), None, lines, f"<{cell}>")
        try:
            code = compile(source, f"<{cell}>", "exec", dont_inherit=True)
            exec(code, self.names)
        except BaseException as error:
            told = _told(error)
        for name in keep:
            if name in self.names:
                self.kept[cell, name] = self.names[name]
        return {"error": told}

    def value(self, cell: str, name: str) -> Any:
        """Return what a name stood for at the end of a cell, or stands for in the end."""
        thing = self.kept.get((cell, name), self.names.get(name, _MISSING))
        return {"there": False} if thing is _MISSING else {"value": self.link.encode(thing)}

    def begin(self, boards: bool) -> Any:
        """Forget what was sent for the last exercise; with `boards`, lose the rules of games."""
        self.link.begin()
        if boards:
            self.link.rules.lose_rules()
        return {}

    def call(self, thing: int, arguments: list[Any], options: dict[str, Any], seed: int) -> Any:
        """Return what a function of the student answers, and what it has changed."""
        function, link = self.link.things[thing], self.link
        random.seed(seed)
        if isinstance(function, SearchAgent):
            function = function.seeded(seed)
        given = [link.decode(each) for each in arguments]
        named = {name: link.decode(each) for name, each in options.items()}
        states = [each for each in given if not isinstance(each, dict | list | Distant)]
        before = [contents(each) for each in states]
        result = from_numpy(function(*given, **named))
        changed = link.changed()  # first: the answer may name what is new there
        spoilt = restore(states, before)
        return {"answer": link.encode(result), "changed": changed, "spoilt": spoilt}

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
            return {"raised": _told(error)}


def _told(error: BaseException) -> dict[str, Any]:
    """Return what is known of an error in words, for a process in which it cannot be raised."""
    try:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        words = {"words": str(error)[:4000], "told": raised(error), "place": place_of_error(error)}
    except BaseException:
        kinds, words = ["Exception"], {"words": "", "told": "raised an error.", "place": ""}
    return {"kinds": kinds, **words, "yours": vars(error).get("of_parent")}


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

    run_line_magic = system = getoutput = getoutput = lambda *words: None


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
    link.send({})  # ready
    while True:
        answer = notebook.answer(link.receive())
        try:
            link.send(answer)
        except (TypeError, ValueError, RecursionError, CodecError):
            told = "returned something that cannot be sent."
            link.send({"raised": {"kinds": ["Exception"], "words": "", "told": told, "place": ""}})
