"""A recorded search: every step can be gone back to, counted and asked about."""

from __future__ import annotations

import gc
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from types import CodeType, FrameType
from typing import Any, NamedTuple

from gamelib.search.events import SHOWN, Cut, Event
from gamelib.search.result import SearchResult
from gamelib.state import CHANCE, GameState
from gamelib.trace.visits import NodeFacts, Path, Reader, Visit, node_at


class Place(NamedTuple):
    """A line of a function; its number is that in its file."""

    code: CodeType
    line: int


def record(
    search: Callable[..., SearchResult],
    state: GameState,
    *,
    most_events: int = 500_000,
    **options: Any,
) -> Trace:
    """Return the `Trace` of `search(state, **options)`: what it did, event by event.

    ValueError if it says nothing, or more than `most_events`: give it a depth, or a small position.
    """
    events: list[Event] = []
    places: list[Place] = []
    asked: Any = search
    while isinstance(asked, partial) and not asked.args:
        asked, options = asked.func, {**asked.keywords, **options}
    name = getattr(asked, "__name__", type(asked).__name__)

    def listen(event: Event) -> None:
        if len(events) >= most_events:
            fewer = "with a depth, with fewer simulations, or from a position nearer the end"
            has = f"{name} has more than most_events={most_events:,} events to tell here"
            raise ValueError(f"{has}; record it {fewer}")
        events.append(event)
        places.append(place_now())

    with _collector_paused():
        result = asked(state, events=listen, **options)
        if not events:
            raise ValueError(f"{name} told no events: it must call `events(...)`, or hand it on")
        return Trace(
            state, tuple(events), result=result, search=name, options=options, places=places
        )


def place_now() -> Place:
    """Return where the search is that tells the caller an event: in what is `shown`, if any."""
    teller = sys._getframe(2)
    frame: FrameType | None = teller
    while frame is not None:
        if frame.f_code in SHOWN:
            return Place(frame.f_code, frame.f_lineno)
        frame = frame.f_back
    return Place(teller.f_code, teller.f_lineno)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector from looking, again and again, at events that are all kept."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


class Trace:
    """The events of one search, in order, and the tree they describe at every step.

    `len(trace)` is the number of events, `trace[i]` one of them, `trace[a:b]` several;
    `trace.at(i)` is the tree after the first i.
    """

    def __init__(
        self,
        state: GameState,
        events: tuple[Event, ...] = (),
        *,
        result: SearchResult | None = None,
        search: str = "no search",
        options: dict[str, Any] | None = None,
        places: Sequence[Place] = (),
    ) -> None:
        self.state, self.events, self.result = state, events, result
        self.search, self.options = search, options or {}
        self.places = places  # where in the program each event was told
        reader = Reader(state, events)
        self.visits, self._focus, self.is_mcts = reader.visits, reader.focus, reader.is_mcts
        self._guesses = reader.guesses
        self._viewer = self.visits[0].viewer if self.visits else None
        self._starts = [visit.entered for visit in self.visits]
        self._roots = [visit for visit in self.visits if visit.parent is None]

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

    def at(self, step: int) -> Moment:
        """Return the tree after the first `step` events, 0 to len(trace)."""
        if type(step) is not int or not 0 <= step <= len(self):
            raise ValueError(f"step must be an int from 0 to {len(self)}; got {step!r}")
        return Moment(self, step)

    @cached_property
    def mover_views(self) -> bool:
        """Whether each value is for the player to move at its node, as in negamax."""
        return any(visit.viewer not in (None, self._viewer) for visit in self.visits)

    @property
    def one_view(self) -> bool:
        """Whether all values are said to be for the player to move at the root."""
        return self._viewer is not None and not self.mover_views

    def role(self, state: GameState) -> str:
        """Return "max", "min" or "chance" for who moves; "" where all maximize their own value."""
        if state.current_player == CHANCE:
            return "chance"
        if self.mover_views or self.is_mcts or not (state.num_players == 2 or self.one_view):
            return ""
        return "max" if state.current_player == self.state.current_player else "min"

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
