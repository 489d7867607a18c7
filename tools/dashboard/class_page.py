"""Write the page of a class: one HTML file that needs neither a network nor JavaScript."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from course.draw import histogram
from course.exercises.activity_log import ANSWER_KINDS
from course.exercises.answer_histograms import Histogram, histograms
from course.exercises.catalogue import catalogue
from course.exercises.feedback import markup_to_html
from tools.dashboard.progress import STUCK_ATTEMPTS, Progress, StudentLog, exercise_progress
from tools.submissions import ROOT

CSS = Path(__file__).with_name("class_page.css")
MAX_MISTAKES = 8
MAX_HARDEST_QUESTIONS = 6  # of steppers; the page folds the easier ones
ATTEMPT_GROUPS: dict[str, Callable[[int], bool]] = {
    "1": lambda n: n == 1,
    "2": lambda n: n == 2,
    "3": lambda n: n == 3,
    "4 to 6": lambda n: 4 <= n <= 6,
    "7+": lambda n: n >= 7,
}
HOW_TO_READ = f"""\
<p class="soft">An attempt does not count if the check gave the same feedback as for the attempt
before it. For a prediction, the guess at the first comparison with the measurement counts; for a
quiz or a stepper, the first answer. A student is stuck if an exercise was not passed after
{STUCK_ATTEMPTS} attempts, after all three hints, or after the solution was opened. Students can
edit the records in their notebooks, so do not use this page as a proof or for marks.</p>"""


def class_page(logs: Sequence[StudentLog], *, names: bool) -> str:
    """Return the page as HTML.

    names  whether the page names students and files
    """
    good = [log for log in logs if not log.problem]
    notebooks = sorted({log.notebook for log in good})
    parts = [
        _notebook_section(name, [log for log in good if log.notebook == name], names)
        for name in notebooks
    ]
    links = "".join(f'<a href="#n{name[:2]}">{_notebook_title(name)}</a>' for name in notebooks)
    style = f"<style>{CSS.read_text(encoding='utf-8')}</style>"
    # The style of the page comes last, because it overrides the style of the histograms.
    text = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>The class at a glance</title>{histogram.STYLE}{style}</head><body><main>"
        f"<h1>The class at a glance</h1><nav>{links}</nav>"
        f"{''.join(parts)}{_unreadable_files(logs, names)}{HOW_TO_READ}</main></body></html>\n"
    )
    return text.encode(errors="replace").decode()  # an edited file may contain lone surrogates


def _notebook_section(name: str, logs: list[StudentLog], names: bool) -> str:
    students = [log.events for log in logs]
    kept = sum(map(bool, students))
    shares = sum(any(event["kind"] in ANSWER_KINDS for event in events) for events in students)
    counts = f"{_count_of(len(logs), 'notebook')}, {kept} with a record, {shares} with answers"
    if tabs := sum(log.ran_in_tab for log in logs):
        counts += f", {tabs} from a browser tab, where a new kernel forgets earlier attempts"
    progress, order, cards = exercise_progress(logs), _question_order(name), ""
    for kind, title in (("guess", "Predictions"), ("quiz", "Quizzes")):
        if found := histograms(kind, students, reveal=True):
            cards += _cards(title, [found[key] for key in sorted(found, key=order)])
    return (
        f'<section><h2 id="n{name[:2]}">{_notebook_title(name)}</h2><p>{counts}.</p>'
        f"{_exercise_table(progress)}{_stuck_list(progress, names)}{_mistake_chart(progress)}"
        f"{cards}"
        f"{_stepper_cards([*histograms('step', students, reveal=True).values()])}</section>"
    )


def _notebook_title(name: str) -> str:
    return escape(name.replace("_", " ")) or "Other notebooks"


def _count_of(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def _question_order(notebook: str) -> Callable[[str], tuple[int, str]]:
    """Return a sort key for questions: their order in a notebook of the course."""
    path = ROOT / "notebooks" / f"{notebook}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.is_file() else []
    text = "\n".join("".join(cell["source"]) for cell in cells)

    def place(key: str) -> tuple[int, str]:
        found = text.find(f'"{key}"')
        return (found if found >= 0 else len(text), key)

    return place


def _exercise_table(progress: dict[str, list[Progress]]) -> str:
    """Return the exercises as bars, for the students who passed, and as a table of numbers."""
    if not progress:
        return ""
    passed = [
        (_exercise_name(key), sum(each.passed for each in students), False)
        for key, students in progress.items()
    ]
    alone, last = (
        "".join(_column_heading(name, 'rowspan="2"') for name in names)
        for names in (("Exercise", "tried", "passed"), ("took hints", "opened solution", "stuck"))
    )
    group = _column_heading(
        "passed after this number of attempts", f'colspan="{len(ATTEMPT_GROUPS)}" class="group"'
    )
    head = f"<tr>{alone}{group}{last}</tr><tr>{''.join(map(_column_heading, ATTEMPT_GROUPS))}</tr>"
    rows = "".join(_exercise_row(key, students) for key, students in progress.items())
    table = f"<thead>{head}</thead><tbody>{rows}</tbody>"
    return (
        '<h3>Exercises</h3><div class="card"><h4>How many passed</h4>'
        f"{histogram.bars(passed, head='exercise')}</div>"
        '<div class="wide" tabindex="0" role="region" aria-label="Exercises in numbers">'
        f'<table class="exercises">{table}</table></div>'
        '<p class="soft">Students; hints and solutions before the pass.</p>'
    )


def _column_heading(name: str, more: str = "") -> str:
    """Return the heading of a column; `more` are attributes of its element."""
    return f'<th scope="col" {more}>{escape(name)}</th>'


def _exercise_row(key: str, progress: list[Progress]) -> str:
    needed = [each.attempts for each in progress if each.passed]
    numbers = [sum(each.attempts > 0 for each in progress), len(needed)]
    numbers += [sum(map(fits, needed)) for fits in ATTEMPT_GROUPS.values()]
    numbers += [sum(each.hints > 0 for each in progress), sum(each.solution for each in progress)]
    numbers += [sum(each.is_stuck for each in progress)]
    cells = "".join(f"<td>{number:,}</td>" for number in numbers)
    return f'<tr><th scope="row">{escape(_exercise_name(key))}</th>{cells}</tr>'


def _exercise_name(key: str) -> str:
    exercise = catalogue()[key]
    return f"{exercise.cell.upper()} {exercise.title}"


def _stuck_list(progress: dict[str, list[Progress]], names: bool) -> str:
    """Return the students who need help, by exercise; "" without names."""
    lines: dict[str, list[str]] = {}
    for key, each in (
        (key, each) for key, students in progress.items() for each in students if each.is_stuck
    ):
        said = [_count_of(each.attempts, "attempt")]
        said += [_count_of(each.hints, "hint")] if each.hints else []
        said += ["solution opened"] if each.solution else []
        trouble = f"{catalogue()[key].cell.upper()} ({', '.join(said)})"
        lines.setdefault(each.student, []).append(trouble)
    if not lines or not names:
        return ""
    items = "".join(
        f"<li><b>{escape(student)}</b>: {escape('; '.join(lines[student]))}</li>"
        for student in sorted(lines)
    )
    return f'<h3>Who is stuck</h3><ul class="names">{items}</ul>'


def _mistake_chart(progress: dict[str, list[Progress]]) -> str:
    """Return the most frequent mistakes as bars, each with the hint of its check."""
    counted = Counter(
        (key, hint) for key, students in progress.items() for o in students for hint in o.mistakes
    )
    if not counted:
        return ""
    most = sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:MAX_MISTAKES]
    rows = [
        (f"{catalogue()[key].cell.upper()}: {hint.replace('`', '')}", count, False)
        for (key, hint), count in most
    ]
    return (
        "<h3>The most frequent mistakes</h3><p>The bars count the students who made a mistake that "
        f'the checks know.</p><div class="card">{histogram.bars(rows, head="mistake")}</div>'
    )


def _cards(title: str, found: list[Histogram]) -> str:
    return f'<h3>{title}</h3><div class="cards">{"".join(map(_card, found))}</div>'


def _card(one: Histogram) -> str:
    rows = [(bar.label, bar.count, bar.right) for bar in one.bars]
    said = f"{one.n:,} answered. {one.truth_text or 'Nobody measured.'}"
    head = f'<h4>{markup_to_html(one.title)}</h4><p class="soft">{escape(said)}</p>'
    return f'<div class="card">{head}{histogram.bars(rows)}</div>'


def _stepper_cards(found: list[Histogram]) -> str:
    """Return the questions of the steppers, sorted from hard to easy."""
    if not found:
        return ""
    right = [sum(bar.count for bar in one.bars if bar.right) / (one.n or 1) for one in found]
    order = sorted(range(len(found)), key=lambda n: (right[n], found[n].title))
    hard = [found[n] for n in order]
    shown = _cards("Steppers: what comes next?", hard[:MAX_HARDEST_QUESTIONS])
    if rest := "".join(map(_card, hard[MAX_HARDEST_QUESTIONS:])):
        more = _count_of(len(hard) - MAX_HARDEST_QUESTIONS, "easier question")
        shown += f'<details><summary>{more}</summary><div class="cards">{rest}</div></details>'
    return shown


def _unreadable_files(logs: Sequence[StudentLog], names: bool) -> str:
    """Return the list of the files that contain no record, with the reasons."""
    broken = [(log.file, log.problem) for log in logs if log.problem]
    broken += [
        (log.file, "no record: nothing was tried, or its outputs are cleared")
        for log in logs
        if not log.problem and not log.events
    ]
    if not broken:
        return ""
    if not names:
        counted = Counter(why for _, why in broken)
        broken = [(_count_of(n, "file"), why) for why, n in counted.items()]
    items = "".join(f"<li>{escape(what)}: {escape(why)}</li>" for what, why in sorted(broken))
    return f'<section><h2 id="faults">Files without a record</h2><ul>{items}</ul></section>'
