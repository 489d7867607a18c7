"""Derive the events of a search from the record of its recursion: visits, improvements and cuts."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from course.tracing import perspective
from course.tracing.call_graph import CallGraph, VisitBuilder
from course.tracing.claims import Claims, has_depth_limit
from course.tracing.events import Enter, Event, Improve, Leaf, Raise, Return, RunLine, TableHit
from course.tracing.perspective import window_in
from course.tracing.recorder import (
    CALL,
    COURSE_PACKAGES,
    RETURN,
    Call,
    Change,
    LogEntry,
    Recorder,
    SourceLine,
    Step,
    describe_error,
    differ,
)  # fmt: skip
from course.tracing.simulations import is_simulating
from course.tracing.visits import kind_at, kind_in, viewpoint
from gamelib.search.callbacks import SearchStopped
from gamelib.search.result import ESTIMATED_KINDS, Kind
from gamelib.state import CHANCE, GameState

MAX_LINES = 1_000  # lines that are shown of a program without a tree
LIMITS = ("alpha", "beta", "limit")
ESTIMATE_KINDS = {*ESTIMATED_KINDS.values()}


class ActiveCall:
    """A call of the recursion that is still running."""

    __slots__ = ("call", "line", "lines", "made", "names", "now", "shape")

    def __init__(self, call: Call) -> None:
        self.call, self.shape, self.line = call, call.facts.outline, call.code.co_firstlineno
        self.now = dict(call.arguments)
        self.made: set[int] = set()  # lines from which children were called
        # A call that never returned is treated as if it had reached its last return.
        self.lines, self.names = call.facts.returned_at(call.line)

    @property
    def location(self) -> SourceLine:
        """The line that is running now."""
        return SourceLine(self.call.code, self.line)


def _line_of(call: Call, below: Call | None, line: int) -> int:
    """Return the line of a call in which a nested one was made; `line` if there is none."""
    while below is not None and below.caller is not call:
        below = below.caller
    return below.call_line if below else line


class EventBuilder:
    """Builds the events of a record, with the line that caused each, and the variables it changed.

    `values_for` is the declared perspective of a search, "root", "mover" or "each"; None to infer
    it.
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
        self.estimate_steps: list[int] = []  # steps at which an estimate was met
        self.text = CallGraph(record.calls)
        self.visits, self.programs = self.text.visits, self.text.programs
        self.perspective = self._whose(values_for)
        claims = self._claims(record.name, trusted)
        self.walks = False
        if claims and not trusted:
            self.walks = is_simulating(self.visits, claims.is_cut)
        if self.walks:
            for visit in self.visits:
                visit.value = None
        self.cut_explainer = perspective.CutExplainer(root, self.perspective, options)
        self.has_tree = len(self.visits) > 1 or perspective.is_over(root)
        if not self.has_tree:
            for visit in self.visits:  # of several numbers, none is the value of a position
                returned = visit.call.returned
                whole = tuple(returned) if isinstance(returned, tuple | list) else visit.value
                visit.value = whole if perspective.is_value(whole) else visit.value
        # position -> value and kind at an earlier visit
        self._known: dict[GameState, tuple[Any, Kind]] = {}
        self._new_lines = self._lines_of_new_leaves()
        for entry in record.log:
            if entry.call.visit is not None:
                self._read(entry)
        if claims and not self.walks:
            self._note_answer(record.answer)
            claims.judge(self.visits, self.steps, self.estimate_steps)
        self.claims = claims

    def _note_answer(self, answer: Any) -> None:
        """Record the action that the program returns, alone or with a value."""
        roots = [visit for visit in self.visits if visit.parent is None and visit.children]
        parts = answer if isinstance(answer, tuple | list) else (getattr(answer, "action", None),)
        if len(roots) != 1 or roots[0].chosen is not None:
            return
        value = self.value_index if isinstance(answer, tuple | list) else None
        with suppress(Exception):  # a learner's objects may not be comparable
            legal = roots[0].state.legal_actions()
            named = [part for place, part in enumerate(parts) if place != max(0, value or 0)]
            named = named if value is not None else list(parts)
            found = [part for part in named if part is not None and part in legal]
            roots[0].chosen = found[0] if found else None

    def _whose(self, values_for: str | None) -> perspective.Perspective:
        visits = self.visits
        place = perspective.value_index(visits)
        for visit in visits:
            visit.value = perspective.extract_value(visit.call.returned, place)
        self.value_index = place
        for visit in visits:
            self._value_of_an_action(visit)
        if values_for is None:
            return (
                perspective.infer_perspective(visits, self.root) if visits else viewpoint(self.root)
            )
        return viewpoint(self.root) if values_for == "root" else values_for

    def _value_of_an_action(self, visit: VisitBuilder) -> None:
        """Give a function that returns the best action the value of that action."""
        if id(visit.call.code) in self.text.recursive or not visit.children:
            return
        values = [child.value for child in visit.children if child.value is not None]
        chosen = [c.value for c in visit.children if c.node.action == visit.call.returned]
        if chosen and chosen[-1] is not None:
            visit.doubtful = visit.value in values
            if not visit.doubtful:
                visit.value, visit.chosen = chosen[-1], visit.call.returned

    def _return_lines(self, visit: VisitBuilder) -> tuple[SourceLine, ...]:
        """Return the lines by which a leaf returns, or the line that called it.

        It is () for a library search that looks into a table before the recursion, because that
        line is the same for all leaves.
        """
        if self.text.is_recursive_call(visit.call):
            return tuple(SourceLine(call.code, call.line) for call in visit.calls)
        maker = visit.node.entry.caller
        if maker is None or maker.module.startswith(COURSE_PACKAGES):
            return ()
        return (SourceLine(maker.code, visit.node.entry.call_line),)

    def _claims(self, name: str, trusted: bool) -> Claims | None:
        """Return what checks the values of the record; None if they do not have to be checked.

        The library's searches are tested against exact values.  The values of a learner's program
        are checked one by one, and so are numbers that are not payoffs, such as those of `solve`.
        """
        if trusted and perspective.has_payoffs(self.visits):
            return None
        return Claims(
            self.visits,
            self.root,
            self.perspective,
            name=name,
            strict=self.strict,
            limited=not trusted and has_depth_limit(self.visits),
        )

    def _lines_of_new_leaves(self) -> set[tuple[SourceLine, ...]]:
        """Return the return lines of leaves with new positions, which no table can contain."""
        met, lines = set(), set()
        with suppress(TypeError):  # a learner's positions may not be hashable
            for visit in self.text.visits:
                if visit.state not in met and not visit.children:
                    lines.add(self._return_lines(visit))
                met.add(visit.state)
        return lines

    # --- the entries of the log ---

    def _read(self, entry: LogEntry) -> None:
        call, ran, line, diff = entry
        visit: VisitBuilder = call.visit
        if line == CALL:
            if visit.call is call:
                self._enter(visit)
            if self.text.is_recursive_call(call):
                self._begin(visit, ActiveCall(call))
            return
        run = visit.runs[-1] if visit.runs else None
        if run and run.call is call:
            run.line = ran
            if diff:
                self._changed(visit, run, diff)
            if not self.has_tree:
                self._show_line(visit, run)
            if ran in run.shape.breaks:
                self._on_break(visit, run, line)
            run.line = call.line if line == RETURN else line
            if line == RETURN:
                self._on_return(visit, run)
        if line == RETURN and visit.call is call:
            self._leave(visit)

    def _show_line(self, visit: VisitBuilder, run: ActiveCall) -> None:
        """Emit a line of a program that does not search a tree."""
        if run.line != run.call.code.co_firstlineno and len(self.steps) < MAX_LINES:
            self._emit(RunLine(), visit, run.location)

    def _emit(self, event: Event, visit: VisitBuilder, place: SourceLine) -> None:
        changed: tuple[Change, ...] = ()
        if visit.pending:
            pairs = visit.pending.items()
            changed = tuple([(name, one, now) for name, (one, now) in pairs if differ(one, now)])
            visit.pending = {}
        self.steps.append(Step(event, place, visit, changed))
        visit.record_event(len(self.steps), event)

    def _enter(self, visit: VisitBuilder) -> None:
        above, call = visit.parent, visit.call
        window = window_in(call.arguments)
        if above and above.runs:
            run = above.runs[-1]
            run.line = _line_of(run.call, call, run.line)
            run.made.add(visit.node.entry.call_line)
            above.last_improvement, above.limit_line = None, 0
            if not (window or self.text.is_recursive_call(call)):
                window = window_in(run.now)
        if self.text.is_recursive_call(call):
            visit.pending = {name: (None, value) for name, value in call.arguments.items()}
        viewer: Any = self.perspective
        if viewer == perspective.MOVER:
            viewer = visit.state.current_player
        elif viewer == perspective.EACH:
            viewer = None
        event = Enter(visit.state, visit.node.action, window, viewer)
        self._emit(event, visit, self._place_outside(visit))
        self.entered += 1

    def _place_outside(self, visit: VisitBuilder) -> SourceLine:
        """Return the first line of a visit's function, or the line that called it."""
        if self.text.is_recursive_call(visit.call) or visit.parent is None:
            return SourceLine(visit.call.code, visit.call.code.co_firstlineno)
        return SourceLine(visit.node.entry.caller.code, visit.node.entry.call_line)  # type: ignore[union-attr]

    def _begin(self, visit: VisitBuilder, run: ActiveCall) -> None:
        visit.runs.append(run)
        if not visit.window and (window := window_in(run.now)):
            visit.window = window
            step = self.steps[visit.entered - 1]
            entered = replace(step.event, window=window)
            self.steps[visit.entered - 1] = step._replace(event=entered)

    # --- improvements and windows ---

    def _changed(self, visit: VisitBuilder, run: ActiveCall, diff: Sequence[Change]) -> None:
        """Record what a line has changed: perhaps an improvement, or a new limit of the window."""
        pending, moved, returned = visit.pending, False, False
        for name, before, after in diff:
            run.now[name] = after
            pending[name] = pending[name][0] if name in pending else before, after
            moved |= name in LIMITS
            returned |= name in run.names
        if not (moved or returned) or self.walks or visit.last_returned_child is None:
            return
        if visit.state.current_player == CHANCE:
            return
        if moved:
            visit.limit_line = run.line
        if returned or (visit.last_improvement is not None and run.names):
            self._improve(visit, run)

    def _improve(self, visit: VisitBuilder, run: ActiveCall) -> None:
        """Emit an improvement; changes before the next child is called belong to it."""
        value = self._best_in(run)
        if value is None:
            return
        if visit.last_improvement is None:
            visit.last_improvement = len(self.steps)
        else:  # the step continues, so its earlier changes still belong to it
            earlier = {name: (one, run.now[name]) for name, one, _ in self.steps.pop().changes}
            visit.improved.pop()
            visit.pending = earlier | {n: c for n, c in visit.pending.items() if n not in earlier}
        event = Improve(self._action_of(visit, value), value, window_in(run.now) or visit.window)
        self._emit(event, visit, SourceLine(run.call.code, visit.limit_line or run.line))

    def _best_in(self, run: ActiveCall) -> Any:
        """Return the current value of the variable that a call of the recursion returns."""
        if len(run.names) < 2:
            return perspective.extract_value(run.now.get("".join(run.names)), self.value_index)
        value = run.now.get(run.names[max(self.value_index, 0)])
        return value if perspective.is_value(value) else None

    def _action_of(self, visit: VisitBuilder, value: Any) -> Any:
        """Return the action with this value: the last one, or an earlier one if `max` was used."""
        back = visit.children_so_far()
        same = (
            c for c in (back[-1], *back) if value in (c.value, self._value_for_parent(c, visit))
        )
        return next(same, back[-1]).node.action

    def _computed(self, visit: VisitBuilder, run: ActiveCall, last: bool) -> None:
        """Emit an improvement of `max(...)`, which has no variable, from the children's values."""
        at_once = not run.made.isdisjoint(run.lines)
        if any(run.names) or visit.state.current_player == CHANCE or at_once == last:
            return
        back, choose = visit.children_so_far(), self._choice_of(visit)
        values = [self._value_for_parent(child, visit) for child in back]
        if choose is None or None in values:
            return
        best = values.index(choose(values))
        if last or best == len(values) - 1:
            event = Improve(back[best].node.action, values[best], visit.window)
            self._emit(event, visit, run.location)

    def _choice_of(self, visit: VisitBuilder) -> Any:
        """Return `max` or `min`, by the value that a visit has returned; None if it is neither."""
        values = [self._value_for_parent(child, visit) for child in visit.children]
        if visit.value is None or None in values or isinstance(visit.value, tuple):
            return None
        mine = self.perspective in (visit.state.current_player, perspective.MOVER)
        order: Any = (max, min) if mine else (min, max)
        return next((choose for choose in order if choose(values) == visit.value), None)

    def _value_for_parent(self, child: VisitBuilder, parent: VisitBuilder) -> Any:
        return perspective.value_for_parent(child, parent, self.perspective)

    # --- cuts ---

    def _on_break(self, visit: VisitBuilder, run: ActiveCall, line: int) -> None:
        """Emit a cut if a `break` has left the loop in which children were called."""
        loop, alone = run.shape.breaks[run.line]
        left = alone or line not in loop
        if self.walks:
            return
        if left and not (run.made.isdisjoint(loop) or run.call.error or visit.cut):
            self._cut(visit, run, self._best_in(run), leaves_loop=True)

    def _on_early_return(self, visit: VisitBuilder, run: ActiveCall) -> None:
        """Emit a cut if a node returns before all its actions have been tried."""
        in_loop = run.line in run.shape.exits
        untried = {*self.cut_explainer.untried_actions(visit)}
        if not in_loop:  # an answer from a Python cache is not a visit
            untried -= visit.node.requested_actions
        reason = in_loop and self.cut_explainer.reason(visit, run.now, visit.value)[1]
        if not visit.cut and (untried or reason):
            self._cut(visit, run, visit.value, leaves_loop=in_loop or run.line in run.made)

    def _cut(self, visit: VisitBuilder, run: ActiveCall, value: Any, *, leaves_loop: bool) -> None:
        self._emit(
            self.cut_explainer.explain(visit, run.now, value, leaves_loop), visit, run.location
        )

    # --- the end of a visit ---

    def _on_return(self, visit: VisitBuilder, run: ActiveCall) -> None:
        """Record the end of a call of the recursion; the call with children returns the value."""
        visit.runs.pop()
        if visit.returner is None and (run.made or visit.call is run.call):
            visit.returner = run
            if run.made and not (run.call.error or self.walks):
                self._computed(visit, run, last=True)
                self._on_early_return(visit, run)

    def _leave(self, visit: VisitBuilder) -> None:
        call, run = visit.call, visit.returner
        visit.last = self.entered - 1
        place = run.location if run else self._place_outside(visit)
        if isinstance(call.error, SearchStopped):
            return  # not an error, because the search returns what it has
        if call.error:
            self._emit(Raise(describe_error(call.error)), visit, place)
        else:
            over = perspective.is_over(visit.state)
            if not visit.children and (over or (self.has_tree and not self.walks)):
                self._leaf(visit, place)
            self._emit(Return(visit.value), visit, place)
            with suppress(TypeError):  # a learner's positions may not be hashable
                if visit.children or visit.state not in self._known:
                    kind = kind_at(
                        visit, visit.value, len(self.steps), self.estimate_steps, self.strict
                    )
                    self._known[visit.state] = visit.value, kind
        if visit.parent and visit.parent.runs:
            above, run = visit.parent, visit.parent.runs[-1]
            above.last_returned_child = visit
            if not self.walks:
                self._computed(above, run, last=False)

    def _leaf(self, visit: VisitBuilder, place: SourceLine) -> None:
        """Emit the reason for the value of a node without children."""
        state, value = visit.state, visit.value
        event: Event = Leaf(value, "depth limit")
        if perspective.is_over(state):
            event = Leaf(value, "game over")
        elif state.current_player == CHANCE and (cut := self.cut_explainer.chance_cut(visit)):
            event = cut
        elif kind := self._table_kind(visit):
            event = TableHit(value, kind)
        if event == Leaf(value, "depth limit") or getattr(event, "kind", "") in ESTIMATE_KINDS:
            self.estimate_steps.append(len(self.steps) + 1)
        self._emit(event, visit, place)

    def _table_kind(self, visit: VisitBuilder) -> Kind | None:
        """Return the kind of a value from a transposition table; None if it is not from a table."""
        with suppress(TypeError):
            value, kind = self._known.get(visit.state, (None, None))
            way = self._return_lines(visit)
            if way:
                return kind if value == visit.value and way not in self._new_lines else None
            if self._new_lines - {way}:
                return kind or kind_in(visit.value, visit.window, self.strict)
        return None
