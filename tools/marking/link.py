"""The marker's end of the pipe to a student's process, and stand-ins for what lives there.

A check gets them in the place of the student's functions and classes and does not know it.  All
that comes from the process is an answer to a question; nothing of it is run here.
"""

from __future__ import annotations

import builtins
import json
import random
from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from arena.results.games import GameRecord
from arena.results.match_up import MatchUp
from arena.sandbox.child import LONGEST, Child, EndedError, LateError
from arena.sandbox.counter import MADE, Maker
from arena.sandbox.inside import HERE, line
from course.kit import guarded
from course.kit.feedback import WrongAnswerError
from course.kit.visits import VisitedState
from course.lessons.capstone.on_budget import CountedFour, count_one
from course.lessons.experiments.check import Plan
from course.lessons.framework import specimens
from course.lessons.mcts.check import PathNode, TreeNode
from gamelib.games import GAMES, ConnectFour
from gamelib.state import BrokenRuleError, GameState, IllegalActionError
from tools.marking.codec import Codec, CodecError, class_called

START = 60.0  # seconds of computing for Python to start
IDLE = 20.0  # seconds in which a process may do nothing at all while it is waited for
NODES = {"PathNode": PathNode, "TreeNode": TreeNode}
ERRORS = {each.__name__: each for each in (BrokenRuleError, IllegalActionError)}
SPOILT = "your function changes what it is given: {}"
NO_ANSWER = "its process sent something that is no answer."


class PupilError(WrongAnswerError):
    """A student's process has ended, or was ended."""


class Key:
    """A position that lives in a student's process and is the key of a dict here."""

    def __init__(self, number: int) -> None:
        self.number = number


class Pupil(Child):
    """A process of a student's own; `tree` holds the packages that it may see.

    word  what it is told at its start
    """

    def __init__(self, tree: Path, word: str = "") -> None:
        # The limits that count are those here, not those of the check that runs.
        super().__init__("tools.marking.pupil", word, tree, guarded.more_time)
        self.asked = False
        self.compute(START)
        self.answer(b"", lambda text: None)  # it has started

    def compute(self, seconds: float) -> None:
        """Let the process compute so long from now on."""
        self.seconds = seconds
        self.allow(computing=seconds, idle=IDLE)

    def answer(self, request: bytes, told: Callable[[bytes], bytes | None]) -> bytes:
        """Return the answer to a request; PupilError if there is none.

        told  what is answered to a question that comes meanwhile; None if it is no question
        """
        self.asked = True  # until the answer is there
        try:
            self.send(request)
            while (answer := told(text := self.receive())) is not None:
                self.send(answer)
        except LateError:
            self._stop()
        except EndedError as error:
            why = f"the program's process {error}, before it answered. {_question()[0]}"
            raise PupilError(why.strip()) from None
        if len(text) > LONGEST:
            self.fail("its answer is too long to read.")
        self.asked = False
        return text

    def fail(self, why: str) -> NoReturn:
        """End the process, and raise a PupilError."""
        self.end()
        raise PupilError(why)

    def _stop(self) -> NoReturn:
        """End a process that has computed, or slept, too long; say in which line it was."""
        text = self.where(HERE)
        place = text.removesuffix(HERE.decode()).rpartition("\n")[2] if "\0" in text else ""
        self.end()
        message = f"no end after {self.seconds:g} seconds, so the check was stopped"
        question, state = _question()
        raise PupilError(f"{message}{f', in {place[:300]}' if place else ''}. {question}", state)


def _question() -> tuple[str, GameState | None]:
    """Return what the check that runs asks now, in words, and the position."""
    words, case = guarded.asked()
    return words, case.state if case else None


class Link(Codec):
    """Calls of a student's functions, from where the checks run."""

    def __init__(self, pupil: Pupil) -> None:
        self.pupil = pupil
        self.begin()

    def begin(self, *, boards: bool = False) -> None:
        """Forget the things of the last exercise.

        Of a position that writes down visits a program sees what a search must know, and no more:
        one that copied the board could search the copy, and nobody would count.  With `boards` it
        sees the stones, too, and its process loses the rules.
        """
        self.boards = boards
        self.made = 0  # positions of moves
        self.maker, self.count_one = Maker(), _nothing_counts
        self.things: dict[int, Any] = {}  # numbers from here are even, those of the process odd
        self.numbers: dict[int, int] = {}
        self.keys: dict[GameState, int] = {}  # equal positions have the same
        self.states: dict[tuple[type, GameState], int] = {}
        self.errors: list[BaseException] = []
        self.in_message: set[int] = set()
        self.sent: dict[int, Any] = {}  # dicts as they were when the process knew them

    # --- questions ---

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        """Return the answer to a request; what the process asks meanwhile is answered."""
        self.in_message.clear()
        text = self.pupil.answer(line({"do": do, **request}), self._told)
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            self.pupil.fail(NO_ANSWER)
        return message

    def _told(self, text: bytes) -> bytes | None:
        """Return the answer to a question in the middle of a call; None if the text is none."""
        tell = _QUESTIONS.get(text[:1])
        if tell is None:
            return None
        try:
            return line(tell(self, text[1:]))
        except BaseException as error:
            self.errors.append(error)
            kind, words = type(error).__name__, str(error)
            return line({"throw": len(self.errors) - 1, "kind": kind, "words": words})

    def value(self, cell: str, name: str) -> Any:
        """Return what a name stands for in a cell; KeyError if it stands for nothing."""
        answer = self.ask("value", cell=cell, name=name)
        if answer.get("there") is False:
            raise KeyError(name)
        return self._answer(answer, "value")

    def call(self, number: int, arguments: Sequence[Any], options: dict[str, Any]) -> Any:
        """Return what a function of the student answers; its changes are made here, too."""
        guarded.more_time()
        given = [self.encode(each) for each in arguments]
        named = {name: self.encode(each) for name, each in options.items()}
        seed = random.getrandbits(48)
        message = self.ask("call", thing=number, arguments=given, options=named, seed=seed)
        if "raised" in message:
            self._raise(message["raised"])
        try:
            for change in message["changed"]:
                self._change(*change)
            spoilt = message["spoilt"]
        except (CodecError, KeyError, TypeError, ValueError, AttributeError):
            self.pupil.fail(NO_ANSWER)
        if spoilt:
            raise WrongAnswerError(SPOILT.format(str(spoilt)[:300]))
        return self._answer(message, "answer")

    def method(self, number: int, name: str, *arguments: Any) -> Any:
        """Return what a position of a student's game answers."""
        given = [self.encode(each) for each in arguments]
        message = self.ask("method", thing=number, name=name, arguments=given)
        if "raised" in message:
            self._raise(message["raised"])
        return self._answer(message, "answer")

    def _answer(self, message: dict[str, Any], name: str) -> Any:
        if "raised" in message:
            self._raise(message["raised"])
        try:
            return self.decode(message[name])
        except (WrongAnswerError, KeyboardInterrupt):
            raise
        except Exception:
            self.pupil.fail(NO_ANSWER)

    def _raise(self, told: Any) -> NoReturn:
        """Raise here what was raised there, with the words and the line that it has there."""
        try:
            error = self._error(told)
            vars(error).update(told=str(told["told"]), place=str(told["place"]))
        except (TypeError, KeyError, IndexError, AttributeError):
            self.pupil.fail(NO_ANSWER)
        raise error

    def _error(self, told: dict[str, Any]) -> BaseException:
        if (yours := told.get("yours")) is not None:
            return self.errors[int(yours)]
        kinds = [str(kind) for kind in told["kinds"]]
        for kind in kinds:
            known = ERRORS.get(kind, getattr(builtins, kind, None))
            if isinstance(known, type) and issubclass(known, Exception):
                return error_of(known, kinds[0], str(told["words"]))
        return error_of(Exception, kinds[0], str(told["words"]))  # none that would end this process

    def make(self, text: bytes) -> Any:
        """Make, and count, a successor of a position of one of the course's games."""
        made = self.maker.made(*json.loads(text))
        self.count_one()
        self.made += 1
        return made

    def run(self, text: bytes) -> Any:
        """Return what a function of this process answers."""
        number, arguments = json.loads(text)
        function = self._thing(number, object)
        if not callable(function):
            raise CodecError("no function")
        return [self.encode(function(*map(self.decode, arguments)))]

    def visit(self, text: bytes) -> Any:
        """Note the visit of a position, or of one after it; return what it may know then."""
        number, action = json.loads(text)
        state = self._thing(number, VisitedState)
        if action is not None:
            state = state.successor(self.decode(action))
            number = 2 * len(self.things) + 2
            self.things[number] = state
        actions = state.legal_actions()  # from here on it is visited
        over, real = state.is_terminal(), state._state
        below = [real.successor(each) for each in actions]
        players = [child.current_player for child in below]
        keys = [self.keys.setdefault(child, len(self.keys)) for child in below]
        payoffs = list(state.utilities()) if over else []
        board = self.encode(real) if self.boards else None
        return [number, over, payoffs, [*map(self.encode, actions)], players, keys, board]

    def _thing(self, number: Any, kind: type) -> Any:
        thing = self.things.get(number) if type(number) is int else None
        if not isinstance(thing, kind) or number % 2:
            raise CodecError(f"no {kind.__name__} has the number {number!r}")
        return thing

    def _name(self, thing: Any) -> int:
        """Return the number of a thing of this process, even and above 0."""
        if id(thing) not in self.numbers:
            number = 2 * len(self.things) + 2
            self.numbers[id(thing)], self.things[number] = number, thing
        return self.numbers[id(thing)]

    def _keep(self, number: int, thing: Any) -> Any:
        """Keep a thing of the other process under its number."""
        if type(number) is not int or number % 2 == 0 or number in self.things:
            raise CodecError(f"no number for a thing of that process: {number!r}")
        self.things[number] = thing
        self.numbers[id(thing)] = number
        return thing

    def _change(self, number: int, *change: Any) -> None:
        """Do to a list, dict or node what was done to it there."""
        thing = self.things[number]
        if isinstance(thing, dict):
            gone, pairs = change
            for key in gone:
                thing.pop(self.decode(key), None)
            thing.update({self.decode(key): self.decode(value) for key, value in pairs})
            self.sent[number] = dict(thing)
        elif isinstance(thing, list):
            thing[:] = map(self.decode, change[0])
        elif type(thing) in NODES.values():
            vars(thing).update(self._fields(type(thing), change[0]))
        else:
            raise CodecError("nothing that can change")

    # --- what goes out ---

    def special(self, value: Any) -> Any:
        """Return what is sent for what only this process has."""
        kind = type(value)
        if kind is VisitedState:
            self.count_one = lambda: value._visits.add(value._path)
            return ["v", self._name(value), self._facts(value)]
        if kind is CountedFour:
            self.maker, self.count_one = (
                Maker(ConnectFour.parse(str(value), **value.parse_options())),
                count_one,
            )
            return ["c", value.to_json()]
        if isinstance(value, dict):
            return self._dict(value)
        if kind in GAMES.values():
            return self._state(kind, value)
        if kind in NODES.values():
            return self._node(value)
        if isinstance(value, StudentState):
            return ["h", value._number]
        if isinstance(value, Key):
            return ["k", value.number]
        if kind in specimens.ALIKE:
            fields = {name: vars(value)[name] for name in ("cells", "current_player")}
            return ["o", specimens.ALIKE[kind], self._encoded(fields)]
        return ["f", self._name(value)] if callable(value) else None

    def number(self, value: Any) -> int:
        """Return a number for a list, which a student's function may change."""
        return self._name(value) if isinstance(value, list) else 0

    def _state(self, kind: type, state: Any) -> Any:
        """Return a position; the second time its number will do."""
        if (kind, state) in self.states:
            return ["i", self.states[kind, state]]
        self.states[kind, state] = number = len(self.states)
        return ["i", number, state.to_json()]

    def _dict(self, value: dict[Any, Any]) -> Any:
        """Return a dict, or its number where the process has it as it is now."""
        number = self._name(value)
        if self.sent.get(number) == value:
            return ["r", number]
        self.sent[number] = dict(value)
        return ["d", number, *self.pairs(value.items())]

    def _encoded(self, fields: dict[str, Any]) -> dict[str, Any]:
        return {name: self.encode(value) for name, value in fields.items()}

    def _node(self, node: Any) -> Any:
        number = self._name(node)
        if number in self.in_message:
            return ["r", number]
        self.in_message.add(number)
        return ["n", number, type(node).__name__, self._encoded(vars(node))]

    def _facts(self, state: VisitedState) -> dict[str, Any]:
        real = state._state
        return {
            "real": self.encode(real) if self.boards else None,
            "player": state.current_player,
            "players": state.num_players,
            "key": self.keys.setdefault(real, len(self.keys)),
        }

    # --- what arrives ---

    def make_x(self, kind: str, shown: str) -> Any:
        """Return something that is of no use but for a sentence on it."""
        thing = class_called(str(kind)[:80], Strange)()
        thing.shown = str(shown)
        return thing

    def make_r(self, number: int) -> Any:
        """Return a thing that is known."""
        return self.things[number]

    def make_k(self, number: int) -> Key:
        """Return what stands for a position as a key."""
        if number not in self.things:
            self._keep(number, Key(number))
        key = self.things[number]
        if not isinstance(key, Key):
            raise CodecError("no key")
        return key

    def make_n(self, number: int, kind: str, fields: dict[str, Any]) -> Any:
        """Return a node that the student's program has made."""
        node: Any = object.__new__(NODES[kind])
        vars(node).update(self._fields(NODES[kind], fields))
        return self._keep(number, node)

    def _fields(self, kind: type, fields: dict[str, Any]) -> dict[str, Any]:
        values = {name: self.decode(value) for name, value in fields.items()}
        return {name: value for name, value in values.items() if name in kind.__annotations__}

    def make_f(self, number: int, name: str, kind: str) -> Any:
        """Return what stands for a function or class of the student."""
        if number in self.things:
            return self.things[number]
        return self._keep(number, _stand_in(self, number, str(name), str(kind)))

    def make_h(self, number: int, kind: str) -> Any:
        """Return what stands for a position of the student's game."""
        if number in self.things:
            return self.things[number]
        state = object.__new__(class_called(str(kind), StudentState))
        state._link, state._number = self, number
        return self._keep(number, state)

    def make_p(self, *fields: Any) -> Plan:
        """Return the plan of an experiment."""
        return Plan(*map(self.decode, fields))

    def make_m(self, agents: Any, state: Any, games: Any, seed: Any, records: Any) -> MatchUp:
        """Return the results of an experiment."""
        names, start = self.decode(agents), self.decode(state)
        made = tuple(_record(*row) for row in self.decode(records))
        return MatchUp(tuple(map(str, names)), start, self.decode(games), self.decode(seed), made)


# What a process may ask in the middle of a call, by the first letter of its message.
_QUESTIONS: dict[bytes, Callable[[Link, bytes], Any]] = {
    **{b"V": Link.visit, MADE: Link.make, b"F": Link.run}
}


def _nothing_counts() -> None:
    raise CodecError("here no position can be made: nobody would count it")


def _record(game: int, seats: list[int], seed: Any, actions: list[Any], payoffs: Any) -> GameRecord:
    if not all(isinstance(each, int | float) and isfinite(each) for each in payoffs):
        raise CodecError("no payoffs")
    shape = game, tuple(seats), seed, tuple(actions), tuple(payoffs)
    return GameRecord(*shape, None, ({}, {}), (0.0, 0.0))


def error_of(known: type[BaseException], name: str, words: str) -> BaseException:
    """Return an error of a kind that is known here, called as it was there."""
    if known is NotImplementedError:
        return known(words)
    kind: Any = type(name, (known,), {"__str__": lambda self: words, "__init__": lambda self: None})
    error: BaseException = kind.__new__(kind)
    return error


class Strange:
    """Stands for anything that is none of the things that may be sent."""

    __slots__ = ("shown",)
    shown: str

    def __repr__(self) -> str:
        return self.shown


def _stand_in(link: Link, number: int, name: str, kind: str) -> Any:
    """Return a function or class that asks the student's process."""
    if kind == "":

        def function(*arguments: Any, **options: Any) -> Any:
            return link.call(number, arguments, options)

        function.__name__ = function.__qualname__ = name
        return function

    def make(cls: type, *arguments: Any, **options: Any) -> Any:
        return link.call(number, arguments, options)

    base = StudentState if kind == "game" else object
    return type(name, (base,), {"__new__": make, "__init__": lambda self, *a, **k: None})


def _asking(name: str) -> Callable[..., Any]:
    def method(self: StudentState, *arguments: Any) -> Any:
        return self._link.method(self._number, name, *arguments)

    return method


class StudentState(GameState):
    """Stands for a position of a student's game."""

    _link: Link
    _number: int

    num_players, current_player, max_utility = (
        property(_asking(name)) for name in ("num_players", "current_player", "max_utility")
    )
    legal_actions, successor, is_terminal, utilities, symmetry_key = map(
        _asking, ["legal_actions", "successor", "is_terminal", "utilities", "symmetry_key"]
    )
    __hash__, __str__, __repr__ = map(_asking, ["__hash__", "__str__", "__repr__"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StudentState) and self._link.method(self._number, "__eq__", other)
