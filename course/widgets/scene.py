"""All that a stepper shows of one moment, as text: a function of the trace and the moment."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from html import escape
from typing import Any

from course.draw.frames import Film, Frame
from course.draw.narration import sentence
from course.draw.program import listing
from course.draw.tree import Stage, stage
from course.draw.words import bound_in_words, in_words, line_in_words, mover, path_in_words
from course.widgets.panel import marked_up, table
from course.widgets.questions import Question, digits
from gamelib.picture import position
from gamelib.search.events import Backpropagate, Select, Ucb
from gamelib.state import CHANCE
from gamelib.trace.visits import Path

ROWS = 12  # of a table
SCORES = ("bonus", "score")


@dataclass(frozen=True)
class Scene:
    """What is said and shown at a moment, as safe HTML, and the tree.  `secret` is asked for."""

    said: str
    stage: Stage
    lines: str
    table: str
    board: str
    secret: Path | None


def scene(
    frame: Frame,
    question: Question | None = None,
    *,
    waits: bool = False,
    expanded: Collection[Path] = (),
    **drawn: Any,
) -> Scene:
    """Return what is shown at a moment, all of that moment.

    question   what is asked there; while it `waits`, what would tell the answer is left out
    expanded   paths of nodes to show with all their children; `drawn` are other options of `stage`
    """
    trace = frame.trace
    secret = None
    if question and question.kind in ("value", "child") and not trace.is_mcts:
        visit = trace.visit_of(frame.step)
        asked = visit.path if question.kind == "value" else visit.path[:-1]
        expanded = {*expanded, asked}  # the answer can be read off its children
        secret = asked if waits and question.kind == "value" else None
    labels = {} if secret is None else {secret: "?"}
    selects = question is not None and isinstance(trace[question.step], Select)
    asked_for = question if selects and question and question.kind == "child" else None
    return Scene(
        said="What comes next?" if secret is not None else marked_up(sentence(frame)),
        stage=stage(frame, expanded=expanded, labels=labels, **drawn),
        lines=_program(frame, lit=secret is None),
        table=_scores(frame, asked_for, waits) if trace.is_mcts else _windows(frame, secret),
        board=str(position(frame.state, last=frame.last)) if frame.state.spots() else "",
        secret=secret,
    )


def _program(frame: Frame, *, lit: bool) -> str:
    """Return the function that runs, with the line marked that told the last event."""
    if not frame.trace.places:
        return ""
    place = frame.trace.places[max(0, frame.step - 1)]
    code = listing(place.code)
    lines = ""
    for number, line in zip(code.numbers, code.lines, strict=True):
        text = line.lstrip()
        here = lit and frame.step and frame.plays is None and number == place.line
        runs = ' class="gl-runs" aria-current="step"' if here else ""
        # what does not fit into a line goes on further in than the line begins
        indent = f"padding-left: calc(24px + {len(line) - len(text) + 2}ch)"
        lines += f'<div{runs} style="{indent}">{escape(text)}</div>'
    return f'<div class="gl-code" role="group" aria-label="{code.name}">{lines}</div>'


def _windows(frame: Frame, secret: Path | None) -> str:
    """Return the open nodes, from the root to the current one, with their windows."""
    trace = frame.trace
    windows = bool(trace.visits) and len(trace.visits[0].window) == 2
    columns = ["open node", "to move", *(["alpha", "beta"] if windows else []), "best so far"]
    rows = []
    for path in frame.stack[-ROWS:]:
        node = frame.node(path)
        who = "" if node.state.is_terminal() else mover(trace, node.state)
        window = [in_words(limit) for limit in node.window] if windows else []
        best = "" if node.value is None else bound_in_words(node.value, node.kind)
        if path == secret:
            window, best = ["?"] * len(window), "?"
        rows.append([line_in_words(path) or "root", who, *window, best])
    return table(columns, rows)


def _scores(frame: Frame, question: Question | None, waits: bool) -> str:
    """Return the numbers of the actions at a node of MCTS, with the scores where it selects."""
    trace = frame.trace
    if not trace.visits:
        return ""
    if question:  # the scores by which the search selects next
        path = trace.visit_of(question.step).path
        rows: tuple[Ucb, ...] = trace[question.step].table
    else:
        path = () if frame.plays is not None else frame.focus or frame.path[:1]
        rows = frame.scores(path[:-1])
    at, scored = path[:-1], bool(rows)
    rows = rows or _counts(frame, at)
    chosen = frame.plays if frame.plays is not None else path[-1] if path else None
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
    state = frame.node(at).state
    chance = state.current_player == CHANCE
    who = frame.node(at).owner if chance else state.current_player
    columns = ["action", "visits n", f"mean for {state.player_name(who or 0)}", *SCORES]
    head = f"<div>{'Scores' if scored else 'Visits'} at {escape(path_in_words(at))}</div>"
    more = len(rows) - len(cells)
    return head + table(columns, cells) + (f"<div>and {more:,} more</div>" if more else "")


def _first(rows: tuple[Ucb, ...]) -> list[Ucb]:
    """Return the rows that there is room for: those with the most visits of many."""
    if len(rows) <= ROWS:
        return list(rows)
    most = sorted(rows, key=lambda row: -row.visits)[:ROWS]
    return [row for row in rows if row in most]


def _counts(frame: Frame, path: Path) -> tuple[Ucb, ...]:
    """Return visits and means of the actions at a node; their scores are not known here."""
    rows = []
    for action in frame.node(path).state.legal_actions():
        known = frame.visits_of((*path, action))
        node = frame.node((*path, action)) if known else None
        visits, mean = (node.visits, node.mean) if node else (0, None)
        rows.append(Ucb(action, visits, mean, 0))
    return tuple(rows)


def touching(film: Film, path: Path, many: int, until: int) -> list[tuple[str, int]]:
    """Return names and numbers of the last `many` moments up to `until` in which a node takes part.

    In MCTS a simulation that goes through a node counts there, too.
    """
    trace, found = film.trace, []
    for step in range(film[until].step, 0, -1):
        event, index = trace[step - 1], film.of(step)
        if isinstance(event, Backpropagate) and event.path[: len(path)] == path:
            index -= len(path)
        elif trace.visit_of(step - 1).path != path or isinstance(event, Backpropagate):
            continue
        if index <= until:
            found.append((f"{index:,}: {type(event).__name__}", index))
        if len(found) == many:
            break
    return found[::-1]
