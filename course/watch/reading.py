"""From the record of a recursion to events: the nodes, new bests, falling limits and cuts in it."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from course.watch import whose
from course.watch.claims import Claims
from course.watch.events import Enter, Event, Improve, Leaf, Line, Raise, Return, TableHit
from course.watch.recorder import (
    ENTERED,
    LEFT,
    OURS,
    Call,
    Change,
    Place,
    Recorder,
    Step,
    in_a_sentence,
)  # fmt: skip
from course.watch.simulations import is_simulating
from course.watch.text import Seen, Text, shape_of
from course.watch.visits import kind_at, kind_in, viewpoint
from course.watch.whose import window_in
from gamelib.search.limits import SearchStopped
from gamelib.search.result import GUESSES, Kind
from gamelib.state import CHANCE, GameState

MOST_LINES = 1_000  # that are shown of a program without a tree
LIMITS = ("alpha", "beta", "limit")
GUESSED = {*GUESSES.values()}


class Run:
    """A call of the text, as it goes on."""

    def __init__(self, call: Call) -> None:
        self.call, self.shape, self.line = call, shape_of(call.code), call.code.co_firstlineno
        self.now = dict(call.arguments)
        self.made: set[int] = set()  # the lines from which children were called
        returns = self.shape.returns
        # A call that has not returned would have done so in the end.
        at = call.line if call.line in returns else max(returns, default=0)
        self.lines, names = returns.get(at, (range(0), ()))
        own = {*call.code.co_varnames, *call.code.co_cellvars} - self.shape.targets
        self.names = tuple(name if name in own else "" for name in names)

    @property
    def place(self) -> Place:
        """The line that runs now."""
        return Place(self.call.code, self.line)


class Reading:
    """Reads the events of a record, with the line that did each, and what it changed.

    `values_for` is what a search says of its values: "root", "mover" or "each"; None: they tell.
    """

    def __init__(
        self,
        record: Recorder,
        root: GameState,
        options: dict[str, Any],
        values_for: str | None,
        *,
        trusted: bool = False,
    ) -> None:
        self.root, self.strict = root, bool(options.get("strict"))
        self.steps: list[Step] = []
        self.entered = 0  # visits
        self.guesses: list[int] = []  # the steps at which an estimate was met
        self.text = Text(record.calls)
        self.visits, self.programs = self.text.visits, self.text.programs
        self.viewer = self._whose(values_for)
        # Our own searches are tested against exact values; a learner's are checked one by one.
        claims = None
        if not trusted:
            claims = Claims(self.visits, root, self.viewer, name=record.name, strict=self.strict)
        self.walks = claims is not None and is_simulating(self.visits, claims.is_cut)
        if self.walks:
            for visit in self.visits:
                visit.value = None
        self.cutter = whose.Cutter(root, self.viewer, options)
        self.has_tree = len(self.visits) > 1 or whose.is_over(root)
        self._known: dict[GameState, tuple[Any, Kind]] = {}  # what earlier visits have found
        self._new_lines = self._lines_of_new_leaves()
        for entry in record.log:
            if entry[0].visit is not None:
                self._read(*entry)
        if claims and not self.walks:
            self._note_answer(record.answer)
            claims.judge(self.steps, self.guesses)
        self.claims = claims

    def _note_answer(self, answer: Any) -> None:
        """Note the action that the whole program names, beside or instead of a value."""
        roots = [visit for visit in self.visits if visit.parent is None and visit.children]
        parts = answer if isinstance(answer, tuple | list) else (getattr(answer, "action", None),)
        if len(roots) != 1 or roots[0].chosen is not None:
            return
        value = self.place_of_value if isinstance(answer, tuple | list) else None
        with suppress(Exception):  # a learner's objects may not be comparable
            legal = roots[0].state.legal_actions()
            named = [part for place, part in enumerate(parts) if place != max(0, value or 0)]
            named = named if value is not None else list(parts)
            found = [part for part in named if part is not None and part in legal]
            roots[0].chosen = found[0] if found else None

    def _whose(self, values_for: str | None) -> whose.Viewer:
        visits = self.visits
        place = whose.place_of_value(visits)
        for visit in visits:
            visit.value = whose.value_in(visit.call.returned, place)
        self.place_of_value = place
        for visit in visits:
            self._value_of_an_action(visit)
        if values_for is None:
            return whose.viewer_of(visits, self.root) if visits else viewpoint(self.root)
        return viewpoint(self.root) if values_for == "root" else values_for

    def _value_of_an_action(self, visit: Seen) -> None:
        """Give a function that returns the best action, no value, the value of that action."""
        if id(visit.call.code) in self.text.loops or not visit.children:
            return
        values = [child.value for child in visit.children if child.value is not None]
        chosen = [c.value for c in visit.children if c.node.action == visit.call.returned]
        if chosen and chosen[-1] is not None and visit.value not in values:
            visit.value, visit.chosen = chosen[-1], visit.call.returned

    def _way_back(self, visit: Seen) -> tuple[Place, ...]:
        """Return the lines by which a leaf returns; the one that asks about it if it has no text.

        No line is said of our own searches that ask a table before the text: it is one for all.
        """
        if self.text.has(visit.call):
            return tuple(Place(call.code, call.line) for call in visit.calls)
        maker = visit.node.entry.maker
        if maker is None or maker.module.startswith(OURS):
            return ()
        return (Place(maker.code, visit.node.entry.at),)

    def _lines_of_new_leaves(self) -> set[tuple[Place, ...]]:
        """Return how leaves return whose position has not come before: no table knows them."""
        met, lines = set(), set()
        with suppress(TypeError):  # a learner's positions may not be hashable
            for visit in self.text.visits:
                if visit.state not in met and not visit.children:
                    lines.add(self._way_back(visit))
                met.add(visit.state)
        return lines

    # --- the log, entry by entry ---

    def _read(self, call: Call, line: int, diff: list[Change]) -> None:
        visit: Seen = call.visit
        if line == ENTERED:
            if visit.call is call:
                self._enter(visit)
            if self.text.has(call):
                self._begin(visit, Run(call))
            return
        run = visit.runs[-1] if visit.runs else None
        if run and run.call is call:
            self._changed(visit, run, diff)
            ran = not self.has_tree and run.line != call.code.co_firstlineno
            if ran and len(self.steps) < MOST_LINES:
                self._tell(Line(), visit, run.place)
            self._broke(visit, run, line)
            run.line = call.line if line == LEFT else line
            if line == LEFT:
                self._ends(visit, run)
        if line == LEFT and visit.call is call:
            self._leave(visit)

    def _tell(self, event: Event, visit: Seen, place: Place) -> None:
        changed = [(n, one, other) for n, (one, other) in visit.pending.items() if one != other]
        self.steps.append(Step(event, place, visit, tuple(changed)))
        visit.tell(len(self.steps), event)
        visit.pending = {}

    def _enter(self, visit: Seen) -> None:
        above, call = visit.parent, visit.call
        window = window_in(call.arguments)
        if above and above.runs:
            run = above.runs[-1]
            run.made.add(visit.node.entry.at)
            above.newest, above.limit_line = None, 0
            if not (window or self.text.has(call)):
                window = window_in(run.now)
        if self.text.has(call):
            visit.pending = {name: (None, value) for name, value in call.arguments.items()}
        viewers: dict[Any, Any] = {whose.MOVER: visit.state.current_player, whose.EACH: None}
        viewer = viewers.get(self.viewer, self.viewer)
        event = Enter(visit.state, visit.node.action, window, viewer)
        self._tell(event, visit, self._place_outside(visit))
        self.entered += 1

    def _place_outside(self, visit: Seen) -> Place:
        """Return the first line of a visit's text; the line that called it where it has none."""
        if self.text.has(visit.call) or visit.parent is None:
            return Place(visit.call.code, visit.call.code.co_firstlineno)
        return Place(visit.node.entry.maker.code, visit.node.entry.at)  # type: ignore[union-attr]

    def _begin(self, visit: Seen, run: Run) -> None:
        visit.runs.append(run)
        if not visit.window and (window := window_in(run.now)):
            visit.window = window
            step = self.steps[visit.entered - 1]
            entered = replace(step.event, window=window)
            self.steps[visit.entered - 1] = step._replace(event=entered)

    # --- new bests and limits ---

    def _changed(self, visit: Seen, run: Run, diff: list[Change]) -> None:
        """Note what a line has changed: it may be a new best, or a limit that goes with one."""
        for name, before, after in diff:
            run.now[name] = after
            first = visit.pending[name][0] if name in visit.pending else before
            visit.pending[name] = first, after
        if self.walks or visit.back is None or visit.state.current_player == CHANCE:
            return
        names = {name for name, _, _ in diff}
        if not names.isdisjoint(LIMITS):
            visit.limit_line = run.line
            names |= {*run.names} if visit.newest is not None else set()
        if not names.isdisjoint(run.names):
            self._improve(visit, run)

    def _improve(self, visit: Seen, run: Run) -> None:
        """Tell of a new best; what changes before the next child is called belongs to it."""
        value = self._best_in(run)
        if value is None:
            return
        if visit.newest is None:
            visit.newest = len(self.steps)
        else:  # the step goes on: what it has changed before is still its own
            earlier = {name: (one, run.now[name]) for name, one, _ in self.steps.pop().changes}
            visit.improved.pop()
            visit.pending = earlier | {n: c for n, c in visit.pending.items() if n not in earlier}
        event = Improve(self._action_of(visit, value), value, window_in(run.now) or visit.window)
        self._tell(event, visit, Place(run.call.code, visit.limit_line or run.line))

    def _best_in(self, run: Run) -> Any:
        """Return the value of the variable that a call of the text returns, as it is now."""
        if len(run.names) < 2:
            return whose.value_in(run.now.get("".join(run.names)), self.place_of_value)
        value = run.now.get(run.names[max(self.place_of_value, 0)])
        return value if whose.is_value(value) else None

    def _action_of(self, visit: Seen, value: Any) -> Any:
        """Return the action that has this value: the last one, or an earlier one, as of `max`."""
        back = visit.children_so_far()
        same = (c for c in (back[-1], *back) if value in (c.value, self._seen(c, visit)))
        return next(same, back[-1]).node.action

    def _computed(self, visit: Seen, run: Run, last: bool) -> None:
        """Tell of a new best in `max(...)`, which has no variable: from the children's values."""
        at_once = not run.made.isdisjoint(run.lines)
        if any(run.names) or visit.state.current_player == CHANCE or at_once == last:
            return
        back, choose = visit.children_so_far(), self._choice_of(visit)
        values = [self._seen(child, visit) for child in back]
        if choose is None or None in values:
            return
        best = values.index(choose(values))
        if last or best == len(values) - 1:
            event = Improve(back[best].node.action, values[best], visit.window)
            self._tell(event, visit, run.place)

    def _choice_of(self, visit: Seen) -> Any:
        """Return `max` or `min`, by what a visit has returned; None if it is neither."""
        values = [self._seen(child, visit) for child in visit.children]
        if visit.value is None or None in values or isinstance(visit.value, tuple):
            return None
        mine = self.viewer in (visit.state.current_player, whose.MOVER)
        order: Any = (max, min) if mine else (min, max)
        return next((choose for choose in order if choose(values) == visit.value), None)

    def _seen(self, child: Seen, parent: Seen) -> Any:
        return whose.seen_by(child, parent, self.viewer)

    # --- cuts ---

    def _broke(self, visit: Seen, run: Run, line: int) -> None:
        """Tell of a cut where a `break` has left the loop in which children were called."""
        loop, alone = run.shape.breaks.get(run.line, (range(0), False))
        left = alone or line not in loop
        if self.walks:
            return
        if left and not (run.made.isdisjoint(loop) or run.call.error or visit.cut):
            self._cut(visit, run, self._best_in(run), leaves_loop=True)

    def _left_early(self, visit: Seen, run: Run) -> None:
        """Tell of a cut where a node returns before all its actions have been tried."""
        in_loop = run.line in run.shape.exits
        untried = {*self.cutter.untried(visit)}
        if not in_loop:  # what answers from a memory of Python's is no visit
            untried -= visit.node.made
        reason = in_loop and self.cutter.reason(visit, run.now, visit.value)[1]
        if not visit.cut and (untried or reason):
            self._cut(visit, run, visit.value, leaves_loop=in_loop or run.line in run.made)

    def _cut(self, visit: Seen, run: Run, value: Any, *, leaves_loop: bool) -> None:
        self._tell(self.cutter.cut(visit, run.now, value, leaves_loop), visit, run.place)

    # --- the end of a visit ---

    def _ends(self, visit: Seen, run: Run) -> None:
        """Note that a call of the text has ended; who called children returns the value."""
        visit.runs.pop()
        if visit.returner is None and (run.made or visit.call is run.call):
            visit.returner = run
            if run.made and not (run.call.error or self.walks):
                self._computed(visit, run, last=True)
                self._left_early(visit, run)

    def _leave(self, visit: Seen) -> None:
        call, run = visit.call, visit.returner
        visit.last = self.entered - 1
        place = run.place if run else self._place_outside(visit)
        if isinstance(call.error, SearchStopped):
            return  # it is no error: the search answers with what it has
        if call.error:
            self._tell(Raise(in_a_sentence(call.error)), visit, place)
        else:
            over = whose.is_over(visit.state)
            if not visit.children and (over or (self.has_tree and not self.walks)):
                self._leaf(visit, place)
            self._tell(Return(visit.value), visit, place)
            with suppress(TypeError):  # a learner's positions may not be hashable
                if visit.children or visit.state not in self._known:
                    kind = kind_at(visit, visit.value, len(self.steps), self.guesses, self.strict)
                    self._known[visit.state] = visit.value, kind
        if visit.parent and visit.parent.runs:
            above, run = visit.parent, visit.parent.runs[-1]
            above.back = visit
            if not self.walks:
                self._computed(above, run, last=False)

    def _leaf(self, visit: Seen, place: Place) -> None:
        """Tell why a node is worth what it is, none of whose actions was tried."""
        state, value = visit.state, visit.value
        event: Event = Leaf(value, "depth limit")
        if whose.is_over(state):
            event = Leaf(value, "game over")
        elif state.current_player == CHANCE and (cut := self.cutter.useless(visit)):
            event = cut
        elif kind := self._remembered(visit):
            event = TableHit(value, kind)
        if event == Leaf(value, "depth limit") or getattr(event, "kind", "") in GUESSED:
            self.guesses.append(len(self.steps) + 1)
        self._tell(event, visit, place)

    def _remembered(self, visit: Seen) -> Kind | None:
        """Return of what kind a value is that a table knew; None if it is no table's."""
        with suppress(TypeError):
            value, kind = self._known.get(visit.state, (None, None))
            way = self._way_back(visit)
            if way:
                return kind if value == visit.value and way not in self._new_lines else None
            if self._new_lines - {way}:
                return kind or kind_in(visit.value, visit.window, self.strict)
        return None
