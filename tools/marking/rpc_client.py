"""The marker's side of the connection to a student's process, and proxies of its objects.

A check gets the proxies instead of the student's functions and classes, and cannot tell the
difference.  The process only replies to requests, and nothing that it sends is run here.
"""

from __future__ import annotations

import builtins
import random
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NoReturn

from arena.results.game_records import GameRecord
from arena.results.match_up import MatchUp
from arena.sandbox.node_budget import SUCCESSOR_REQUEST, SuccessorServer
from arena.sandbox.process_handle import ProcessEndedError, ProcessHandle, ProcessTimeoutError
from arena.sandbox.worker_io import READY, encode_message
from course.exercises import check_runner
from course.exercises.feedback import NotWrittenError, WrongAnswerError
from course.exercises.visit_counter import CountingState
from course.lessons.capstone.budget_match import BUDGET, CountedConnectFour, count_node
from course.lessons.experiments.check import Plan
from gamelib.games import GAMES
from gamelib.state import BrokenRuleError, GameState, IllegalActionError
from tools.marking.codec import Codec, CodecError

PROCESS_MODULE = "tools.marking.rpc_server"  # runs in a student's process
START_CPU_SECONDS = 60.0  # seconds of computing for Python to start
MAX_KEPT_POSITIONS = 50_000  # positions that are kept at most from one move to the next
CALL_CPU_SECONDS = 20.0  # seconds of computing for one call: an agent's move takes a hundredth
MAX_IDLE_SECONDS = 20.0  # seconds for which a process may use no processor before it replies
RECORD_TYPES = {each.__name__: each for each in (Plan, MatchUp, GameRecord)}
ERROR_TYPES = {
    each.__name__: each
    for each in (BrokenRuleError, IllegalActionError, NotWrittenError, WrongAnswerError)
}
# Of each exercise so many calls are watched, the first ones, and later ones by chance: to watch a
# call takes several times as long.
WATCHED_CALLS, WATCHED_SHARE = 3, 0.02
MAX_LIBRARY_NAMES, MAX_NAME_CHARS = 10, 80  # names of the library, and characters of each
MAX_KEPT_MOVES = 40  # moves of an agent, that are kept to be compared
MIN_POSITIONS_FOR_SHARE = 100  # positions of a move: with fewer the longest pause says nothing
MAX_ERRORS = 1000  # of questions, that are kept
MUTATION_MESSAGE = "your function changes what it is given: {}"
INVALID_ANSWER_MESSAGE = "its process sent something that is no answer, or is too long."


class StudentProcessError(WrongAnswerError):
    """A student's process has ended, or the marker ended it."""


class StudentProcess(Codec, ProcessHandle):
    """The process of a student's program, whose functions the checks call through this object.

    packages  the folder with the packages that the program can import
    mode      an argument for the process: "" or `NO_RULES_MODE`
    """

    def __init__(self, packages: Path, mode: str = "") -> None:
        # The limits that count are those here, not those of the check that runs.
        super().__init__(PROCESS_MODULE, mode, packages, check_runner.restart_time_limit)
        self.request_handlers = {
            b"V": self.serve_visit,
            SUCCESSOR_REQUEST: self.serve_successor,
            b"F": self.serve_call,
        }
        self.lost_seconds = 0.0  # of computing, or waiting, of what did not end
        self.set_cpu_limit(START_CPU_SECONDS)
        self.reset()
        self.send_request("begin")  # it has started

    def reset(self, *, shows_boards: bool = False, watch: bool = False) -> None:
        """Forget the things of the last exercise.

        With `watch` it is noted in `library` which code of the library runs.

        If a check counts visits, the program sees only the facts of a position that a search needs.
        Otherwise it could copy the board and search the copy, without any count.  With
        `shows_boards`, it sees the board, but its process no longer has the rules.
        """
        self.shows_boards, self.is_waiting, self.watch = shows_boards, False, watch
        self.library: dict[str, None] = {}  # the names of its code that has run
        self.moves: list[tuple[Any, Any, int]] = []  # position, action, positions made
        self.longest_pauses: list[float] = []  # of the moves, as a share of their computing
        self._calls, self._chance = 0, random.Random(0)
        self._asked_at, self._longest_pause = 0.0, 0.0
        self.generated = 0  # positions of moves
        self.successor_server, self.count_one, self.repeats = (
            SuccessorServer(),
            _reject_successor,
            0,
        )
        self.functions: list[Callable[..., Any]] = []
        self.visited: list[CountingState] = []
        self.keys: dict[GameState, int] = {}  # equal positions have the same
        self.errors: list[Exception] = []

    def set_cpu_limit(self, seconds: float, call_seconds: float = CALL_CPU_SECONDS) -> None:
        """Let the process compute so long from now on, and for a single call `call_seconds`."""
        self.seconds = self._all_seconds = seconds
        self._call_seconds = call_seconds
        idle_seconds = min(MAX_IDLE_SECONDS, seconds, call_seconds)
        self.set_limits(cpu_seconds=seconds, idle_seconds=idle_seconds)

    # --- questions ---

    def send_request(self, do: str, **request: Any) -> dict[str, Any]:
        """Return the reply to a request, or raise the error that the request raised there.

        Requests of the process are served in the meantime.  StudentProcessError without a reply.
        """
        self.is_waiting = True  # until the answer is there
        try:
            self.send(encode_message({"do": do, **request}))
            message = self.receive_answer()
        except ProcessTimeoutError:
            self._raise_timeout()
        except ProcessEndedError as error:
            why = f"the program's process {error}, before it answered. {_current_question()[0]}"
            raise StudentProcessError(why.strip()) from None
        self.is_waiting = False
        if message is None:
            self.terminate_with(INVALID_ANSWER_MESSAGE)
        if "raised" in message:
            self._raise_remote(message["raised"])
        return message

    def read_values(self, cell: str, names: Sequence[str]) -> tuple[str, list[Any]]:
        """Return "" and the values of names after a cell; or the first missing name and []."""
        message = self.send_request("exercise", cell=cell, names=names, boards=self.shows_boards)
        missing = str(message.get("missing", ""))
        return missing, [] if missing else self._decode_answer(message, "values")

    def call_function(
        self, number: int, view: str, arguments: Sequence[Any], options: dict[str, Any]
    ) -> Any:
        """Call a function of the student, or a view of it, and return the result."""
        check_runner.restart_time_limit()
        self.count_one, self.repeats = _reject_successor, 0
        given = [self.encode(each) for each in arguments]
        named = {name: self.encode(each) for name, each in options.items()}
        seed = random.getrandbits(48)
        if (
            forget := not self.repeats
            or not 0 < len(self.successor_server.states) < MAX_KEPT_POSITIONS
        ):
            self.successor_server = SuccessorServer()
        self._calls += 1
        watch = self._calls <= WATCHED_CALLS or self._chance.random() < WATCHED_SHARE
        known = {"repeats": self.repeats, "forget": forget, "seed": seed}
        known["watch"] = watch and self.watch
        before, used = self.generated, self.cpu_seconds_since_limits()
        self._cpu_limit = min(self._all_seconds, used + self._call_seconds)
        self.seconds = min(self._all_seconds, self._call_seconds)
        with self._measured_pauses():
            message = self.send_request(
                "call", thing=number, view=view, arguments=given, options=named, **known
            )
        self._count_again(message.get("again", 0))
        self._note_library(message.get("library"))
        if spoilt := message.get("spoilt"):
            raise WrongAnswerError(MUTATION_MESSAGE.format(str(spoilt)[:300]))
        answer = self._decode_answer(message, "answer")
        if self.repeats and len(self.moves) < MAX_KEPT_MOVES:
            self.moves.append((arguments[0], answer, self.generated - before))
        return answer

    def _note_library(self, names: Any) -> None:
        """Note what the process says of the library's code that has run there."""
        for name in names if isinstance(names, list) else ():
            if isinstance(name, str) and len(self.library) < MAX_LIBRARY_NAMES:
                self.library[name[:MAX_NAME_CHARS]] = None

    @contextmanager
    def _measured_pauses(self) -> Iterator[None]:
        """Measure the longest computing between two positions that a move asks for."""
        start, before = self.cpu_seconds(), self.generated
        self._asked_at, self._longest_pause = start, 0.0
        yield
        self._note_pause()
        if self.generated - before >= MIN_POSITIONS_FOR_SHARE and self._asked_at > start:
            self.longest_pauses.append(self._longest_pause / (self._asked_at - start))

    def _note_pause(self) -> None:
        now = self.cpu_seconds()
        self._longest_pause = max(self._longest_pause, now - self._asked_at)
        self._asked_at = now

    def call_method(self, number: int, name: str, *arguments: Any) -> Any:
        """Call a method of a position of a student's game, and return the result."""
        given = [self.encode(each) for each in arguments]
        message = self.send_request("method", thing=number, name=name, arguments=given)
        return self._decode_answer(message, "answer")

    def _decode_answer(self, message: dict[str, Any], name: str) -> Any:
        try:
            return self.decode(message[name])
        except (WrongAnswerError, KeyboardInterrupt):
            raise
        except Exception:
            self.terminate_with(INVALID_ANSWER_MESSAGE)

    # --- no answer ---

    def terminate_with(self, why: str) -> NoReturn:
        """End the process, and raise a StudentProcessError."""
        self.terminate()
        raise StudentProcessError(why)

    def _raise_timeout(self) -> NoReturn:
        """End a process that has computed or slept too long; the error names the current line."""
        text = self.dump_stack(READY)
        place = text.removesuffix(READY.decode()).rpartition("\n")[2] if "\0" in text else ""
        self.lost_seconds = self.cpu_seconds_since_limits() + self._idle_seconds
        self.terminate()
        message = f"no end after {self.seconds:g} seconds, so the check was stopped"
        question, state = _current_question()
        raise StudentProcessError(
            f"{message}{f', in {place[:300]}' if place else ''}. {question}", state
        )

    def _raise_remote(self, told: Any) -> NoReturn:
        """Raise the error of the student's program here, with its original text and line."""
        try:
            error, state = self._local_error(told), self.decode(told["state"])
            known = {"told": str(told["told"]), "place": str(told["place"])}
            vars(error).update(known, state=state if type(state) in GAMES.values() else None)
        except WrongAnswerError:
            raise
        except Exception:
            self.terminate_with(INVALID_ANSWER_MESSAGE)
        raise error

    def _local_error(self, told: dict[str, Any]) -> BaseException:
        if (yours := told.get("yours")) is not None:
            return self.errors[int(yours)]
        kinds = [str(kind) for kind in told["kinds"]]
        for kind in kinds:
            known = ERROR_TYPES.get(kind, getattr(builtins, kind, None))
            if isinstance(known, type) and issubclass(known, Exception):
                return rebuild_error(known, kinds[0], str(told["words"]))
        return rebuild_error(
            Exception, kinds[0], str(told["words"])
        )  # none that would end this process

    # --- what a process may ask in the middle of a call ---

    def store_error(self, error: Exception) -> int:
        """Store an error, to raise it here if the program does not catch it; return its number."""
        del self.errors[MAX_ERRORS:]  # a program that asks without end fills no memory
        self.errors.append(error)
        return len(self.errors) - 1

    def serve_successor(self, question: Any) -> Any:
        """Generate and count a successor of a position of one of the course's games."""
        again, *asked = question
        self._note_pause()
        self._count_again(again)
        made = self.successor_server.generate_successor(*asked)
        self.count_one()
        self.generated += 1
        return made

    def _count_again(self, again: Any) -> None:
        """Count the positions that the process reports as generated again."""
        if type(again) is not int:
            self.terminate_with(INVALID_ANSWER_MESSAGE)
        for _ in range(min(again, self.repeats)):
            self.count_one()
            self.generated += 1

    def serve_call(self, question: Any) -> Any:
        """Call a function of this process, and return the result."""
        number, arguments = question
        return [self.encode(self.functions[number](*map(self.decode, arguments)))]

    def serve_visit(self, question: Any) -> Any:
        """Count the visit of a position, or of its successor, and return the facts about it."""
        number, action = question
        state = self.visited[number]
        if action is not None:
            number, state = len(self.visited), state.successor(self.decode(action))
            self.visited.append(state)
        actions = state.legal_actions()  # from here on it is visited
        payoffs = state.utilities() if state.is_terminal() else None
        below = [state._state.successor(each) for each in actions]
        players = [child.current_player for child in below]
        return [
            number,
            payoffs,
            [*map(self.encode, actions)],
            players,
            [*map(self._position_key, below)],
        ]

    def _position_key(self, state: GameState) -> int:
        return self.keys.setdefault(state, len(self.keys))

    # --- what goes out ---

    def encode_other(self, value: Any) -> Any:
        """Return the plain data for a value that only this process has."""
        kind = type(value)
        if kind is CountingState and self.shows_boards:
            self.count_one = lambda: value._visits.add(value._path)
            return self.encode(value._state)
        if kind is CountingState:
            self.visited.append(value)
            facts = self._position_key(value._state), value.current_player, value.num_players
            return ["v", len(self.visited) - 1, *facts]
        if kind is CountedConnectFour:
            self.count_one, self.repeats = count_node, BUDGET
            return ["g", value.to_json()]
        if isinstance(value, StudentStateProxy):
            return ["r", value._number]
        if callable(value):
            self.functions.append(value)
            return ["m", len(self.functions) - 1]
        return super().encode_other(value)

    # --- what arrives ---

    def decode_x(self, kind: str, shown: str) -> Any:
        """Return an object that has only a text, for messages about it."""
        thing = class_named(str(kind)[:80], OpaqueValue)()
        thing.text = str(shown)
        return thing

    def decode_f(self, number: int, name: str, kind: str) -> Any:
        """Return the proxy of a function or class of the student."""
        return _function_proxy(self, number, str(name), str(kind))

    def decode_h(self, number: int, kind: str) -> Any:
        """Return the proxy of a position of the student's game."""
        state = object.__new__(class_named(str(kind), StudentStateProxy))
        state._process, state._number = self, number
        return state

    def decode_b(self, kind: str, *fields: Any) -> Any:
        """Return the plan of an experiment, its results, or one of its games."""
        return RECORD_TYPES[kind](**{name: self.decode(value) for name, value in fields})


def _current_question() -> tuple[str, GameState | None]:
    """Return the current question of the check as text, and its position."""
    words, case = check_runner.current_question()
    return words, case.state if case else None


def _reject_successor() -> None:
    raise CodecError("here no position can be made: nobody would count it")


def rebuild_error(known: Any, name: str, words: str) -> BaseException:
    """Return an error of the class `known`, with the class name and the text of the original.

    NotImplementedError keeps its class, because checks look for exactly that one.
    """
    if known is NotImplementedError:
        return NotImplementedError(words)

    class Raised(known):
        def __init__(self) -> None:
            """Skip the constructor of `known`, whose arguments are in the other process."""

        def __str__(self) -> str:
            return words

    Raised.__name__ = Raised.__qualname__ = name
    return Raised()


@lru_cache(maxsize=500)
def class_named(name: str, *bases: type) -> Any:
    """Return a class with the name of a class in the other process."""
    return type(name, bases, {"__slots__": ()})


class OpaqueValue:
    """A proxy of a value that cannot be sent."""

    __slots__ = ("text",)
    text: str

    def __repr__(self) -> str:
        return self.text


def _function_proxy(
    process: StudentProcess, number: int, name: str, kind: str, view: str = ""
) -> Any:
    """Return a function or class that calls the one in the student's process."""

    def function(*arguments: Any, **options: Any) -> Any:
        return process.call_function(number, view, arguments, options)

    if kind == "":
        function.__name__ = function.__qualname__ = name
        vars(function)["seen_as"] = partial(_function_proxy, process, number, name, kind)
        return function
    base: Any = StudentStateProxy if kind == "game" else object

    class StudentClass(base):
        def __new__(cls, *arguments: Any, **options: Any) -> Any:
            """Return the proxy of a new object of the student's class."""
            return function(*arguments, **options)

        def __init__(self, *arguments: Any, **options: Any) -> None:
            """Do nothing, because `__new__` has passed on the arguments."""

    StudentClass.__name__ = StudentClass.__qualname__ = name
    return StudentClass


class StudentStateProxy(GameState):
    """A proxy of a position of a student's game."""

    _process: StudentProcess
    _number: int

    @property
    def num_players(self) -> int:
        """What the student's position says."""
        return self._ask("num_players")

    @property
    def current_player(self) -> int:
        """What the student's position says."""
        return self._ask("current_player")

    @property
    def max_utility(self) -> float:  # type: ignore[override]
        """What the student's position says."""
        return self._ask("max_utility")

    def legal_actions(self) -> Sequence[Any]:
        """Return what the student's position answers."""
        return self._ask("legal_actions")

    def successor(self, action: Any) -> Any:
        """Return what the student's position answers."""
        return self._ask("successor", action)

    def is_terminal(self) -> bool:
        """Return what the student's position answers."""
        return self._ask("is_terminal")

    def utilities(self) -> tuple[float, ...]:
        """Return what the student's position answers."""
        return self._ask("utilities")

    def symmetry_key(self) -> Hashable | None:
        """Return what the student's position answers."""
        return self._ask("symmetry_key")

    def _ask(self, name: str, *arguments: Any) -> Any:
        """Return the reply of the student's process, which may be any value."""
        return self._process.call_method(self._number, name, *arguments)

    def __hash__(self) -> int:
        return self._ask("__hash__")

    def __str__(self) -> str:
        return self._ask("__str__")

    def __repr__(self) -> str:
        return self._ask("__repr__")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StudentStateProxy) and self._ask("__eq__", other)
