"""All that a stepper shows of one moment, as text: a function of the trace and the moment."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from course.draw.source_listing import SourceListing, source_listings
from course.draw.tree import TreeDrawing, tree_drawing
from course.draw.wording import (
    describe_changes,
    findings,
    format_line,
    format_path,
    format_value,
    mover,
    narration,
    worth,
)
from course.tracing.trace import TraceFrame
from course.tracing.visits import Path
from course.widgets.panel import markup_to_html, table
from course.widgets.step_questions import StepQuestion, digits
from gamelib.search.mcts_tree import Ucb
from gamelib.state import CHANCE
from gamelib.svg import board_svg

ROWS = 12  # of a table
COLUMNS = ("action", "n", "mean", "bonus", "score")  # of a node of MCTS
MAX_LISTED_LINES = 24  # lines of several functions that are shown one below the other


@dataclass(frozen=True)
class StepView:
    """What is said and shown at a moment, as safe HTML, and the tree.

    `secret` is the node whose value is asked for; a `reply` stands in the place of what is `said`.
    """

    narration: str
    stage: TreeDrawing
    program: str
    table: str
    board: str
    legend: str
    hidden_path: Path | None
    reply: str = ""

    @property
    def words(self) -> str:
        """All that stands round the tree, in one piece: so it reaches a screen together."""
        said = self.reply or f'<div class="gl-sentence">{self.narration}</div>'
        scores = f'<div class="gl-scores">{self.table}</div>' if self.table else ""
        board = f'<div class="gl-board">{self.board}</div>' if self.board else ""
        program = f'<div class="gl-program">{self.program}</div>' if self.program else ""
        return (
            f'<div class="gl-said" role="status">{said}</div>{program}'
            f'<div class="gl-below">{scores}{board}</div>'
            f'<div class="gl-small-print">{self.legend}</div>'
        )


def render_step(
    frame: TraceFrame,
    question: StepQuestion | None = None,
    *,
    waits: bool = False,
    expanded: Collection[Path] = (),
    **drawn: Any,
) -> StepView:
    """Return what is shown at a moment, all of that moment.

    question   what is asked there; while it `waits`, what would tell the answer is left out
    expanded   paths of nodes to show with all their children; `drawn` are other options of `stage`
    """
    trace, secret = frame.trace, None
    if question:
        expanded = {*expanded, question.path}  # what is asked about is never folded away
        secret = question.path if waits and question.kind == "value" else None
    selects = question if question and question.kind == "select" else None
    labels = {} if secret is None else {secret: "?"}
    shown = tree_drawing(frame, expanded=expanded, labels=labels, **drawn)
    said = "What comes next?" if secret is not None else markup_to_html(narration(frame))
    if frame.is_last and trace.ended:
        said = f"{markup_to_html(trace.ended)}."
    if frame.is_last and (found := findings(trace)):
        said = f"{said} {markup_to_html(' '.join(found))}"
    return StepView(
        narration=said,
        stage=shown,
        program=_program(frame, lit=secret is None),
        table=_scores(frame, selects, waits) if trace.is_mcts else _windows(frame, secret),
        board=str(board_svg(frame.state, last=frame.last)) if frame.state.spots() else "",
        legend=escape(shown.legend),
        hidden_path=secret,
    )


def _program(frame: TraceFrame, *, lit: bool) -> str:
    """Return the functions that run, the line that acts marked, and the variables it changed."""
    shown = source_listings(frame.trace.programs)
    if not shown:
        return ""
    done = frame.step - 1 if lit and frame.step and frame.played_action is None else None
    codes = [_code(one, _active_line(frame, one, done)) for one in shown]
    many = [len(one.lines) for one in shown]
    if sum(many) > MAX_LISTED_LINES:
        # The first, if there is room, and below it one of the rest, all in the same place: so the
        # room for the longest is taken at once, and nothing moves when another one acts.
        kept = int(many[0] + max(many[1:], default=0) <= MAX_LISTED_LINES)
        acts = kept + _acting(frame, shown[kept:])
        stack = [
            f"<div class=gl-acts>{code}</div>" if number == acts else f"<div>{code}</div>"
            for number, code in enumerate(codes[kept:], kept)
        ]
        codes[kept:] = [f'<div class="gl-stack">{"".join(stack)}</div>']
    changed = describe_changes(_changes(frame)) if done is not None else []
    said = escape(" · ".join(changed))
    return f'{"".join(codes)}<div class="gl-changes">{said}</div>'


def _active_line(frame: TraceFrame, shown: SourceListing, event: int | None) -> int | None:
    """Return the line of a listing that did an event, if it is one of its lines."""
    place = None if event is None else frame.trace.locations[event]
    return shown.line_at(place.code.co_filename, place.line) if place else None


def _acting(frame: TraceFrame, shown: tuple[SourceListing, ...]) -> int:
    """Return which of some functions acts now, or did last."""
    events = range(frame.step - 1, max(-1, frame.step - 100), -1)
    acting = (
        n for e in events for n, one in enumerate(shown) if _active_line(frame, one, e) is not None
    )
    return next(acting, 0)


def _changes(frame: TraceFrame) -> Iterator[tuple[str, Any, Any]]:
    """Yield the variables of the program that this frame has changed, before and after."""
    changed: dict[str, tuple[Any, Any]] = {}
    for step in range(frame.first_event + 1, frame.step + 1):
        for name, before, after in frame.trace.changes(step):
            changed[name] = (changed.get(name, (before,))[0], after)
    return ((name, *values) for name, values in changed.items())


def _code(shown: SourceListing, runs: int | None) -> str:
    """Return a function as HTML, with the line that runs marked."""
    lines = ""
    for number, line in zip(shown.numbers, shown.lines, strict=True):
        text = line.lstrip()
        here = ' class="gl-runs" aria-current="step"' if number == runs else ""
        # what does not fit into a line goes on further in than the line begins
        indent = f"padding-left: {len(line) - len(text) + 4}ch"
        lines += f'<div{here} style="{indent}">{escape(text)}</div>'
    return f'<div class="gl-code" role="group" aria-label="{escape(shown.name)}">{lines}</div>'


def _windows(frame: TraceFrame, secret: Path | None) -> str:
    trace = frame.trace
    windows = bool(trace.visits) and len(trace.visits[0].window) == 2
    columns = ["node", "to move", *(["alpha", "beta"] if windows else []), "best"]
    rows = []
    for path in frame.stack[-ROWS:]:
        node = frame.node(path)
        who = "" if node.state.is_terminal() else mover(trace, node.state)
        window = [format_value(limit) for limit in node.window] if windows else []
        best = "" if node.value is None else worth(node)
        if path == secret:
            window, best = ["?"] * len(window), "?"
        rows.append([format_line(path) or "root", who, *window, best])
    return table(columns, rows)


def _scores(frame: TraceFrame, question: StepQuestion | None, waits: bool) -> str:
    """Return the numbers of the actions at a node of MCTS, with the scores where it selects."""
    trace = frame.trace
    if not trace.visits:
        return ""
    if question:  # the scores by which the search selects next
        path = trace.visit_of(question.step).path
        rows: tuple[Ucb, ...] = trace[question.step].table
    else:
        path = () if frame.played_action is not None else frame.focus or frame.path[:1]
        rows = frame.ucb_table(path[:-1])
    at, scored = path[:-1], bool(rows)
    rows = rows or _counts(frame, at)
    chosen = frame.played_action if frame.played_action is not None else path[-1] if path else None
    places = digits(rows)
    cells = []
    for row in rows if waits else _first(rows):
        score = "closed" if not row.open else "?" if waits else f"{row.score:.{places}f}"
        mean = "" if row.mean is None else f"{row.mean:.{places}f}"
        bonus = f"{row.exploration:.{places}f}".replace("inf", "∞")
        terms = [bonus, score.replace("inf", "∞")] if scored else ["", ""]
        here = not question and row.action == chosen
        marked = f"{'▸ ' if here else ''}{row.action}"
        cells.append([marked, row.visits, mean, *terms])
    node = frame.node(at)
    state, who = node.state, node.state.current_player
    who = node.owner if who == CHANCE else who
    what = f"{'Scores' if scored else 'Visits'} at {format_path(at)}"
    head = f"<div>{escape(f'{what}, means for {state.player_name(who or 0)}')}</div>"
    more = len(rows) - len(cells)
    return head + table(COLUMNS, cells) + (f"<div>and {more:,} more</div>" if more else "")


def _first(rows: tuple[Ucb, ...]) -> list[Ucb]:
    """Return the rows that there is room for: those with the most visits of many."""
    most = sorted(rows, key=lambda row: -row.visits)[:ROWS]
    return [row for row in rows if row in most]


def _counts(frame: TraceFrame, path: Path) -> tuple[Ucb, ...]:
    """Return visits and means of the actions at a node; their scores are not known here."""
    rows = []
    for action in frame.node(path).state.legal_actions():
        child = (*path, action)
        node = frame.node(child) if frame.visits_of(child) else None
        rows.append(Ucb(action, node.visits if node else 0, node.mean if node else None, 0))
    return tuple(rows)
