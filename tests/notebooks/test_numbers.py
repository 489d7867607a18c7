"""Every number in the prose of a lesson is produced: by a cell, or by the source it names.

A number counts as produced if a cell of the same section prints it or contains it, as it is,
rounded, or as a percentage.  A sentence that names another notebook, or a section, is held against
that.  Numbers up to 4 stand everywhere and are not looked at, nor are numbers written as words.
"""

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from course.lessons.learning.training import SIMULATIONS
from gamelib import Nim
from gamelib.search.checks import WIN_SCORE
from tests.messages import broken

ROOT = Path(__file__).parents[2]
NOTEBOOKS = {path.stem[:2]: path for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))}
TEACHER = sorted((ROOT / "docs" / "teacher").glob("[0-9]*.md"))
SMALL = 4

DIGITS = r"\d(?:[\d,]*\d)?(?:\.\d+)?"
NUMBER = re.compile(rf"(?<![\w.]){DIGITS}(?!\w)")
# What states nothing: formulas, code, links, headings, quotations, names of places, settings.
NO_CLAIM = re.compile(
    r"\$[^$]*\$|`[^`]*`|\]\([^)]*\)|^#.*$|\"[^\"]*\""
    r"|\b(?:sections?|notebooks?|exercises?|rows?|cells?|columns?|line|depth|seeds?|from) "
    r"\d+(?:(?:,| and| or| to|, and) \d+)*",
    re.MULTILINE | re.IGNORECASE,
)
PLAN = re.compile(r"^\| *\d+-\d+ *\|.*$", re.MULTILINE)  # minutes of a lesson
SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n\n|\n(?=[-|])|\|")
# A year and pages are those of a source; "guesses from 30 to 60" are what a class will say.
CITED = re.compile(r"\(\d{4}\)|\*[A-Z][^*]+\* \d+|arXiv|\b(?:[Gg]uess|[Ee]xpect|Try\b|Set\b)")
PLANS = {"title", "next", "summary"}  # times of lessons, and lists of sources


# What prose works out by itself, worked out again.
WORKED_OUT = {
    "01": [math.factorial(9), 3**9],
    "02": [WIN_SCORE, 121, 103],  # of two weights for lab 2B: tests/lessons/test_minimax.py counts
    "03": [4_000, 5_000],  # what two exercises ask for
    "04": [
        value
        for visits, total in ((5, 3.5), (3, 2), (2, 0.5))
        for mean, width in [(total / visits, math.sqrt(2 * math.log(10) / visits))]
        for value in (mean, width, mean + width)
    ],
    # A step of learning by hand, on the teacher's page: two weights, and the value after it.
    "11": [
        found
        for weights in [(0.5, -0.4)]
        for step in [0.1 * (1 - 2 * sum(weights))]
        for found in (
            *(weight + 2 * step for weight in weights),
            2 * sum(weights) + 8 * step,
            SIMULATIONS,  # of a move in section 6
        )
    ],
    # The year is that of Bouton's paper, in the list of sources.
    "05": [len(Nim([3, 4, 5]).legal_actions()), 1901],
}


def numbers(text: str) -> set[float]:
    return {float(found.replace(",", "")) for found in re.findall(DIGITS, text)}


def shown(cell: dict) -> Iterator[str]:
    """Yield what a cell produces: its program, its outputs, or the text that it quotes."""
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield from re.findall(r"```.*?```", text, re.DOTALL)
        return
    yield text
    for output in cell["outputs"]:
        yield "".join(output.get("text", ""))
        data = output.get("data", {})
        yield from ("".join(data[kind]) for kind in data if kind.startswith("text/"))


def sections_of(cells: list[dict]) -> list[list[dict]]:
    sections: list[list[dict]] = [[]]
    for cell in cells:
        if cell["cell_type"] == "markdown" and "".join(cell["source"]).startswith("## "):
            sections.append([])
        sections[-1].append(cell)
    return sections


def produced(cells: list[dict]) -> set[float]:
    return numbers("\n".join(text for cell in cells for text in shown(cell)))


@cache
def produced_by(number: str) -> frozenset[float]:
    return frozenset(produced(json.loads(NOTEBOOKS[number].read_text())["cells"]))


def without_source(text: str, known: set[float]) -> Iterator[str]:
    """Yield the numbers of a text that nothing known produces, each with its sentence."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    for sentence in SENTENCE.split(PLAN.sub("", text)):
        elsewhere = re.findall(r"[Nn]otebooks? (\d\d)", sentence)
        there = known.union(*(produced_by(name) for name in elsewhere if name in NOTEBOOKS))
        if CITED.search(sentence):
            continue
        for found in NUMBER.findall(NO_CLAIM.sub("", sentence)):
            if not is_in(found, there):
                yield f"{found} in: {' '.join(sentence.split())}"


def is_in(found: str, known: set[float]) -> bool:
    value, digits = float(found.replace(",", "")), len(found.partition(".")[2])
    if value <= SMALL and not digits:
        return True
    return any(round(one * unit, digits) == value for one, unit in product(known, (1, 100)))


def complaints(cells: list[dict], worked_out: set[float]) -> Iterator[str]:
    for section in sections_of(cells):
        known = produced(section) | worked_out
        for cell in section:
            if cell["cell_type"] == "markdown" and cell["id"] not in PLANS:
                for complaint in without_source("".join(cell["source"]), known):
                    yield f"{cell['id']}: {complaint}"


@pytest.mark.parametrize("number", NOTEBOOKS)
def test_notebook_numbers_are_produced_by_cells(number):
    cells = json.loads(NOTEBOOKS[number].read_text())["cells"]
    found = list(complaints(cells, set(WORKED_OUT.get(number, []))))
    assert found == [], broken(f"Notebook {number}: {RULE}", found)


@pytest.mark.parametrize("page", TEACHER, ids=lambda path: path.stem)
def test_teacher_page_numbers_are_produced_by_cells(page):
    known = set(produced_by(page.stem)) | set(WORKED_OUT.get(page.stem, []))
    found = list(without_source(page.read_text(), known))
    assert found == [], broken(f"{page.name}: {RULE}", found)


RULE = (
    "every number above 4 must come from a cell of its section, or from the notebook that its "
    "sentence names. Print these numbers in a cell, or take them out of the text:"
)


def cell(kind: str, source: str, text: str = "") -> dict:
    return {"cell_type": kind, "id": "x", "source": source, "outputs": [{"text": text}]}


@pytest.mark.parametrize(
    ("prose", "output", "missed"),
    [
        ("It visits 8,180 nodes.", "8180", ""),
        ("It visits 8,181 nodes.", "8180", "8,181"),
        ("That is 44.7 %.", "0.4471", ""),
        ("That is 44.8 %.", "0.4471", "44.8"),
        ("In notebook 02 it was 549,946.", "", ""),
        ("In notebook 02 it was 549,947.", "", "549,947"),
        ("## 17 A heading\nand `play(16)`, see section 15.", "", ""),
        ("Ulam says it in *Numbers* 3 (1999).", "", ""),
        ("```\nthe report says 2000\n```\nIs 2000 right?", "", ""),
    ],
)
def test_number_counts_as_produced(prose, output, missed):
    found = list(complaints([cell("code", "count()", output), cell("markdown", prose)], set()))
    assert [words.split()[1] for words in found] == [missed] * bool(missed), found


def test_number_from_another_section_is_reported():
    cells = [cell("code", "", "8180"), cell("markdown", "## Next\n8,180 nodes.")]
    assert list(complaints(cells, set()))
