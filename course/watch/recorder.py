"""What a program does, recorded from outside: its calls at positions, their lines and variables.

A program tells nothing.  `sys.settrace` says which functions are called, and a call is a node of
the tree if a position among its arguments follows from that of the node in which it was called.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dis import opname
from numbers import Number
from types import CodeType, FrameType
from typing import Any, NamedTuple, NoReturn

from course.watch.events import Event
from gamelib.state import GameState

MOST_PRINTED = 10_000  # characters that are kept
MOST_LINES = 500_000  # that are kept
MORE_CALLS = 60  # that may be open inside each other: the recorder's own stand between them
LONGEST = 12  # tuple whose changes are shown
PERIOD = 256  # lines between two looks at the clock
GENERATOR = 0x20
ENTERED, LEFT = 0, -1  # in the place of a line number
HERE = object()  # a call at the same position
BOARDS = tuple(f"gamelib.{room}" for room in ("games", "state", "spots", "picture", "check"))
OURS = ("gamelib", "arena", "course")


class Place(NamedTuple):
    """A line of a function; its number is that in its file."""

    code: CodeType
    line: int


Change = tuple[str, Any, Any]  # a variable, before and after
Entry = tuple["Call", int, "list[Change] | None"]  # what changed up to this line


class Step(NamedTuple):
    """An event, the line that did it, and the variables that this changed."""

    event: Event
    place: Place
    changes: tuple[Change, ...] = ()


Tracer = Callable[[FrameType, str, Any], Any]
Reader = Callable[[FrameType], Tracer | None]
Watched = Mapping[CodeType, Reader]


class EndOfRecordError(BaseException):
    """Raised inside a program of which enough has been seen; its own `except` lets it pass."""


class Node:
    """A position that the program visits: as it is shown, and the objects that stand for it.

    made  the actions whose successors it has asked for
    """

    __slots__ = ("action", "entry", "made", "parent", "state", "states")

    def __init__(self, position: GameState, action: Any, parent: Node | None, entry: Call) -> None:
        held = getattr(position, "state", None)
        self.state = held if isinstance(held, GameState) else position
        self.states = [position] if self.state is position else [position, self.state]
        self.action, self.parent, self.entry = action, parent, entry
        self.made: set[Any] = set()

    def is_at(self, position: GameState) -> bool:
        """Return whether this is the node of a position."""
        return any(position is own or position == own for own in self.states)


class Call:
    """A call at the position of a node: `entry` if that made the node.

    maker  the call in which it was made, at the node itself or at the one above; `at` its line
    """

    __slots__ = (
        "arguments", "at", "code", "entry", "error", "line", "maker", "module", "node", "number",
        "returned", "seen", "visit",
    )  # fmt: skip
    node: Node
    line: int

    def __init__(self, frame: FrameType, maker: Call | None, entry: bool) -> None:
        self.code, self.module = frame.f_code, frame.f_globals.get("__name__", "")
        self.maker, self.entry = maker, entry
        self.at = maker.line if maker else 0
        self.line = frame.f_code.co_firstlineno
        self.seen: dict[str, Any] = dict(frame.f_locals)
        self.arguments = {name: value for name, value in self.seen.items() if is_small(value)}
        self.returned: Any = None
        self.error: BaseException | None = None
        self.number = 0
        self.visit: Any = None  # found by the reader


class Recorder:
    """One run of a program.

    watched  functions that others follow
    log      what happened, in order: (call, line, the variables that have changed by then)
    calls    those at positions, in order
    answer   what the program returned
    ended    a sentence where the record ends before the program
    error    what the program raised
    printed  what it printed
    """

    def __init__(
        self, name: str, most_nodes: int, most_seconds: float, watched: Watched | None = None
    ) -> None:
        self.watched = watched or {}
        self.name, self.most_nodes, self.most_seconds = name, most_nodes, most_seconds
        self.log: list[Entry] = []
        self.calls: list[Call] = []
        self.answer: Any = None
        self.error: BaseException | None = None
        self.ended: str | None = None
        self.printed = ""
        self.own: tuple[CodeType | None, ...] = ()
        self._stack: list[Call] = []
        self._nodes = self._lines = 0
        self._late = 0.0
        self._others = False  # a function runs that somebody else watches
        self._inside = False  # a method of the game
        self._born: dict[int, tuple[GameState, GameState, Any]] = {}
        self._readers: dict[
            int, Callable[[FrameType], Tracer | None] | None
        ] = {}  # of each code: how it is traced
        self._codes: list[CodeType] = []  # keeps their ids
        self._makers: set[int] = set()  # codes that have called a successor's node
        self._helpers: set[int] = set()  # codes that have not, when they were called
        self._paused: dict[FrameType, Call] = {}  # generators that wait

    def run(self, program: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        """Run a program to its end, or until enough has been seen."""
        self.own = codes_of(program)
        paper = Paper()
        self._late = time.perf_counter() + self.most_seconds
        try:
            with redirect_stdout(paper), _deeper(), self._watched():
                self.answer = program(*arguments, **options)
        except EndOfRecordError:
            pass
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            self.error = error
            self.ended = self.ended or f"{self.name} raised {in_a_sentence(error)}"
        self.printed = paper.text()

    @contextmanager
    def _watched(self) -> Iterator[None]:
        before, profile = sys.gettrace(), sys.getprofile()
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)
            sys.setprofile(profile)

    def _end(self, why: str) -> NoReturn:
        self.ended = f"{self.name} {why}"
        sys.setprofile(self._insist)
        raise EndOfRecordError

    def _insist(self, frame: FrameType, event: str, arg: Any) -> None:
        """Stop a program again that catches whatever is raised: at the next line that it runs."""
        above = frame.f_back
        if event == "return" and above is not None:
            if above.f_code is Recorder.run.__code__:
                sys.setprofile(None)
            else:
                sys.settrace(self._refuse)
                above.f_trace = self._refuse

    def _refuse(self, frame: FrameType, event: str, arg: Any) -> Tracer:
        if event == "line":
            raise EndOfRecordError
        return self._refuse

    # --- which calls are looked at ---

    def _called(self, frame: FrameType, event: str, arg: Any) -> Tracer | None:
        """Look at a function that is called, or a generator that goes on: how is it traced?"""
        if self._inside:
            return None  # what a game asks itself is no part of the program
        code = frame.f_code
        if id(code) not in self._readers:
            self._readers[id(code)] = self._reader_of(frame)
            self._codes.append(code)
        reader = self._readers[id(code)]
        return reader(frame) if reader else None

    def _reader_of(self, frame: FrameType) -> Reader | None:
        module = frame.f_globals.get("__name__") or ""
        code = frame.f_code
        if code in self.watched:
            return self._watches
        first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        if code not in self.own and isinstance(first, GameState):
            kind = type(first)
            if code in codes_of(kind.successor):
                return self._makes_a_child
            if any(code in codes_of(part) for each in kind.__mro__ for part in vars(each).values()):
                return self._asks_the_game
        if module.startswith(BOARDS) or module.partition(".")[0] in sys.stdlib_module_names:
            return None
        # To make an object, to compare or to print one, is not to visit its position.
        hidden = code.co_name.startswith("__") and code.co_name != "__call__"
        return None if hidden else self._read

    def _watches(self, frame: FrameType) -> Tracer | None:
        """Let the one who watches a function follow a call of it: nothing else counts any more."""
        self._others = True
        self._look()
        return self.watched[frame.f_code](frame)

    def _asks_the_game(self, frame: FrameType) -> Tracer:
        self._inside = True
        frame.f_trace_lines = False
        return self._answered

    def _answered(self, frame: FrameType, event: str, arg: Any) -> Tracer:
        if event == "return":
            self._inside = False
        return self._answered

    def _makes_a_child(self, frame: FrameType) -> Tracer:
        self._inside = True
        frame.f_trace_lines = False
        return self._made

    def _made(self, frame: FrameType, event: str, arg: Any) -> Tracer:
        if event == "return":
            self._inside = False
            if arg is not None:
                if len(self._born) > 10 * self.most_nodes:
                    self._born.clear()
                # The last name of a wrapper such as `counted(*arguments)` holds the action, too.
                held, names = frame.f_locals, frame.f_code.co_varnames
                first = held[names[0]]
                action = held[names[1]] if frame.f_code.co_argcount > 1 else held[names[1]][-1]
                self._born[id(arg)] = arg, first, action
                if self._stack and first is self._stack[-1].node.states[0]:
                    self._stack[-1].node.made.add(action)
        return self._made

    def _read(self, frame: FrameType) -> Tracer | None:
        """Note a call at a position; count the lines of any other."""
        if self._others:
            return None
        call = self._paused.pop(frame, None) if self._paused else None
        if call is not None:
            self._stack.append(call)
            return self._tracer_of(call)
        found = self._step_of(frame)
        if found is None or (found is HERE and id(frame.f_code) in self._helpers):
            ours = (frame.f_globals.get("__name__") or "").startswith(OURS)
            return None if ours else self._counted
        call = Call(frame, self._stack[-1] if self._stack else None, found is not HERE)
        self._put(call, found)
        call.number = len(self.calls)
        self.calls.append(call)
        self._stack.append(call)
        self.log.append((call, ENTERED, None))
        return self._tracer_of(call)

    def _put(self, call: Call, found: Any) -> None:
        """Say at which node a call is: that of its maker, or a new one."""
        above = call.maker.node if call.maker else None
        self._look()
        if found is HERE and above:
            call.node = above
            return
        position, action = found
        call.node = Node(position, action, above, call)
        self._nodes += 1
        if call.maker:
            self._makers.add(id(call.maker.code))
        if self._nodes > self.most_nodes:
            self._end(f"made {self.most_nodes:,} nodes, and the record ends there")

    # --- where a call is ---

    def _step_of(self, frame: FrameType) -> Any:
        """Return the (position, action) of a new node, HERE at the same one, None at neither."""
        given = _given(frame)
        found = self._among([value for value in given if isinstance(value, GameState)])
        if found is None and not frame.f_code.co_name.startswith("<"):
            found = self._among([s for value in given if (s := held_by(value)) is not None])
        return found

    def _among(self, positions: list[GameState]) -> Any:
        if not positions or not self._stack:
            return (positions[0], None) if positions else None
        node = self._stack[-1].node
        for position in positions:
            born = self._born.get(id(position))
            if born and (born[1] is node.states[0] or node.is_at(born[1])):
                return position, born[2]
        for position in positions:
            if any(node.is_at(each) for each in (position, held_by(position)) if each is not None):
                if position not in node.states:
                    node.states.insert(0, position)  # a game of rounds, say, on the same position
                return HERE
        strangers = [p for p in positions if id(p) not in self._born]
        return self._by_equality(node, strangers) if strangers else None

    def _by_equality(self, node: Node, positions: list[GameState]) -> Any:
        """Return the successor among positions that nobody has seen made."""
        state = node.states[0]
        for position in positions:
            if type(position) is type(state):
                for action in state.legal_actions():
                    if state.successor(action) == position:
                        return position, action
        return None

    # --- what happens in a call ---

    def _tracer_of(self, call: Call) -> Tracer:
        """Return what notes every line of a call, with the variables changed by then."""
        log, count = self.log, self._count

        def follow(frame: FrameType, event: str, arg: Any) -> Tracer:
            if event == "line":
                log.append((call, frame.f_lineno, changes(call, frame)))
                call.line = frame.f_lineno
                count()
            elif event == "return":
                self._returned(call, frame, arg)
            else:
                call.error = arg[1]  # until it returns all the same
            return follow

        return follow

    def _returned(self, call: Call, frame: FrameType, arg: Any) -> None:
        code = frame.f_code
        if self._stack and self._stack[-1] is call:
            self._stack.pop()
        if arg is None or code.co_flags & GENERATOR:
            last = opname[code.co_code[frame.f_lasti]]
            if last == "YIELD_VALUE":
                self._paused[frame] = call
                return
            if last.startswith(("RETURN", "INSTRUMENTED_RETURN")):
                call.error = None
        else:
            call.error = None
        call.returned = arg
        self.log.append((call, LEFT, changes(call, frame)))
        call.seen = {}
        if not call.entry and id(code) not in self._makers:
            self._helpers.add(id(code))

    def _counted(self, frame: FrameType, event: str, arg: Any) -> Tracer:
        if event == "line":
            self._count()
        return self._counted

    def _count(self) -> None:
        self._lines += 1
        if len(self.log) > MOST_LINES:
            self._end(f"ran {MOST_LINES:,} lines, and the record ends there")
        if self._lines % PERIOD == 0:
            self._look()

    def _look(self) -> None:
        if time.perf_counter() > self._late:
            self._end(f"ran for {self.most_seconds:g} seconds, and the record ends there")


def _given(frame: FrameType) -> list[Any]:
    """Return the arguments of a call, those in `*arguments` and `**options` included."""
    code, held = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    given = [held.get(name) for name in code.co_varnames[:count]]
    if code.co_flags & 0x04:
        given += held.get(code.co_varnames[count], ())
        count += 1
    if code.co_flags & 0x08:
        given += held.get(code.co_varnames[count], {}).values()
    return given


def held_by(value: Any) -> GameState | None:
    """Return the position in the field `state` of an object, or None."""
    try:
        held = object.__getattribute__(value, "state")
    except Exception:
        return None
    return held if isinstance(held, GameState) else None


def changes(call: Call, frame: FrameType) -> list[Change] | None:
    """Return the small variables of a call that have changed since the last look, or None."""
    seen = call.seen
    found: list[Change] | None = None
    for name, value in frame.f_locals.items():
        before = seen.get(name, seen)
        if value is not before:
            seen[name] = value
            if is_small(value) and name not in call.code.co_freevars:
                before = before if before is not seen and is_small(before) else None
                if _differ(before, value):
                    found = found or []
                    found.append((name, before, value))
    return found


def _differ(one: Any, other: Any) -> bool:
    try:
        return type(one) is not type(other) or bool(one != other)
    except Exception:  # of a learner's own class, or numpy's, that cannot be compared
        return True


_KINDS: dict[type, bool] = {}


def is_small(value: Any) -> bool:
    """Return whether a value is shown: a number, True, None, a short text or tuple of those."""
    kind = type(value)
    small = _KINDS.get(kind)
    if small is None:
        small = _KINDS[kind] = issubclass(kind, Number) or value is None
    if small:
        return True
    if kind is str:
        return len(value) <= 40
    return isinstance(value, tuple) and len(value) <= LONGEST and all(map(_is_part, value))


def _is_part(value: Any) -> bool:
    return isinstance(value, tuple | str) or _KINDS.get(type(value)) or is_small(value)


def codes_of(program: Any) -> tuple[CodeType | None, ...]:
    """Return the code of a function, of what it wraps, and of what a property or method calls."""
    found: list[CodeType | None] = []
    for name in ("__wrapped__", "__func__", "fget", "func"):
        inner = getattr(program, name, None) if not isinstance(program, type) else None
        if inner is not None and inner is not program:
            found += codes_of(inner)
    code = getattr(program, "__code__", None)
    return (code, *found) if isinstance(code, CodeType) else tuple(found)


def in_a_sentence(error: BaseException) -> str:
    """Return the kind and the first line of an error; of too many calls, what that means."""
    if isinstance(error, RecursionError):
        return "RecursionError: its calls go on inside each other without end"
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class Paper(io.TextIOBase):
    """What a program prints, up to a limit."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.length = 0

    def write(self, text: str) -> int:
        """Keep the text, if there is room."""
        if self.length <= MOST_PRINTED:
            self.kept.append(text[: MOST_PRINTED + 1 - self.length])
            self.length += len(self.kept[-1])
        return len(text)

    def text(self) -> str:
        """Return what has been kept, with "..." where there was more."""
        whole = "".join(self.kept)
        return f"{whole[:MOST_PRINTED]}..." if self.length > MOST_PRINTED else whole


@contextmanager
def _deeper() -> Iterator[None]:
    """Let calls go as deep as without a recorder."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + MORE_CALLS)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
