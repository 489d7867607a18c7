"""A recorded search: every step can be gone back to, counted and asked about."""

from __future__ import annotations

import gc
import inspect
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from types import CodeType
from typing import Any

from course.watch.events import Cut, Event
from course.watch.phases import Phases, watchable
from course.watch.reading import Reading
from course.watch.recorder import Change, Recorder, Step
from course.watch.visits import NodeFacts, Path, Simulations, Visit, node_at
from gamelib.check import check_state
from gamelib.search.registry import description
from gamelib.search.result import SearchResult
from gamelib.state import CHANCE, GameState

MOST_NODES, MOST_SECONDS = 20_000, 5.0


def record(program: Callable[..., Any], state: GameState, *arguments: Any, **options: Any) -> Trace:
    """Return the `Trace` of `program(state, *arguments, **options)`: what it did, step by step.

    A search of ours or any function that calls itself, or another, with the successors of its
    position.  The record ends after 20,000 nodes or five seconds; `ended` says so.  ValueError for
    what is no such function, or no position.
    """
    asked: Any = program
    while isinstance(asked, partial) and not asked.args:
        asked, options = asked.func, {**asked.keywords, **options}
    name = getattr(asked, "__name__", type(asked).__name__)
    _check(asked, name, state, arguments, options)
    phases, before = Phases(), repr(state)
    run = Recorder(name, MOST_NODES, MOST_SECONDS, phases.readers)
    with _collector_paused():
        run.run(asked, state, *arguments, **watchable(asked, options))
        if run.error and not any(call.maker for call in run.calls) and is_described(asked):
            raise run.error.with_traceback(None)
        trace, walks = Trace(state, run=run, search=name, options=options), False
        if phases.steps:
            tree = Simulations(state, [step.event for step in phases.steps])
            trace.fill(phases.steps, tree.visits, tree.focus, tuple(phases.programs))
        else:
            values_for = description(asked).values_for if is_described(asked) else None
            reading = Reading(run, state, options, values_for)
            visits, walks = reading.text.visits, reading.walks
            trace.fill(reading.steps, visits, reading.focus, reading.text.programs, reading.guesses)
    trace.ended = run.ended or _what_is_missing(trace, name, before, walks)
    return trace


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector from looking, again and again, at a record that is all kept."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _check(program: Any, name: str, state: Any, arguments: Any, options: Any) -> None:
    """Raise a ValueError for what cannot be called with a position, a TypeError for no position."""
    if not callable(program):
        raise ValueError(f"a program is a function of a position; got {program!r}")
    check_state(state)
    try:
        inspect.signature(program).bind(state, *arguments, **options)
    except TypeError as error:
        if not is_described(program):  # ours say it better themselves
            takes = f"{name}{inspect.signature(program)}"
            raise ValueError(f"{takes} cannot be called with this: {error}") from None
    except ValueError:  # of some functions that are written in C nothing is known
        pass


def is_described(program: Any) -> bool:
    """Return whether a program is a search that says of itself what it is."""
    return hasattr(program, "description")


def _what_is_missing(trace: Trace, name: str, before: str, walks: bool) -> str | None:
    """Return a sentence on a program that has ended, and has not walked through a tree."""
    if repr(trace.state) != before:
        return f"{name} has changed the position that it was given; a successor is a new one"
    if walks:
        return f"{name} goes down one way at a time: each is shown, and not what it counts on it"
    if trace.is_mcts or len(trace.visits) > 1 or trace.state.is_terminal():
        return None
    return f"{name} calls no function with a successor of its position, so only its lines are shown"


class Trace:
    """The events of one search, in order, and the tree they describe at every step.

    `len(trace)` is the number of events, `trace[i]` one of them, `trace[a:b]` several;
    `trace.at(i)` is the tree after the first i.
    """

    def __init__(
        self,
        state: GameState,
        *,
        run: Recorder | None = None,
        search: str = "no search",
        options: dict[str, Any] | None = None,
    ) -> None:
        self.state, self.search, self.options = state, search, options or {}
        self.answer = run.answer if run else None
        self.result = self.answer if isinstance(self.answer, SearchResult) else None
        self.error, self.printed = (run.error, run.printed) if run else (None, "")
        self.ended: str | None = None  # why the record ends early, in a sentence
        self.fill((), (), (), ())

    def fill(
        self,
        steps: Sequence[Step],
        visits: Sequence[Visit],
        focus: Sequence[Visit],
        programs: tuple[CodeType, ...],
        guesses: Sequence[int] = (),
    ) -> None:
        """Take what was read off the record.

        focus     the visit in which each step happened
        programs  its text: the functions that go down the tree
        guesses   the steps at which an estimate was met, at a depth limit or in a table
        """
        self.events = tuple(step.event for step in steps)
        self.places = [step.place for step in steps]  # the line that did each event
        self._changes = [step.changes for step in steps]
        self.visits, self.programs = visits, programs
        self._focus, self._guesses = focus, guesses
        self.is_mcts = bool(visits) and visits[0].entered == 0
        self.viewer = visits[0].viewer if visits else None
        self._starts = [visit.entered for visit in visits]
        self._roots = [visit for visit in visits if visit.parent is None]

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
        return self._focus[step]

    def changes(self, step: int) -> tuple[Change, ...]:
        """Return the variables that the event before `step` has changed: (name, before, after)."""
        return self._changes[step - 1] if 0 < step <= len(self._changes) else ()

    def at(self, step: int) -> Moment:
        """Return the tree after the first `step` events, 0 to len(trace)."""
        if type(step) is not int or not 0 <= step <= len(self):
            raise ValueError(f"step must be an int from 0 to {len(self)}; got {step!r}")
        return Moment(self, step)

    @cached_property
    def mover_views(self) -> bool:
        """Whether each value is for the player to move at its node, as in negamax."""
        return any(visit.viewer not in (None, self.viewer) for visit in self.visits)

    @property
    def one_view(self) -> bool:
        """Whether all values are said to be for the player to move at the root."""
        return self.viewer is not None and not self.mover_views

    def role(self, state: GameState) -> str:
        """Return "max", "min" or "chance" for who moves; "" where all maximize their own value."""
        if state.current_player == CHANCE:
            return "chance"
        if self.mover_views or self.is_mcts or not (state.num_players == 2 or self.one_view):
            return ""
        me = self.state.current_player if self.viewer is None else self.viewer
        return "max" if state.current_player == me else "min"

    def visited(self) -> tuple[Path, ...]:
        """Return the nodes visited, as paths from the root, as they came; in MCTS in order."""
        return tuple(dict.fromkeys(visit.path for visit in self.visits))

    def cuts(self) -> dict[Path, Cut]:
        """Return the cuts, each under the path of the node whose other actions were skipped."""
        return {visit.path: visit.cut[1] for visit in self.visits if visit.cut}

    def pruned(self) -> tuple[Path, ...]:
        """Return the paths of the actions that were skipped, in order."""
        visited = set(self.visited())
        paths = [(*path, action) for path, cut in self.cuts().items() for action in cut.skipped]
        return tuple(path for path in paths if path not in visited)


class Moment:
    """The tree of a trace after some of its events."""

    def __init__(self, trace: Trace, step: int) -> None:
        self.trace, self.step = trace, step
        self.known = bisect_right(trace._starts, step)  # visits so far
        self._shown: dict[Path, Visit | None] = {}

    def __repr__(self) -> str:
        return f"Moment(step {self.step} of {len(self.trace)}, {self.known:,} nodes)"

    @property
    def event(self) -> Event | None:
        """The event that has just happened; None before the first."""
        return self.trace.events[self.step - 1] if self.step else None

    @property
    def focus(self) -> Path | None:
        """The path of the node in which it happened; None before the first event."""
        return self.trace._focus[self.step - 1].path if self.step else None

    @property
    def stack(self) -> tuple[Path, ...]:
        """The nodes that are open, from the root to the current one."""
        focus = self.focus
        if focus is None:
            return ()
        paths = [focus[:length] for length in range(len(focus) + 1)]
        return tuple(path for path in paths if self.node(path).status == "open")

    def visits_of(self, path: Path) -> Visit | None:
        """Return the latest visit of a node, below the latest visits of its ancestors, or None."""
        if path not in self._shown:
            among = self.trace._roots
            if path:
                parent = self.visits_of(path[:-1])
                among = parent.children if parent else []
            so_far = [v for v in among if v.entered <= self.step and v.path == path]
            self._shown[path] = so_far[-1] if so_far else None
        return self._shown[path]

    def children(self, path: Path) -> tuple[Path, ...]:
        """Return the children of a node visited so far, as they came; in MCTS in order."""
        visit = self.visits_of(path)
        if visit is None:
            return ()
        return tuple(dict.fromkeys(v.path for v in visit.children if v.entered <= self.step))

    def size(self, path: Path) -> int:
        """Return the number of visits so far at a node and below it."""
        visit = self.visits_of(path)
        if visit is None:
            return 0
        if self.trace.is_mcts:
            return 1 + bisect_right(visit.below, self.step)
        return min(self.known - 1, visit.last) - visit.number + 1

    def node(self, path: Path) -> NodeFacts:
        """Return what is known of a node; ValueError if it has not been visited yet."""
        visit = self.visits_of(path)
        if visit is None:
            raise ValueError(f"{path!r} has not been visited after step {self.step}")
        strict = bool(self.trace.options.get("strict"))
        return node_at(visit, self.step, self.trace._guesses, strict=strict)

    def line(self) -> Path:
        """Return the best line so far: from the root, always to the best child."""
        if self.step == len(self.trace) and self.trace.result:
            return self.trace.result.line
        path: Path = ()
        while self.visits_of(path) and (best := self.node(path).best) is not None:
            path = (*path, best)
        return path
