"""The trace of a search: every step of it can be revisited, counted and asked about.

The contents of a frame depend only on the trace and the number of the frame.
"""

from __future__ import annotations

import gc
import inspect
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import accumulate
from typing import Any

from course.tracing.any_program import (
    CallRecorder,
    CallTree,
    Inferred,
    copied,
    looks_like_a_board,
)
from course.tracing.boards import in_brief
from course.tracing.event_builder import EventBuilder
from course.tracing.events import (
    Backpropagate,
    Cut,
    Draw,
    Event,
    Expand,
    Rollout,
    RunLine,
    Select,
)
from course.tracing.first_wrong import WrongAnswer, first_wrong, never_tried
from course.tracing.mcts_phases import PhaseRecorder, traceable_options
from course.tracing.recorder import Change, Recorder, Step, describe_error
from course.tracing.visits import NodeInfo, Path, Visit, node_at, viewpoint
from gamelib.conformance import check_state
from gamelib.search.mcts_tree import Ucb
from gamelib.search.registry import search_info
from gamelib.search.result import SearchResult
from gamelib.state import CHANCE, Action, GameState

MAX_NODES, MAX_SECONDS = 20_000, 5.0


def record(
    program: Callable[..., Any], *arguments: Any, game: Any = None, like: Any = None, **options: Any
) -> Trace:
    """Return the `Trace` of `program(*arguments, **options)`: what it did, step by step.

    The program is a search of this library, any function that calls itself or another one with
    successors of its position, or any recursive function with a board of its own.  The record ends
    after 20,000 nodes or five seconds; then `ended` says so.

    game  the game that a learner's board shows: a class, or a position with its rules
    like  a function that turns the arguments of a call into a position of this library

    ValueError if the program cannot be called with these arguments.
    """
    is_ours = is_registered(program) or (bool(arguments) and is_position(arguments[0]))
    if callable(program) and not is_ours and not any(map(is_position, arguments)):
        return record_any(program, arguments, options, game=game, like=like)
    return record_search(program, *(arguments or (None,)), **options)


def is_position(value: Any) -> bool:
    """Return whether a value is a position of this library, or a class of positions."""
    return isinstance(value, GameState) or (
        isinstance(value, type) and issubclass(value, GameState)
    )


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which would scan the growing record again and again."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


@_collector_paused()
def record_any(
    program: Callable[..., Any],
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    *,
    game: Any = None,
    like: Any = None,
) -> Trace:
    """Return the trace of a program with its own board."""
    name = getattr(program, "__name__", type(program).__name__)
    _check_call(program, name, arguments, options)
    run = CallRecorder(name, MAX_NODES, MAX_SECONDS, like)
    run.watch(program, *copied(arguments), **options)
    _check_run(run, name, arguments)
    calls = CallTree(run, game)
    state: Any = calls.first.node if calls.first else None
    read = EventBuilder(run, state, options, None)
    trace = Trace(state, read, run=run, search=name, options=options)
    wanted = getattr(game, "__name__", type(game).__name__) if game is not None else ""
    if run.again:
        trace.inferred = str(Inferred(calls.board, calls.names, calls.known, wanted))
    trace.ended = run.ended
    if read.claims and not read.walks:
        trace.first_wrong = first_wrong(read.visits, read.claims)
        trace.untried = never_tried(read.visits, read.claims)
    if calls.broken:
        trace.broken = next((v.path for v in read.visits if v.call is calls.broken[0].call), None)
    if trace.ended is None and len(trace.visits) == 1 and not run.again:
        trace.ended = f"{name} never calls itself, so only its lines are shown"
    return trace


def _check_run(run: CallRecorder, name: str, arguments: tuple[Any, ...]) -> None:
    """Raise an error in words if nothing could be recorded of a learner's program."""
    yours = f"a program takes its own arguments: SearchStepper({name}, board, True)"
    if not run.raw:
        what = "is a class, a generator or not written in Python, so its calls cannot be followed"
        raise TypeError(f"program must be a function; {name} {what}; {yours}")
    if run.error and not run.again and _is_no_board(arguments):
        got = ", ".join(map(in_brief, arguments))
        why = f"{name} raised {describe_error(run.error)}"
        must = "state must be a position, such as TicTacToe(), or a board of your own"
        raise TypeError(f"{must}; got {got}. {why}; {yours}")
    if run.unlike and not any(one.like for one in run.raw):
        raise ValueError(f"like must turn the arguments into a position of ours; {run.unlike}")


def _is_no_board(arguments: tuple[Any, ...]) -> bool:
    return not any(map(looks_like_a_board, arguments))


@_collector_paused()
def record_search(
    program: Callable[..., Any], state: GameState, *arguments: Any, **options: Any
) -> Trace:
    """Return the trace of a search over positions of this library."""
    asked: Any = program
    while isinstance(asked, partial) and not asked.args:
        asked, options = asked.func, {**asked.keywords, **options}
    name = getattr(asked, "__name__", type(asked).__name__)
    _check(asked, name, state, arguments, options)
    phases, before = PhaseRecorder(state), repr(state)
    run = Recorder(name, MAX_NODES, MAX_SECONDS, phases.readers)
    read: EventBuilder | PhaseRecorder = phases
    run.run(asked, state, *arguments, **traceable_options(asked, options))
    if run.error and not any(call.caller for call in run.calls) and is_registered(asked):
        raise run.error.with_traceback(None)
    if not phases.steps:
        ours = is_registered(asked)
        values_for = search_info(asked).values_for if ours else None
        read = EventBuilder(run, state, options, values_for, trusted=ours)
    trace = Trace(state, read, run=run, search=name, options=options)
    trace.ended = run.ended or _what_is_missing(trace, name, before, read)
    return trace


def _check(program: Any, name: str, state: Any, arguments: Any, options: Any) -> None:
    """Raise a ValueError if the program cannot be called like this, a TypeError for no position."""
    if not callable(program):
        raise ValueError(f"program must be a function of a position; got {program!r}")
    check_state(state)
    _check_call(program, name, (state, *arguments), options)


def _check_call(program: Any, name: str, arguments: Any, options: Any) -> None:
    """Raise a ValueError that says why a program cannot be called with these arguments."""
    try:
        inspect.signature(program).bind(*arguments, **options)
    except TypeError as error:
        if not is_registered(program):  # the library's searches have better messages
            takes = f"{name}{inspect.signature(program)}"
            raise ValueError(f"{takes} cannot be called with these arguments: {error}") from None
    except ValueError:  # some functions written in C have no signature
        pass


def is_registered(program: Any) -> bool:
    """Return whether a program is a search that is registered with its metadata."""
    return hasattr(program, "description")


def _what_is_missing(
    trace: Trace, name: str, before: str, read: EventBuilder | PhaseRecorder
) -> str | None:
    """Return a sentence if a finished program has not searched a tree, or None."""
    if repr(trace.state) != before:
        return f"{name} has changed the position that it was given; a successor is a new one"
    if isinstance(read, EventBuilder) and read.walks:
        return (
            f"{name} follows one path at a time, as Monte Carlo tree search does. The paths are "
            "shown without values, because what it counts at a node is not the node's value"
        )
    if trace.is_mcts or len(trace.visits) > 1 or trace.state.is_terminal():
        return None
    return f"{name} never passes a successor to a function, so only its lines are shown"


class Trace:
    """The events of one search, in order, and the tree at every step.

    `len(trace)` is the number of events, `trace[i]` is one of them, `trace[a:b]` are several, and
    `trace.at(i)` is the tree after the first i.
    """

    def __init__(
        self,
        state: GameState,
        read: EventBuilder | PhaseRecorder | None = None,
        *,
        run: Recorder | None = None,
        search: str = "no search",
        options: dict[str, Any] | None = None,
    ) -> None:
        """Take the events that were derived from the record of a run."""
        self.state, self.search, self.options = state, search, options or {}
        self.answer = run.answer if run else None
        self.result = self.answer if isinstance(self.answer, SearchResult) else None
        self.error = run.error if run else None
        self.inferred = ""  # what was inferred about a program with its own board, as a sentence
        self.first_wrong: WrongAnswer | None = None
        self.untried: tuple[Path, tuple[Action, ...]] | None = None
        self.broken: Path | None = None  # the path of the first board that no move explains
        self.ended: str | None = None  # why the record ends early, as a sentence
        self._steps: Sequence[Step] = read.steps if read else ()
        self.events = tuple(step.event for step in self._steps)
        self.locations = [step.location for step in self._steps]  # the line that caused each event
        self.visits: Sequence[Visit] = read.visits if read else ()
        self.programs = tuple(read.programs) if read else ()  # the functions of the recursion
        # The steps at which an estimate was met, at a depth limit or in a table.
        self.guesses = read.estimate_steps if isinstance(read, EventBuilder) else []
        self.is_mcts = isinstance(read, PhaseRecorder)
        # A learner's Monte Carlo search has no values, and no player in it is max or min.
        self.walks = isinstance(read, EventBuilder) and read.walks
        self.perspective = self.visits[0].perspective if self.visits and not self.walks else None
        self.starts = [visit.entered for visit in self.visits]
        self.roots = [visit for visit in self.visits if visit.parent is None]

    def __len__(self) -> int:
        return len(self.events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __getitem__(self, step: int | slice) -> Any:
        return self.events[step]

    def __repr__(self) -> str:
        return f"Trace({self.search}, {len(self.visits):,} nodes, {len(self):,} events)"

    def visit_of(self, step: int) -> Visit:
        """Return the visit in which the event number `step`, from 0, happened."""
        return self._steps[step].visit

    def changes(self, step: int) -> tuple[Change, ...]:
        """Return the variables that the event before `step` has changed: (name, before, after)."""
        return self._steps[step - 1].changes if 0 < step <= len(self) else ()

    def at(self, step: int) -> TraceFrame:
        """Return the tree after the first `step` events, 0 to len(trace); ValueError otherwise."""
        if type(step) is not int or not 0 <= step <= len(self):
            raise ValueError(f"step must be an int from 0 to {len(self)}; got {step!r}")
        return TraceFrame(self, step)

    @cached_property
    def is_mover_relative(self) -> bool:
        """Whether each value is for the player to move at its node, as in negamax.

        A learner's Monte Carlo search has no values, so it is false there.
        """
        perspectives = {visit.perspective for visit in self.visits} - {None, self.perspective}
        return bool(perspectives) and not self.walks

    @property
    def is_root_relative(self) -> bool:
        """Whether all values are for the same player, as in minimax."""
        return self.perspective is not None and not self.is_mover_relative

    def role(self, state: GameState) -> str:
        """Return "max", "min" or "chance" for the player to move; "" if each maximizes its own."""
        if state.current_player == CHANCE:
            return "chance"
        if (
            self.is_mover_relative
            or self.is_mcts
            or self.walks
            or not (state.num_players == 2 or self.is_root_relative)
        ):
            return ""
        me = viewpoint(self.state) if self.perspective is None else self.perspective
        return "max" if state.current_player == me else "min"

    def visited(self) -> tuple[Path, ...]:
        """Return the visited nodes as paths from the root, in the order of their first visits."""
        return tuple(dict.fromkeys(visit.path for visit in self.visits))

    def cuts(self) -> dict[Path, Cut]:
        """Return path of a node -> the cut that skipped its other actions."""
        return {visit.path: visit.cut[1] for visit in self.visits if visit.cut}

    @cached_property
    def cuts_hold(self) -> bool:
        """Whether all cuts are shown to be safe by the record."""
        return all(cut.sound for cut in self.cuts().values())

    def pruned(self) -> tuple[Path, ...]:
        """Return the paths of the actions that were skipped, in order."""
        visited = set(self.visited())
        paths = [(*path, action) for path, cut in self.cuts().items() for action in cut.skipped]
        return tuple(path for path in paths if path not in visited)


class TraceFrame:
    """The tree of a trace after some of its events, or after a part of the last one of them.

    A part is an action of a rollout, or a node of a backpropagation.  All events of a leaf form one
    frame: the search enters it, finds its value and returns it.  `part` counts from 0 to `parts` -
    1, and is the last one by default.  After the last event there is one more part, in which the
    chosen action is played.
    """

    def __init__(self, trace: Trace, step: int, part: int | None = None) -> None:
        self.trace, self.step = trace, step
        self.known = bisect_right(trace.starts, step)  # number of visits so far
        self.parts = num_parts(trace, step)
        self.part = self.parts - 1 if part is None else part
        # the event that has just happened
        self.event: Event | None = trace[step - 1] if step else None
        self._shown: dict[Path, Visit | None] = {}

    def __repr__(self) -> str:
        return f"TraceFrame(step {self.step} of {len(self.trace)}, {self.known:,} nodes)"

    @cached_property
    def first_event(self) -> int:
        """The number of events before those that happen in this frame."""
        step = self.step - 1
        while step > 0 and not num_parts(self.trace, step):
            step -= 1
        return max(0, step)

    @property
    def is_last(self) -> bool:
        """Whether this is the last frame."""
        return self.step == len(self.trace) and self.part == self.parts - 1

    @property
    def played_action(self) -> Action | None:
        """The action that the search plays after its last event; None before."""
        return _played(self.trace) if self.is_last else None

    @property
    def path(self) -> Path:
        """The path of the current simulation of MCTS, on the way down and up."""
        if self.played_action is not None or not self.trace.is_mcts:
            return ()
        return self.event.path if isinstance(self.event, Backpropagate) else self.focus or ()

    @property
    def focus(self) -> Path | None:
        """The path of the current node; None before the first event."""
        if isinstance(self.event, Backpropagate):
            return self.event.path[: max(0, len(self.event.path) - self.part)]
        return self.trace.visit_of(self.step - 1).path if self.step else None

    @property
    def stack(self) -> tuple[Path, ...]:
        """The nodes that are open, from the root to the current one."""
        focus = self.focus or ()
        paths = [focus[:length] for length in range(len(focus) + 1)] if self.step else []
        return tuple(path for path in paths if self.node(path).status == "open")

    @property
    def rollout_actions(self) -> tuple[Action, ...]:
        """The actions of a rollout that have been played."""
        return self.event.actions[: self.part + 1] if isinstance(self.event, Rollout) else ()

    @property
    def state(self) -> GameState:
        """The current position."""
        if self.played_action is not None:
            return self.trace.state.successor(self.played_action)
        visit = None if self.focus is None else self.visits_of(self.focus)
        return visit.state.play(*self.rollout_actions) if visit else self.trace.state

    @property
    def last(self) -> Action | None:
        """The action that led to `state`; None at the root."""
        if self.played_action is not None:
            return self.played_action
        way = (*(self.focus or ()), *self.rollout_actions)
        return way[-1] if way else None

    @cached_property
    def previous(self) -> TraceFrame:
        """The frame before this event."""
        return TraceFrame(self.trace, self.step - 1)

    def visits_of(self, path: Path) -> Visit | None:
        """Return the latest visit of a node, below the latest visits of its ancestors, or None."""
        if path not in self._shown:
            parent = self.visits_of(path[:-1]) if path else None
            among = self.trace.roots if not path else parent.children if parent else []
            so_far = [v for v in among if v.entered <= self.step and v.path == path]
            self._shown[path] = so_far[-1] if so_far else None
        return self._shown[path]

    def children(self, path: Path) -> tuple[Path, ...]:
        """Return the children of a node visited so far, in the order of their first visits."""
        visit = self.visits_of(path)
        found = visit.children if visit else ()
        return tuple(dict.fromkeys(v.path for v in found if v.entered <= self.step))

    def size(self, path: Path) -> int:
        """Return the number of visits so far at a node and its descendants."""
        visit = self.visits_of(path)
        if visit is None:
            return 0
        if self.trace.is_mcts:
            return 1 + bisect_right(visit.below, self.step)
        return min(self.known - 1, visit.last) - visit.number + 1

    def node(self, path: Path) -> NodeInfo:
        """Return what is known about a node; ValueError if it has not been visited yet."""
        focus = self.focus or ()
        if isinstance(self.event, Backpropagate) and path != focus and path == focus[: len(path)]:
            return self.previous.node(path)  # the value that is backed up has not reached it
        visit = self.visits_of(path)
        if visit is None:
            raise ValueError(
                f"path must lead to a node visited in the first {self.step} steps; got {path!r}"
            )
        strict = bool(self.trace.options.get("strict"))
        return node_at(visit, self.step, self.trace.guesses, strict=strict)

    def line(self) -> Path:
        """Return the best line so far: from the root always to the best child."""
        if self.step == len(self.trace) and not self.is_last:
            return self.previous.line()
        if self.is_last and self.trace.result:
            return self.trace.result.line
        path: Path = ()
        while self.visits_of(path) and (best := self.node(path).best) is not None:
            path = (*path, best)
        return path

    def ucb_table(self, path: Path) -> tuple[Ucb, ...]:
        """Return the UCB table with which this simulation has selected at a node, or ()."""
        visit = self.visits_of(path)
        if visit is None or not isinstance(self.event, Select | Draw | Expand | Rollout):
            return ()
        counted = bisect_right(visit.rewards, self.step, key=lambda reward: reward[0])
        since = visit.rewards[counted - 1][0] if counted else 0
        tables = [table for step, table in visit.tables if since < step <= self.step]
        return tables[-1] if tables else ()


class Timeline:
    """All frames of a trace: `len(timeline)`, `timeline[i]`, `timeline.index_of(step)`."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._ends = list(accumulate(num_parts(trace, step) for step in range(len(trace) + 1)))

    def __len__(self) -> int:
        return self._ends[-1]

    def __getitem__(self, index: int) -> TraceFrame:
        if type(index) is not int or not 0 <= index < len(self):
            raise IndexError(f"step must be an int from 0 to {len(self) - 1}; got {index!r}")
        step = bisect_right(self._ends, index)
        return TraceFrame(self.trace, step, index - (self._ends[step - 1] if step else 0))

    def index_of(self, step: int) -> int:
        """Return the index of the last frame in which the last of `step` events happens.

        The chosen action is played after the last event, in a separate frame.
        """
        if not num_parts(self.trace, step):
            return self._ends[step]
        return self._ends[step] - 1 - (step == len(self.trace) and _played(self.trace) is not None)

    def end_of_simulation(self, index: int) -> int:
        """Return the index of the frame at the end of this simulation, or of the next one."""
        later = range(max(1, self[index].step), len(self.trace) + 1)
        ends = (self.index_of(n) for n in later if isinstance(self.trace[n - 1], Backpropagate))
        return next((end for end in ends if end > index), len(self) - 1)


def num_parts(trace: Trace, step: int) -> int:
    """Return the number of frames of the event after which `step` events have happened.

    It is 0 for events in a leaf before it returns.
    """
    event, parts = trace[step - 1] if step else None, 1
    if step and not trace.is_mcts and not isinstance(event, RunLine):
        visit = trace.visit_of(step - 1)
        returned = visit.returned
        parts = int(bool(visit.children) or returned is None or returned[0] <= step)
    elif isinstance(event, Rollout):
        parts = max(1, len(event.actions))
    elif isinstance(event, Backpropagate):
        parts = len(event.path) + 1
    return parts + (step == len(trace) and _played(trace) is not None)


def _played(trace: Trace) -> Action | None:
    """Return the action that the search chose; None if a learner's search returned none."""
    return trace.result.action if len(trace) and trace.result else None
