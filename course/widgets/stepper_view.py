"""The contents of a stepper at one step, as HTML: a pure function of the trace and the step."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import gamelib
from course.draw.mcts_listing import mcts_line_of, mcts_listing
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
from course.exercises.covered_lines import without_answer
from course.tracing.trace import TraceFrame
from course.tracing.visits import Path
from course.widgets.panel import markup_to_html, table
from course.widgets.step_questions import StepQuestion, digits
from gamelib.search.mcts_tree import Ucb
from gamelib.state import CHANCE
from gamelib.svg import board_svg

ROWS = 12  # the maximal number of rows of a table
COLUMNS = ("action", "n", "mean", "bonus", "score")  # of the table of a node of MCTS
LIBRARY = os.path.dirname(gamelib.__file__)
MAX_LISTED_LINES = 24  # if several functions have more lines in total, they share one place


@dataclass(frozen=True)
class StepView:
    """The text and the drawing of one step, as safe HTML.

    `hidden_path` is the node whose value is asked for; a `reply` is shown instead of the
    `narration`.
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
        """The HTML of everything but the tree, in one piece, so that it changes in one message."""
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
    """Return the complete view of a step.

    question  the question at this step
    waits     whether the question is still open; then everything that would reveal its answer is
              hidden
    expanded  paths of nodes to show with all their children
    drawn     other options of `tree_drawing`
    """
    trace, secret = frame.trace, None
    if question:
        expanded = {*expanded, question.path}  # the node in question must not be folded
        secret = question.path if waits and question.kind == "value" else None
    selects = question if question and question.kind == "select" else None
    labels = {} if secret is None else {secret: "?"}
    drawing = tree_drawing(frame, expanded=expanded, labels=labels, **drawn)
    text = "What comes next?" if secret is not None else markup_to_html(narration(frame))
    if frame.is_last and trace.ended:
        text = f"{markup_to_html(trace.ended)}."
    if frame.is_last and (statements := findings(trace)):
        text = f"{text} {markup_to_html(' '.join(statements))}"
    return StepView(
        narration=text,
        stage=drawing,
        program=_program(frame, lit=secret is None),
        table=_scores(frame, selects, waits) if trace.is_mcts else _windows(frame, secret),
        board=str(board_svg(frame.state, last=frame.last)) if frame.state.spots() else "",
        legend=escape(drawing.legend),
        hidden_path=secret,
    )


def _program(frame: TraceFrame, *, lit: bool) -> str:
    """Return the functions that run, with the active line marked, and the variables it changed."""
    done = frame.step - 1 if lit and frame.step and frame.played_action is None else None
    if frame.trace.is_mcts:
        # The library's own code is longer: it has chance nodes, and nodes with several parents.
        lesson = mcts_listing(solver=bool(frame.trace.options.get("solver")))
        runs = None if done is None else mcts_line_of(frame.trace[done])
        return f'{_code(lesson, runs)}<div class="gl-changes"></div>'
    shown = source_listings(frame.trace.programs)
    if not shown:
        return ""
    codes = [_code(listing, _active_line(frame, listing, done)) for listing in shown]
    lengths = [len(listing.lines) for listing in shown]
    if sum(lengths) > MAX_LISTED_LINES:
        # The first function is shown if it fits, and the others share one place below it. Its
        # height is that of the longest, so that nothing moves when another function becomes active.
        shown_first = int(lengths[0] + max(lengths[1:], default=0) <= MAX_LISTED_LINES)
        acts = shown_first + _acting(frame, shown[shown_first:])
        stack = [
            f"<div class=gl-acts>{code}</div>" if number == acts else f"<div>{code}</div>"
            for number, code in enumerate(codes[shown_first:], shown_first)
        ]
        codes[shown_first:] = [f'<div class="gl-stack">{"".join(stack)}</div>']
    changed = describe_changes(_changes(frame)) if done is not None else []
    changes = escape(" · ".join(changed))
    return f'{"".join(codes)}<div class="gl-changes">{changes}</div>'


def _active_line(frame: TraceFrame, shown: SourceListing, event: int | None) -> int | None:
    """Return the line of a listing that produced an event, if the listing contains it."""
    location = None if event is None else frame.trace.locations[event]
    return shown.line_at(location.code.co_filename, location.line) if location else None


def _acting(frame: TraceFrame, shown: tuple[SourceListing, ...]) -> int:
    """Return the index of the function that is active, or was active last."""
    events = range(frame.step - 1, max(-1, frame.step - 100), -1)
    acting = (
        index
        for event in events
        for index, listing in enumerate(shown)
        if _active_line(frame, listing, event) is not None
    )
    return next(acting, 0)


def _changes(frame: TraceFrame) -> Iterator[tuple[str, Any, Any]]:
    """Yield (name, old value, new value) of each variable that this frame has changed."""
    changed: dict[str, tuple[Any, Any]] = {}
    for step in range(frame.first_event + 1, frame.step + 1):
        for name, old, new in frame.trace.changes(step):
            changed[name] = (changed.get(name, (old,))[0], new)
    return ((name, *values) for name, values in changed.items())


def _code(shown: SourceListing, runs: int | None) -> str:
    """Return a function as HTML, with its active line marked."""
    lines, is_ours = "", shown.file.startswith(LIBRARY)
    for number, code in zip(shown.numbers, shown.lines, strict=True):
        line = without_answer(code) if is_ours else code
        text = line.lstrip()
        attributes = ' class="gl-runs" aria-current="step"' if number == runs else ""
        # a long line continues with a larger indent than it begins with
        indent = f"padding-left: {len(line) - len(text) + 4}ch"
        lines += f'<div{attributes} style="{indent}">{escape(text)}</div>'
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
    """Return the numbers of the actions at a node of MCTS, with their scores if it selects."""
    trace = frame.trace
    if not trace.visits:
        return ""
    if question:  # the scores that decide the next selection
        path = trace.visit_of(question.step).path
        rows: tuple[Ucb, ...] = trace[question.step].table
    else:
        path = () if frame.played_action is not None else frame.focus or frame.path[:1]
        rows = frame.ucb_table(path[:-1])
    parent, scored = path[:-1], bool(rows)
    rows = rows or _counts(frame, parent)
    chosen = frame.played_action if frame.played_action is not None else path[-1] if path else None
    num_digits = digits(rows)
    cells = []
    for row in rows if waits else _first(rows):
        score = "closed" if not row.open else "?" if waits else f"{row.score:.{num_digits}f}"
        mean = "" if row.mean is None else f"{row.mean:.{num_digits}f}"
        bonus = f"{row.exploration:.{num_digits}f}".replace("inf", "∞")
        terms = [bonus, score.replace("inf", "∞")] if scored else ["", ""]
        is_chosen = not question and row.action == chosen
        marked = f"{'▸ ' if is_chosen else ''}{row.action}"
        cells.append([marked, row.visits, mean, *terms])
    node = frame.node(parent)
    state, player = node.state, node.state.current_player
    player = node.owner if player == CHANCE else player
    title = f"{'Scores' if scored else 'Visits'} at {format_path(parent)}"
    head = f"<div>{escape(f'{title}, means for {state.player_name(player or 0)}')}</div>"
    more = len(rows) - len(cells)
    return head + table(COLUMNS, cells) + (f"<div>and {more:,} more</div>" if more else "")


def _first(rows: tuple[Ucb, ...]) -> list[Ucb]:
    """Return at most `ROWS` rows, those with the most visits, in their order."""
    kept = sorted(rows, key=lambda row: -row.visits)[:ROWS]
    return [row for row in rows if row in kept]


def _counts(frame: TraceFrame, path: Path) -> tuple[Ucb, ...]:
    """Return the visits and means of the actions at a node, whose scores are not known."""
    rows = []
    for action in frame.node(path).state.legal_actions():
        child = (*path, action)
        node = frame.node(child) if frame.visits_of(child) else None
        rows.append(Ucb(action, node.visits if node else 0, node.mean if node else None, 0))
    return tuple(rows)
