"""A stepper without a kernel: all its moments as data, and the page that shows them.

Each part of a moment is HTML, cut into pieces between its tags.  A piece is kept once, and of a
moment only what differs from the one before it.  `stepper_export.js` puts them together again.
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

Splice = list[int]  # where, how many pieces go there, and the pieces that come instead
# number, what is asked, whether it waits.
RenderStep = Callable[[int, StepQuestion | None, bool], StepView]


class DeltaEncoder:
    """Moments as differences: `add` takes the parts of the next one, `data` is all of them."""

    def __init__(self) -> None:
        self._pieces: dict[str, int] = {}  # with its number
        self._shown: list[list[list[int]]] = []  # by moment and part: the numbers of its pieces
        self._frames: list[list[Any]] = []

    def add(self, parts: Sequence[str], after: int) -> int:
        """Return the number of a moment that is kept as what differs from the one numbered `after`.

        The first moment is after the number -1.
        """
        number = self._pieces.setdefault
        pieces = [split(r"(?<=>)(?=\s*<)", part) for part in parts]
        shown = [[number(piece, len(self._pieces)) for piece in part] for part in pieces]
        before = self._shown[after] if after >= 0 else [[] for _ in parts]
        self._shown.append(shown)
        changes = [_splices(*pair) for pair in zip(before, shown, strict=True)]
        self._frames.append([after, *changes])
        return len(self._frames) - 1

    @property
    def data(self) -> dict[str, Any]:
        """The pieces, and of each moment the number of another one and what is changed there."""
        return {"pieces": list(self._pieces), "frames": self._frames}


def _splices(old: list[int], new: list[int]) -> list[Splice]:
    """Return what to change in a list, from its end to its beginning."""
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        [begin, end - begin, *new[first:last]]
        for kind, begin, end, first, last in reversed(changes)
        if kind != "equal"
    ]


def export_timeline(
    timeline: Timeline, render: RenderStep, questions: dict[int, StepQuestion]
) -> dict[str, Any]:
    """Return all that a stepper can show, as data for `stepper_export.js`."""
    kept, trace = DeltaEncoder(), timeline.trace
    for number in range(len(timeline)):
        kept.add(_parts(render(number, None, False)), number - 1)
    asked = {}
    for number, question in questions.items():
        asked[number] = _asked(trace, question)
        for name, waits in (("waits", True), ("told", False)):
            asked[number][name] = kept.add(_parts(render(number, question, waits)), number)
    before = range(len(timeline) - 1 if trace.is_mcts else 0)
    ends = sorted({timeline.end_of_simulation(number) for number in before})
    return kept.data | {"last": len(timeline) - 1, "ends": ends, "questions": asked}


def _parts(scene: StepView) -> list[str]:
    stage = scene.stage
    here = (
        box_css(stage.current_box, stage.width, stage.height)
        if stage.current_box
        else "display: none;"
    )
    size = f"--wide: {stage.width:g}; --high: {stage.height:g}"
    drawn = f'<i class="gl-here" style="{here}"></i>{stage.svg}'
    return [scene.words, f'<div class="gl-stage" style="{size}">{drawn}</div>']


def _asked(trace: Trace, question: StepQuestion) -> dict[str, Any]:
    """Return a question with what is said to each answer: the first time, and the second."""

    def replies(answer: Any) -> list[Any]:
        first, second = (
            grade_answer(trace, question, answer, reveal=tell) for tell in (False, True)
        )
        return [
            first.correct,
            markup_to_html(first.explanation),
            markup_to_html(second.explanation),
        ]

    said: dict[str, Any] = {"prompt": markup_to_html(question.prompt)}
    if question.choices:
        choices = map(str, question.choices)
        answers = zip(choices, map(replies, question.choices), strict=True)
        return said | {"choices": [[choice, *reply] for choice, reply in answers]}
    # A value is typed in: those of the children have replies of their own, as has any other.
    moment, path = trace.at(question.step), trace.visit_of(question.step).path
    found = dict.fromkeys(moment.node(child).value for child in moment.children(path))
    known = [question.correct, *(v for v in found if v not in (None, question.correct))]
    other = 1 + max((abs(v) for v in known if isinstance(v, int | float)), default=0)
    rest = [reply.replace(f"{format_value(other)} is", "{} is") for reply in replies(other)[1:]]
    return said | {"values": [[_numbers(v), *replies(v)] for v in known], "other": [False, *rest]}


def _numbers(value: Any) -> list[str]:
    return [str(part) for part in (value if isinstance(value, tuple) else (value,))]


def fragment(kind: str, data: dict[str, Any]) -> str:
    """Return data as a piece of HTML, of which a script makes what its `kind` is."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    safe = text.replace("</", "<\\/").replace("<!--", "\\u003c!--")
    return f'<div class="gl-{kind} gl-live"><script type="application/json">{safe}</script></div>'


def document(title: str, body: str, *, style: str, script: str, kind: str, head: str = "") -> str:
    """Return a page as one file; `kind` is its class, by which style sheets know it."""
    parts = {"body": body, "style": style, "script": script, "kind": kind, "head": head}
    return Template(read_asset("page.html")).substitute(title=escape(title), **parts)


def style() -> str:
    """Return how all pieces of a page look that a widget shows, too."""
    return "".join(read_asset(f"{name}.css") for name in ("stepper_export", "tree_pane", "stepper"))


def write_page(file: str | os.PathLike[str], title: str, body: str) -> None:
    """Write a whole page: one file, which needs nothing else."""
    script = read_asset("stepper_export.js")
    text = document(title, body, style=style(), script=script, kind="gl-alone")
    Path(file).write_text(text, encoding="utf-8")
