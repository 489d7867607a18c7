"""Export a stepper as data and HTML that need no kernel: all its steps, and the page for them.

Each part of a step is HTML, cut into pieces between its tags.  A piece is stored once, and a step
stores only its differences from another step.  `stepper_export.js` puts the pieces together again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from html import escape
from pathlib import Path
from re import split
from string import Template
from typing import Any

from course.draw.wording import format_value
from course.tracing.trace import Timeline, Trace
from course.widgets.panel import markup_to_html, read_asset
from course.widgets.step_questions import StepQuestion, grade_answer
from course.widgets.stepper_view import StepView
from course.widgets.tree_pane import box_css

Splice = list[int]  # index, number of pieces to remove, and the pieces to insert
# Renders a step from its number, its question, and whether the question is still open.
RenderStep = Callable[[int, StepQuestion | None, bool], StepView]


class DeltaEncoder:
    """Encodes steps as differences: `add` takes the next step, and `data` has all of them."""

    def __init__(self) -> None:
        self._pieces: dict[str, int] = {}  # piece -> its number
        self._shown: list[list[list[int]]] = []  # for each step and part the numbers of its pieces
        self._frames: list[list[Any]] = []

    def add(self, parts: Sequence[str], after: int) -> int:
        """Store a step as its differences from the step numbered `after`, and return its number.

        The first step comes after the number -1.
        """
        number_of = self._pieces.setdefault
        pieces = [split(r"(?<=>)(?=\s*<)", part) for part in parts]
        numbers = [[number_of(piece, len(self._pieces)) for piece in part] for part in pieces]
        previous = self._shown[after] if after >= 0 else [[] for _ in parts]
        self._shown.append(numbers)
        changes = [_splices(*pair) for pair in zip(previous, numbers, strict=True)]
        self._frames.append([after, *changes])
        return len(self._frames) - 1

    @property
    def data(self) -> dict[str, Any]:
        """The pieces, and for each step an earlier step and the differences from it."""
        return {"pieces": list(self._pieces), "frames": self._frames}


def _splices(old: list[int], new: list[int]) -> list[Splice]:
    """Return the changes from one list to another, ordered from the end to the beginning."""
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        [begin, end - begin, *new[first:last]]
        for kind, begin, end, first, last in reversed(changes)
        if kind != "equal"
    ]


def export_timeline(
    timeline: Timeline, render: RenderStep, questions: dict[int, StepQuestion]
) -> dict[str, Any]:
    """Return everything a stepper can show, as data for `stepper_export.js`."""
    encoder, trace = DeltaEncoder(), timeline.trace
    for number in range(len(timeline)):
        encoder.add(_parts(render(number, None, False)), number - 1)
    entries = {}
    for number, question in questions.items():
        entries[number] = _asked(trace, question)
        for name, waits in (("waits", True), ("told", False)):
            entries[number][name] = encoder.add(_parts(render(number, question, waits)), number)
    simulated = range(len(timeline) - 1 if trace.is_mcts else 0)
    ends = sorted({timeline.end_of_simulation(number) for number in simulated})
    return encoder.data | {"last": len(timeline) - 1, "ends": ends, "questions": entries}


def _parts(scene: StepView) -> list[str]:
    stage = scene.stage
    box = (
        box_css(stage.current_box, stage.width, stage.height)
        if stage.current_box
        else "display: none;"
    )
    size = f"--wide: {stage.width:g}; --high: {stage.height:g}"
    drawing = f'<i class="gl-here" style="{box}"></i>{stage.svg}'
    return [scene.words, f'<div class="gl-stage" style="{size}">{drawing}</div>']


def _asked(trace: Trace, question: StepQuestion) -> dict[str, Any]:
    """Return a question with the replies to each answer, at the first and at the second attempt."""

    def replies(answer: Any) -> list[Any]:
        first, second = (
            grade_answer(trace, question, answer, reveal=tell) for tell in (False, True)
        )
        return [
            first.correct,
            markup_to_html(first.explanation),
            markup_to_html(second.explanation),
        ]

    entry: dict[str, Any] = {"prompt": markup_to_html(question.prompt)}
    if question.choices:
        choices = map(str, question.choices)
        answers = zip(choices, map(replies, question.choices), strict=True)
        return entry | {"choices": [[choice, *reply] for choice, reply in answers]}
    # A value is typed in. The values of the children have their own replies, and any other value
    # has one reply.
    frame, path = trace.at(question.step), trace.visit_of(question.step).path
    values = dict.fromkeys(frame.node(child).value for child in frame.children(path))
    candidates = [question.correct, *(v for v in values if v not in (None, question.correct))]
    other = 1 + max((abs(v) for v in candidates if isinstance(v, int | float)), default=0)
    rest = [reply.replace(f"{format_value(other)} is", "{} is") for reply in replies(other)[1:]]
    return entry | {
        "values": [[_numbers(v), *replies(v)] for v in candidates],
        "other": [False, *rest],
    }


def _numbers(value: Any) -> list[str]:
    return [str(part) for part in (value if isinstance(value, tuple) else (value,))]


def fragment(kind: str, data: dict[str, Any]) -> str:
    """Return data as a piece of HTML, from which a script builds a widget of this `kind`."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    safe = text.replace("</", "<\\/").replace("<!--", "\\u003c!--")
    return f'<div class="gl-{kind} gl-live"><script type="application/json">{safe}</script></div>'


def document(title: str, body: str, *, style: str, script: str, kind: str, head: str = "") -> str:
    """Return a page as one file; `kind` is its CSS class."""
    parts = {"body": body, "style": style, "script": script, "kind": kind, "head": head}
    return Template(read_asset("page.html")).substitute(title=escape(title), **parts)


def style() -> str:
    """Return the style sheet for all parts of a page that a widget shows, too."""
    return "".join(read_asset(f"{name}.css") for name in ("stepper_export", "tree_pane", "stepper"))


def write_page(file: str | os.PathLike[str], title: str, body: str) -> None:
    """Write a page as one file that needs nothing else."""
    script = read_asset("stepper_export.js")
    # Screen readers look for a heading and for the main part of a page.
    body = f'<main><h1 class="gl-heading">{escape(title)}</h1>\n{body}</main>'
    text = document(title, body, style=style(), script=script, kind="gl-alone")
    Path(file).write_text(text, encoding="utf-8")
