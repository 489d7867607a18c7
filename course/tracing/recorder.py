"""Record a program without changing it: its calls at positions, their lines and variables.

The program need not report anything.  `sys.settrace` shows which functions are called, and a call
is a node of the tree if a position among its arguments is a successor of the caller's position.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dis import get_instructions, opname
from fractions import Fraction
from functools import lru_cache
from inspect import CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from itertools import count
from types import CodeType, FrameType
from typing import Any, NamedTuple, NoReturn

from course.tracing.events import Event
from course.tracing.source_outline import Span, outline_of
from course.tracing.visits import Visit
from gamelib.state import GameState

MAX_ENTRIES = 500_000  # the maximal length of the log
MAX_FACTS = 500  # the maximal number of cached functions
ALL_LINES = 5_000  # after this number of entries, lines that change nothing are left out
# Nested calls in addition to the usual limit: some are the recorder's own, and it needs the rest
# when a program has used up all others. Their number is checked at one call in `DEPTH_PERIOD`.
EXTRA_CALLS, SPARE_CALLS, DEPTH_PERIOD = 120, 80, 16
# Nested calls at positions. The stack of a browser is limited, and with it Python's.
MAX_OPEN_CALLS = 200 if sys.platform == "emscripten" else 100_000
MAX_TUPLE_LENGTH, MAX_TEXT_CHARS = 12, 40  # larger values are not shown
CHECK_PERIOD = 256  # lines between two checks of the clock
CALL, RETURN = 0, -1  # instead of a line number
# CPU time, because a busy machine is not the program's fault. Its wall time is limited to
# `PATIENCE` times as much.
PATIENCE = 3
thread_seconds: Callable[[], float] = getattr(time, "thread_time", time.process_time)
SAME_NODE = object()  # stands for a call at the same position
BOARD_MODULES = tuple(
    f"gamelib.{name}" for name in ("games", "state", "board_layout", "svg", "conformance")
)
COURSE_PACKAGES = ("gamelib", "arena", "course")

Change = tuple[str, Any, Any]  # variable, value before, value after
Tracer = Callable[[FrameType, str, Any], Any]
Reader = Callable[[FrameType], Tracer | None]


class SourceLine(NamedTuple):
    """A line of a function, with its number in the file."""

    code: CodeType
    line: int


class Step(NamedTuple):
    """An event, the line that caused it, its visit, and the variables that it changed."""

    event: Event
    location: SourceLine
    visit: Visit
    changes: tuple[Change, ...] = ()


class LogEntry(NamedTuple):
    """The lines of a call up to one that changed a variable, called a function, or left a loop.

    ran   the last of these lines
    line  the next line; CALL or RETURN
    """

    call: Call
    ran: int
    line: int
    changes: Sequence[Change]


class RecordingLimitReached(BaseException):
    """Raised inside a program when enough has been recorded; `except Exception` lets it pass."""


class RecordedNode:
    """A position that the program visits: as it is shown, and the equal objects for it.

    requested_actions  the actions whose successors the program has generated
    """

    __slots__ = ("action", "entry", "parent", "requested_actions", "state", "states")

    def __init__(
        self, position: GameState, action: Any, parent: RecordedNode | None, entry: Call
    ) -> None:
        self.state = state_held_by(position) or position
        self.states = [position] if self.state is position else [position, self.state]
        self.action, self.parent, self.entry = action, parent, entry
        self.requested_actions: set[Any] = set()

    def is_at(self, position: GameState | None) -> bool:
        """Return whether this is the node of a position."""
        return position is not None and any(position is s or position == s for s in self.states)


class Call:
    """A call at the position of a node; `entry` is true if the call created the node.

    caller     the call that made it, at the same node or at the parent
    call_line  the line of the caller
    """

    __slots__ = (
        "arguments",
        "call_line",
        "caller",
        "code",
        "entry",
        "error",
        "facts",
        "last_values",
        "line",
        "module",
        "node",
        "number",
        "returned",
        "visit",
    )
    node: RecordedNode

    def __init__(self, frame: FrameType, caller: Call | None, entry: bool, number: int = 0) -> None:
        self.code, self.module = frame.f_code, frame.f_globals.get("__name__") or ""
        self.facts = facts_of(self.code)
        self.caller, self.entry, self.number = caller, entry, number
        self.call_line = _line_in(frame.f_back, caller) if caller else 0
        self.line = frame.f_code.co_firstlineno
        self.last_values: dict[str, Any] = dict(frame.f_locals)
        self.arguments = small_values(self.last_values)
        self.returned: Any = None
        self.error: BaseException | None = None
        self.visit: Any = None  # set by EventBuilder

    def changes(self, frame: FrameType, ran: int) -> Sequence[Change]:
        """Return the small variables that a line has changed."""
        names = self.facts.stores.get(ran, self.facts.shared)
        if not names:
            return ()
        seen, now, found = self.last_values, frame.f_locals, []
        for name in names:
            value, before = now.get(name), seen.get(name)
            if value is not before:
                seen[name] = value
                if is_small(value):
                    before, value = plain(before) if is_small(before) else None, plain(value)
                    if differ(before, value):
                        found.append((name, before, value))
        return found or ()


class Recorder:
    """The record of one run of a program.

    hooks   code -> a function that traces its calls instead
    log     the entries in order
    calls   the calls at positions, in order
    answer  the result of the program
    ended   a sentence if the record ends before the program
    error   the error that the program raised
    """

    def __init__(
        self, name: str, max_nodes: int, max_seconds: float, hooks: Mapping[CodeType, Reader]
    ) -> None:
        self.name, self.max_nodes, self.max_seconds = name, max_nodes, max_seconds
        self.hooks = hooks
        self.log: list[LogEntry] = []
        self.calls: list[Call] = []
        self.answer: Any = None
        self.error: BaseException | None = None
        self.ended: str | None = None
        self._own: tuple[CodeType, ...] = ()
        self._stack: list[Call] = []
        self._nodes, self._ticks, self._entries = 0, count(1), count()  # and of lines and calls
        self._depth_period = DEPTH_PERIOD
        self._late = thread_seconds() + max_seconds
        self._too_late = time.monotonic() + PATIENCE * max_seconds
        self._inside = False  # whether a method of the game is running
        self._others = False  # whether a hook is tracing a function
        self._born: dict[int, tuple[GameState, GameState, Any]] = {}
        # id -> code, how its calls are traced, and whether by instructions
        self._codes: dict[int, tuple[CodeType, Reader | None, bool]] = {}
        self._makers: set[int] = set()  # codes that have called a function at a successor
        self._helpers: set[int] = set()  # codes that had not done so when they returned
        self._paused: dict[FrameType, Call] = {}  # generators that are suspended

    def run(self, program: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        """Run a program to its end, or until enough has been recorded."""
        self._own = codes_of(program)
        try:
            with (
                open(os.devnull, "w", encoding="utf-8") as nowhere,  # its output may be long
                redirect_stdout(nowhere),
                self._watching(),
            ):
                self.answer = program(*arguments, **options)
        except RecordingLimitReached:
            pass
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            self.error = error
            self.ended = self.ended or f"{self.name} raised {describe_error(error)}"

    @contextmanager
    def _watching(self) -> Iterator[None]:
        limit, tracer, profiler = sys.getrecursionlimit(), sys.gettrace(), sys.getprofile()
        sys.setrecursionlimit(limit + EXTRA_CALLS)
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(tracer)
            sys.setprofile(profiler)
            sys.setrecursionlimit(limit)

    # --- limits ---

    def _check_limits(self) -> None:
        if len(self.log) > MAX_ENTRIES:
            self._end(f"changed its variables {MAX_ENTRIES:,} times")
        if thread_seconds() > self._late:
            self._end(f"ran for {self.max_seconds:g} seconds")
        if time.monotonic() > self._too_late:
            self._end(f"took {PATIENCE * self.max_seconds:g} seconds")

    def _end(self, why: str) -> NoReturn:
        self.ended = f"{self.name} {why}, and the record ends there"
        sys.setprofile(self._raise_again)
        raise RecordingLimitReached

    def _raise_again(self, frame: FrameType, event: str, arg: Any) -> None:
        """Stop a program that catches every exception: raise again at its next line.

        A call that the program still makes, such as one in a `finally`, ends at its first line.
        Otherwise it could go on to the limit of recursion, where this function cannot run.
        """
        if event == "call":
            sys.settrace(self._raise_limit)
            frame.f_trace = self._raise_limit
        above = frame.f_back
        if event == "return" and above is not None:
            if above.f_code is Recorder.run.__code__:
                sys.setprofile(None)
            else:
                sys.settrace(self._raise_limit)
                above.f_trace = self._raise_limit

    def _raise_limit(self, frame: FrameType, event: str, arg: Any) -> Tracer:
        if event == "line":
            raise RecordingLimitReached
        return self._raise_limit

    def _refuse_call(self) -> NoReturn:
        """Raise the error of too many nested calls while the recorder can still continue.

        Python stops tracing when a tracer raises, so it is resumed at the next call or return.
        From now on every call is checked, because a program may call again and again at the limit.
        """
        self._depth_period = 1
        sys.setprofile(self._trace_again)
        raise RecursionError("maximum recursion depth exceeded")

    def _trace_again(self, frame: FrameType, event: str, arg: Any) -> None:
        sys.setprofile(None)
        sys.settrace(self._called)
        if event == "call" and is_deep():
            raise RecursionError("maximum recursion depth exceeded")
        frame.f_trace = frame.f_trace or self._counted

    # --- which calls are recorded ---

    def _called(self, frame: FrameType, event: str, arg: Any) -> Tracer | None:
        """Return the tracer of a function that is called, or of a generator that is resumed."""
        if not next(self._entries) % self._depth_period and is_deep():
            self._refuse_call()
        if self._inside:
            return None  # calls inside a game are not part of the program
        code = frame.f_code
        try:
            known = self._codes.get(id(code))
            if known is None:
                reader = self._reader_of(frame)
                known = self._codes[id(code)] = code, reader, bool(reader) and is_busy_loop(code)
            _, reader, by_instruction = known
            if reader is None:
                return None
            if by_instruction:
                frame.f_trace_opcodes = True
            return reader(frame)
        except Exception:  # calls are nested too deeply for the recorder, so it ignores them
            return None

    def _reader_of(self, frame: FrameType) -> Reader | None:
        module, code = frame.f_globals.get("__name__") or "", frame.f_code
        if code in self.hooks:
            return self._let_watch
        first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        if isinstance(first, GameState) and code not in self._own:
            methods = (part for kind in type(first).__mro__ for part in vars(kind).values())
            if any(code in codes_of(method) for method in methods):
                return self._trace_game_call
        # Creating, comparing or printing an object is not a visit of its position.
        hidden = code.co_name.startswith("__") and code.co_name != "__call__"
        if _is_in_board_module(frame) or module.partition(".")[0] in sys.stdlib_module_names:
            hidden = True
        return None if hidden else self._read

    def _let_watch(self, frame: FrameType) -> Tracer | None:
        """Let a hook trace a call of its function; from now on nothing else is recorded."""
        self._others = True
        self._check_limits()
        return self.hooks[frame.f_code](frame)

    def _trace_game_call(self, frame: FrameType) -> Tracer:
        """Wait for a game's method to return; if it returns a successor, record its parent."""
        self._inside, frame.f_trace_lines = True, False
        return self._on_game_call

    def _on_game_call(self, frame: FrameType, event: str, arg: Any) -> Tracer:
        if event == "return":
            self._inside = False
            if is_position_type(type(arg)):
                self._register_child(arg, *call_arguments(frame, named=False))
            elif arg is not None and _is_in_board_module(frame):
                # The methods of the library's games call nothing of the program, so those that
                # return no successor need not be traced again.
                self._codes[id(frame.f_code)] = frame.f_code, None, False
        return self._on_game_call

    def _register_child(self, child: GameState, parent: Any, *actions: Any) -> None:
        """Record the parent and the action of a generated position, or of a copy of one."""
        if len(self._born) > 10 * self.max_nodes:
            self._born.clear()
        if len(actions) == 1:
            self._born[id(child)] = child, parent, actions[0]
            if self._stack and parent is self._stack[-1].node.states[0]:
                self._stack[-1].node.requested_actions.add(actions[0])
        elif not actions and (born := self._born.get(id(parent))):
            self._born[id(child)] = child, *born[1:]

    def _read(self, frame: FrameType) -> Tracer | None:
        """Record a call at a position; for any other call only count its lines."""
        if self._others:
            return None
        if self._paused and (call := self._paused.pop(frame, None)):
            self._stack.append(call)
            return self._tracer_of(call)
        step = self._step_of(frame)
        if step is None or (step is SAME_NODE and id(frame.f_code) in self._helpers):
            ours = (frame.f_globals.get("__name__") or "").startswith(COURSE_PACKAGES)
            return None if ours else self._counted
        maker = self._stack[-1] if self._stack else None
        call = Call(frame, maker, step is not SAME_NODE, len(self.calls))
        if maker and step is SAME_NODE:
            call.node = maker.node
        else:
            position, action = step
            call.node = RecordedNode(position, action, maker.node if maker else None, call)
            self._nodes += 1
            self._makers.add(id(maker.code) if maker else 0)
        self._check_limits()
        if self._nodes > self.max_nodes:
            self._end(f"made {self.max_nodes:,} nodes")
        if len(self._stack) >= MAX_OPEN_CALLS:
            self._end(f"made {MAX_OPEN_CALLS:,} calls inside each other")
        self.calls.append(call)
        self._stack.append(call)
        self.log.append(LogEntry(call, call.line, CALL, ()))
        return self._tracer_of(call)

    # --- the node of a call ---

    def _step_of(self, frame: FrameType) -> Any:
        """Return (position, action) for a new node, SAME_NODE for the same one, or None."""
        values = call_arguments(frame)
        found = self._node_in([value for value in values if is_position_type(type(value))])
        if found is None and not frame.f_code.co_name.startswith("<"):
            found = self._node_in([held for value in values if (held := state_held_by(value))])
        return found

    def _node_in(self, positions: list[GameState]) -> Any:
        if not positions or not self._stack:
            return (positions[0], None) if positions else None
        node = self._stack[-1].node
        for position in positions:
            born = self._born.get(id(position))
            if born and (born[1] is node.states[0] or node.is_at(born[1])):
                # A position whose successors are also arguments: its caller has gone on from its
                # node.
                ours = (self._born.get(id(other)) for other in positions)
                gone = len(positions) > 1 and any(its and its[1] is position for its in ours)
                return None if gone else (position, born[2])
        for position in positions:
            if node.is_at(position) or node.is_at(state_held_by(position)):
                if position not in node.states:
                    # a game that reaches an equal position, for example in rounds
                    node.states.insert(0, position)
                return SAME_NODE
        state = node.states[0]
        for position in positions:  # a position whose parent is unknown
            if id(position) not in self._born and type(position) is type(state):
                for action in state.legal_actions():
                    if state.successor(action) == position:
                        return position, action
        return None

    # --- the lines of a call ---

    def _tracer_of(self, call: Call) -> Tracer:
        """Return a tracer that records every line of a call, with the variables changed by then."""
        log, ticks, changes = self.log, self._ticks, call.changes
        breaks, stores, shared = call.facts.outline.breaks, call.facts.stores, call.facts.shared

        def follow(frame: FrameType, event: str, arg: Any) -> Tracer:
            if event == "line":
                ran = call.line
                call.line = frame.f_lineno
                changed = changes(frame, ran) if shared or ran in stores else ()
                if changed or ran in breaks or len(log) < ALL_LINES:
                    log.append(LogEntry(call, ran, call.line, changed))
                if not next(ticks) % CHECK_PERIOD:
                    self._check_limits()
            elif event == "return":
                self._returned(call, frame, arg)
            elif event == "opcode":
                self._counted(frame, event, arg)
            else:
                call.error = arg[1]  # reset if the call returns after all
            return follow

        return follow

    def _returned(self, call: Call, frame: FrameType, arg: Any) -> None:
        code, last = frame.f_code, "RETURN"
        if self._stack and self._stack[-1] is call:
            self._stack.pop()
        if arg is None or code.co_flags & CO_GENERATOR:
            last = opname[code.co_code[frame.f_lasti]]
        # RESUME from Python 3.13 on
        if code.co_flags & CO_GENERATOR and last in ("YIELD_VALUE", "RESUME"):
            self._paused[frame] = call
            return
        if last.startswith("RETURN"):
            call.error = None
        call.returned = plain(arg)
        self.log.append(LogEntry(call, call.line, RETURN, call.changes(frame, call.line)))
        call.line, call.last_values = frame.f_lineno, {}
        # A function that first looks into a table and then calls the recursion has not created a
        # node yet.
        asked = call.caller is not None and id(call.caller.code) in self._makers
        if asked and not call.entry and id(code) not in self._makers:
            self._helpers.add(id(code))

    def _counted(self, frame: FrameType, event: str, arg: Any) -> Tracer:
        if not next(self._ticks) % CHECK_PERIOD:
            self._check_limits()
        return self._counted


class CodeFacts:
    """What the recorder needs to know about a function, computed once.

    outline  the outline of its source
    stores   line -> the local variables to which it assigns, and `shared`
    shared   variables that nested functions can change at any line
    """

    def __init__(self, code: CodeType) -> None:
        self.code, self.shared, self.outline = code, code.co_cellvars, outline_of(code)
        self._returned: dict[int, tuple[Span, tuple[str, ...]]] = {}
        found: dict[int, set[str]] = {}
        spans = [span for span in code.co_lines() if span[2] is not None]
        for each in get_instructions(code):
            if "STORE_FAST" in each.opname:
                names = each.argval if isinstance(each.argval, tuple) else (each.argval,)
                line = next((line for at, end, line in spans if at <= each.offset < end), 0)
                found.setdefault(line or 0, {*self.shared}).update(names)
        every = dict.fromkeys((*code.co_varnames, *self.shared))
        self.stores = {line: tuple(n for n in every if n in names) for line, names in found.items()}

    def returned_at(self, line: int) -> tuple[Span, tuple[str, ...]]:
        """Return the lines of the `return` at a line, or of the last one, and its variables.

        Parts of the result that are not local variables are "".
        """
        if line not in self._returned:
            returns = self.outline.returns
            at = line if line in returns else max(returns, default=0)
            lines, names = returns.get(at, (range(0), ()))
            own = {*self.code.co_varnames, *self.code.co_cellvars} - self.outline.targets
            self._returned[line] = lines, tuple(name if name in own else "" for name in names)
        return self._returned[line]


_FACTS: dict[int, CodeFacts] = {}  # by the id of the code, because its hash takes long


def facts_of(code: CodeType) -> CodeFacts:
    """Return the cached facts of a function."""
    found = _FACTS.get(id(code))
    if found is None:
        if len(_FACTS) > MAX_FACTS:
            _FACTS.clear()
        found = _FACTS[id(code)] = CodeFacts(code)
    return found


@lru_cache(maxsize=MAX_FACTS)
def is_busy_loop(code: CodeType) -> bool:
    """Return whether an instruction jumps to itself: `while True: pass` reaches no new line."""
    jumps = (each for each in get_instructions(code) if "JUMP" in each.opname)
    return any(each.argval == each.offset for each in jumps)


def _line_in(frame: FrameType | None, caller: Call) -> int:
    """Return the line of a call that has led to this frame."""
    while frame is not None and frame.f_code is not caller.code:
        frame = frame.f_back
    return frame.f_lineno if frame else caller.line


def call_arguments(frame: FrameType, *, named: bool = True) -> list[Any]:
    """Return all arguments of a call; without `named`, only the positional ones."""
    code, held = frame.f_code, frame.f_locals
    positional, flags = code.co_argcount, code.co_flags
    every = positional + code.co_kwonlyargcount
    values = [held.get(name) for name in code.co_varnames[: every if named else positional]]
    if flags & CO_VARARGS:
        values += held.get(code.co_varnames[every], ())
    if named and flags & CO_VARKEYWORDS:
        values += held.get(code.co_varnames[every + bool(flags & CO_VARARGS)], {}).values()
    return values


def _is_position_type(kind: type) -> bool:
    """Return whether a class is a game; for an abstract class, `isinstance` takes long."""
    return issubclass(kind, GameState)


is_position_type: Callable[[Any], bool] = lru_cache(maxsize=MAX_FACTS)(_is_position_type)


def _is_in_board_module(frame: FrameType) -> bool:
    return (frame.f_globals.get("__name__") or "").startswith(BOARD_MODULES)


def state_held_by(value: Any) -> GameState | None:
    """Return the position in the attribute `state` of an object, or None."""
    try:
        held = object.__getattribute__(value, "state")
    except Exception:
        return None
    return held if isinstance(held, GameState) else None


SCALARS = (int, float, Fraction, type(None))
# the most frequent types, for which a quick check is enough
SMALL_TYPES = {int, float, bool, type(None)}
LARGE_TYPES = {list, dict, set}


def is_small(value: Any) -> bool:
    """Return whether a value is shown: a number, True, None, or a short text or tuple."""
    kind = type(value)
    if kind in SMALL_TYPES or kind in LARGE_TYPES:
        return kind in SMALL_TYPES
    # The methods of a learner's object may raise, so only its type is checked.
    if issubclass(kind, tuple):
        parts = (*SCALARS, str, tuple)
        return len(value) <= MAX_TUPLE_LENGTH and all(issubclass(type(p), parts) for p in value)
    return issubclass(kind, SCALARS) or (issubclass(kind, str) and len(value) <= MAX_TEXT_CHARS)


def small_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the variables that are shown, with Python numbers."""
    found = {}
    for name, value in values.items():
        if type(value) in SMALL_TYPES:
            found[name] = value
        elif is_small(value):
            found[name] = plain(value)
    return found


def plain(value: Any) -> Any:
    """Return a number of a learner's or numpy's type as a Python number."""
    kind = type(value)
    if kind in SMALL_TYPES:
        return value
    if issubclass(kind, int):
        return int.__int__(value)
    return float.__float__(value) if issubclass(kind, float) else value


def is_deep() -> bool:
    """Return whether nearly as many calls are nested as Python allows."""
    try:
        sys._getframe(sys.getrecursionlimit() - SPARE_CALLS)
    except ValueError:
        return False
    return True


def differ(one: Any, other: Any) -> bool:
    """Return whether two values differ; values that cannot be compared count as different."""
    try:
        return bool(one != other)
    except Exception:
        return True


def codes_of(program: Any) -> tuple[CodeType, ...]:
    """Return the code of a function, of the function it wraps, and of a property or method."""
    names = () if isinstance(program, type) else ("__wrapped__", "__func__", "fget", "func")
    inner = [part for name in names if (part := getattr(program, name, None)) is not None]
    code = getattr(program, "__code__", None)
    own = (code,) if isinstance(code, CodeType) else ()
    return sum((codes_of(part) for part in inner), own)


def describe_error(error: BaseException) -> str:
    """Return the type and the first line of an error; for RecursionError an explanation."""
    if isinstance(error, RecursionError):
        return "RecursionError: its calls go on inside each other without end"
    try:
        text = str(error).strip().partition("\n")[0]
    except Exception:
        text = "and its text cannot be printed"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
