"""An hour is an hour: what a class does of each notebook, counted, and held against the limits.

In class are the sections whose heading has a star; a notebook without stars is done as a whole.
Words are what white space parts, and lines are all lines: signs of a table and blank lines count.

The minutes in class are those of the plan in docs/teacher, which has time for discussion; the
minutes alone are estimated from what there is to read and to do.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from tests.messages import broken

ROOT = Path(__file__).parents[2]
NOTEBOOKS = {path.stem: path for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))}
LIMITS = {"cells": 35, "words": 1_050, "lines": 80, "guesses": 4, "quizzes": 2}

A_MINUTE = {"words": 130, "lines": 12}
MINUTES = {"guesses": 1, "quizzes": 1, "widgets": 5, "exercises": 15}
SECTION = re.compile(r"^(?=## )", re.MULTILINE)
# What a cell's output stands for, by the beginning of its text.
WIDGETS = ("Bandit", "ExperimentLab", "FillInTree", "Lab", "PlayBoard", "Playground")
WIDGETS += ("SearchStepper", "Trainer")
ASKED = {"Predict": "guesses", "Quiz": "quizzes"} | dict.fromkeys(WIDGETS, "widgets")
EXERCISE = re.compile(r"e\d")  # by the id of its cell
PLAN_ROW = re.compile(r"^\| (\d+)-(\d+) \|", re.MULTILINE)  # | 4-10 | Section 1. ... |
README_ROW = re.compile(r"^\| \[.+\]\(notebooks/(\w+)\.ipynb\) \|.+\| (\d+) / (\d+) \|$", re.M)
TIME = re.compile(r"\*\*Time\.\*\* (\d+) minutes in class\b.*?(\d+) minutes alone", re.DOTALL)


def parts(cells: list[NotebookNode]) -> Iterator[tuple[bool, NotebookNode, str]]:
    """Yield each cell, cut before its sections, and whether the part is for the class."""
    whole = in_class = not any("★" in cell.source for cell in cells)
    for cell in cells:
        for part in SECTION.split(cell.source) if cell.cell_type == "markdown" else [cell.source]:
            if cell.cell_type == "markdown" and part.startswith("## "):
                in_class = whole or "★" in part.split("\n")[0]
            if part.strip():
                yield in_class, cell, part


def asked(cell: NotebookNode) -> Iterator[str]:
    """Yield what a code cell asks of its reader."""
    for output in cell.outputs:
        name = output.get("data", {}).get("text/plain", "").split("(")[0]
        if name in ASKED:
            yield ASKED[name]
    if EXERCISE.fullmatch(cell.id):
        yield "exercises"


def counted(cells: list[NotebookNode], in_class: bool) -> Counter[str]:
    """Return what there is to read, to run and to do: in class, or in all."""
    found: Counter[str] = Counter()
    seen = set()
    for for_class, cell, part in parts(cells):
        if in_class and not for_class:
            continue
        seen.add(cell.id)
        if cell.cell_type == "markdown":
            found["words"] += len(part.split())
        else:
            found["lines"] += len(part.splitlines())
            found.update(asked(cell))
    found["cells"] = len(seen)
    return found


def minutes(found: Counter[str]) -> int:
    """Return the minutes that this takes, rounded up to five."""
    reading = sum(found[what] / number for what, number in A_MINUTE.items())
    doing = sum(found[what] * number for what, number in MINUTES.items())
    return 5 * math.ceil((reading + doing) / 5)


def planned(name: str) -> int:
    """Return the minutes in class of a notebook: where the plan of its teacher's page ends."""
    page = ROOT / "docs" / "teacher" / f"{name[:2]}.md"
    return int(PLAN_ROW.findall(page.read_text(encoding="utf-8"))[-1][1])


def times(name: str) -> tuple[int, int]:
    """Return the minutes in class and alone that every page must name."""
    _, whole = both(NOTEBOOKS[name])
    return planned(name), minutes(whole)


def both(path: Path) -> tuple[Counter[str], Counter[str]]:
    cells = nbformat.read(path, 4).cells
    return counted(cells, True), counted(cells, False)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_class_part_is_within_limits(name: str) -> None:
    found, _ = both(NOTEBOOKS[name])
    over = [
        f"{found[what]} {what}; the limit is {most}"
        for what, most in LIMITS.items()
        if found[what] > most
    ]
    rule = (
        f"The part of {name}.ipynb for the class (sections with ★) is too long. Cut something, or "
        "move it to a section without a star:"
    )
    assert over == [], broken(rule, over)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_plan_leaves_no_minute_out(name: str) -> None:
    page = ROOT / "docs" / "teacher" / f"{name[:2]}.md"
    rows = PLAN_ROW.findall(page.read_text(encoding="utf-8"))
    begins, ends = zip(*rows, strict=True)
    assert begins == ("0", *ends[:-1]), f"{page.name}: each row must begin where the last one ends"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_plan_has_time_for_class_part(name: str) -> None:
    needed, _ = map(minutes, both(NOTEBOOKS[name]))
    assert needed <= planned(name), (
        f"{name}.ipynb: reading and doing the sections with ★ takes {needed} minutes, but the plan "
        f"in docs/teacher ends after {planned(name)}; cut a section, or plan more time"
    )


def test_readme_minutes_match_plans() -> None:
    needed = {name: times(name) for name in NOTEBOOKS}
    rows = README_ROW.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    written = {name: (int(short), int(whole)) for name, short, whole in rows}
    wrong = [
        f"{name}: {written.get(name)} -> {needed.get(name)}"
        for name in sorted(written.keys() | needed.keys())
        if written.get(name) != needed.get(name)
    ]
    rule = "In the table of README.md, correct the minutes (in class, alone) of these notebooks:"
    assert wrong == [], broken(rule, wrong)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_title_minutes_match_plan(name: str) -> None:
    title = nbformat.read(NOTEBOOKS[name], 4).cells[0].source
    short, whole = times(name)
    written = [tuple(map(int, found)) for found in TIME.findall(title)]
    assert written == [(short, whole)], (
        f"The first cell of {name}.ipynb must say once: **Time.** {short} minutes in class, "
        f"{whole} minutes alone; it has {written or 'no such line'}"
    )


def test_starred_headings_select_the_class_part() -> None:
    guess = new_output("execute_result", {"text/plain": "Predict('How many?', no guess yet)"})
    board = new_output("execute_result", {"text/plain": "PlayBoard(TicTacToe: ...)"})
    cells = [
        new_markdown_cell("# Title\n\nTwo words.", id="title"),
        new_markdown_cell("Before it.\n\n## 1 One ★\n\nThree more words.", id="s1"),
        new_code_cell("ask = 1\n\nask", id="ask", outputs=[guess]),
        new_markdown_cell("More.\n\n## At home\n\nLong.", id="home"),
        new_code_cell("play", id="play", outputs=[board]),
        new_markdown_cell("## 2 Two", id="s2"),
        new_code_cell("# no heading ★ here\ncheck", id="e1"),
    ]
    short, whole = counted(cells, True), counted(cells, False)
    assert short == Counter(cells=3, words=8, lines=3, guesses=1)
    assert whole == Counter(cells=7, words=21, lines=6, guesses=1, widgets=1, exercises=1)
    assert (minutes(short), minutes(whole)) == (5, 25)
