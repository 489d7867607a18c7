"""Every moment that a stepper shows: a leaf at once, rollouts action by action, the end.

What is shown at a moment is a function of the trace and of its number in the film, nothing else.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from course.watch.events import Backpropagate, Draw, Expand, Rollout, Select
from course.watch.trace import Moment, Trace
from course.watch.visits import NodeFacts, Path
from gamelib.search.result import SearchResult
from gamelib.search.tree import Ucb
from gamelib.state import Action, GameState


class Frame(Moment):
    """A moment after a part of an event: an action of a rollout, a node of a backpropagation.

    All events of a leaf are one frame: the search comes, learns its value and returns it.
    `part` counts from 0 to `parts` - 1 (without it the last).  Behind the last event stands one
    more part: the action is played.
    """

    def __init__(self, trace: Trace, step: int, part: int | None = None) -> None:
        super().__init__(trace, step)
        self.parts = parts_of(trace, step)
        self.part = self.parts - 1 if part is None else part

    @cached_property
    def begins(self) -> int:
        """How many events stand before those of this frame."""
        step = self.step - 1
        while step > 0 and not parts_of(self.trace, step):
            step -= 1
        return max(0, step)

    @property
    def is_last(self) -> bool:
        """Whether nothing comes after this."""
        return self.step == len(self.trace) and self.part == self.parts - 1

    @property
    def plays(self) -> Action | None:
        """The action that the search plays now, behind its last event; None before."""
        return _played(self.trace) if self.is_last else None

    @property
    def path(self) -> Path:
        """The path of the simulation that goes on: where MCTS walks down, and up again."""
        event = self.event
        if self.plays is not None or not self.trace.is_mcts:
            return ()
        return event.path if isinstance(event, Backpropagate) else super().focus or ()

    @property
    def focus(self) -> Path | None:
        """The path of the node in which it happens; None before the first event."""
        if isinstance(self.event, Backpropagate):
            return self.event.path[: max(0, len(self.event.path) - self.part)]
        return super().focus

    @property
    def rolled(self) -> tuple[Action, ...]:
        """The actions of a rollout that have been played."""
        return self.event.actions[: self.part + 1] if isinstance(self.event, Rollout) else ()

    @property
    def state(self) -> GameState:
        """The position that is looked at."""
        if self.plays is not None:
            return self.trace.state.successor(self.plays)
        visit = None if self.focus is None else self.visits_of(self.focus)
        return visit.state.play(*self.rolled) if visit else self.trace.state

    @property
    def last(self) -> Action | None:
        """The action that led to `state`; None at the root."""
        if self.plays is not None:
            return self.plays
        way = (*(self.focus or ()), *self.rolled)
        return way[-1] if way else None

    @cached_property
    def before(self) -> Frame:
        """The moment before this event."""
        return Frame(self.trace, self.step - 1)

    def node(self, path: Path) -> NodeFacts:
        """Return what is known of a node; what is on its way up has not reached those above."""
        above = (self.focus or ())[:-1]
        waits = isinstance(self.event, Backpropagate) and self.focus and path == above[: len(path)]
        return self.before.node(path) if waits else super().node(path)

    def line(self) -> Path:
        """Return the best line so far: from the root, always to the best child."""
        if self.step == len(self.trace) and not self.is_last:
            return self.before.line()
        return super().line()

    def scores(self, path: Path) -> tuple[Ucb, ...]:
        """Return the UCB table by which this simulation has chosen at a node; () if it has not."""
        visit = self.visits_of(path)
        if visit is None or not isinstance(self.event, Select | Draw | Expand | Rollout):
            return ()
        counted = bisect_right(visit.rewards, self.step, key=lambda reward: reward[0])
        since = visit.rewards[counted - 1][0] if counted else 0
        tables = [table for step, table in visit.tables if since < step <= self.step]
        return tables[-1] if tables else ()


class Film:
    """All frames of a trace: `len(film)`, `film[i]`, and `film.of(step)` after an event."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._ends = list(accumulate(parts_of(trace, step) for step in range(len(trace) + 1)))

    def __len__(self) -> int:
        return self._ends[-1]

    def __getitem__(self, index: int) -> Frame:
        if type(index) is not int or not 0 <= index < len(self):
            raise IndexError(f"step must be an int from 0 to {len(self) - 1}; got {index!r}")
        step = bisect_right(self._ends, index)
        return Frame(self.trace, step, index - (self._ends[step - 1] if step else 0))

    def of(self, step: int) -> int:
        """Return the number of the last frame in which the last of `step` events happens.

        Behind the last event stands the action that is played: it is a frame of its own.
        """
        if not parts_of(self.trace, step):
            return self._ends[step]
        return self._ends[step] - 1 - (step == len(self.trace) and _played(self.trace) is not None)

    def end_of_simulation(self, index: int) -> int:
        """Return the number of the frame at the end of this simulation, or of the next one."""
        later = range(max(1, self[index].step), len(self.trace) + 1)
        ends = (self.of(n) for n in later if isinstance(self.trace[n - 1], Backpropagate))
        return next((end for end in ends if end > index), len(self) - 1)


def parts_of(trace: Trace, step: int) -> int:
    """Return in how many parts the event is shown after which `step` events have happened.

    None for what happens in a leaf before it returns.
    """
    event = trace.events[step - 1] if step else None
    parts = 1
    if step and not trace.is_mcts:
        visit = trace.visit_of(step - 1)
        returned = visit.returned
        parts = int(bool(visit.children) or returned is None or returned[0] <= step)
    elif isinstance(event, Rollout):
        parts = max(1, len(event.actions))
    elif isinstance(event, Backpropagate):
        parts = len(event.path) + 1
    return parts + (step == len(trace) and _played(trace) is not None)


def _played(trace: Trace) -> Action | None:
    """Return the action that the search chose; None where it is a learner's and returned none."""
    return trace.result.action if len(trace) and isinstance(trace.result, SearchResult) else None
