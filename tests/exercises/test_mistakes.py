"""Mistakes said as edits: the edited program, and the tables that name them."""

import re

import pytest

from course.exercises import mistakes as kit
from course.exercises.lesson_data import load_tables
from course.exercises.mistakes import Mistakes, with_edits
from course.lessons import LESSONS
from course.lessons.minimax.check import check_negamax
from course.lessons.minimax.reference import negamax_value
from tests.messages import names

FACTOR = 2


def double_sum(number: int, start: int = 10, *, step: int = 1) -> int:
    """Return twice the sum of the numbers up to `number`, and `start`."""
    if number <= 0:
        return start
    return FACTOR * number + double_sum(number - step, start, step=step)


@pytest.mark.parametrize(
    ("edits", "value"),
    [
        ([("return start", "return 0")], 12),
        ([("FACTOR * number", "1")], 13),  # it calls itself
        ([("return start", "return start + 1")], 23),  # the defaults are kept
        ([("step: int = 1", "step: int = 3")], 16),
        ([("FACTOR", "3"), ("return start", "return 0")], 18),
    ],
)
def test_edit_changes_copy_but_not_original(edits, value):
    assert with_edits(double_sum, *edits)(3) == value
    assert double_sum(3) == 22


@pytest.mark.parametrize(("text", "times"), [("nowhere", 0), ("step", 4)])
def test_edit_of_text_not_occurring_once_raises(text, times):
    with pytest.raises(ValueError, match=f"'{text}' .* {times} times"):
        with_edits(double_sum, (text, ""))


@pytest.fixture
def table(monkeypatch):
    sums = [
        {"hint": "No start.", "line": "return start", "mistake": "return 0"},
        {"hint": "Two.", "line": ["FACTOR", "return start"], "mistake": ["3", "return 0"]},
        {"hint": "Out of date.", "line": "no such line", "mistake": ""},
    ]
    monkeypatch.setattr(kit, "load_tables", lambda lesson, name: {"sums": sums})
    return Mistakes("arithmetic", "sums", double_sum)


def test_correct_answer_skips_mistake_search(monkeypatch):
    monkeypatch.setattr(kit, "with_edits", None)
    assert check_negamax(negamax_value)


def test_mistakes_are_built_on_lookup(table):
    assert list(table) == ["No start.", "Two.", "Out of date."]  # as in the file
    assert table["No start."](3) == 12
    assert table["Two."](3) == 18
    with pytest.raises(ValueError, match=names("double_sum must have")):
        table["Out of date."]


@pytest.mark.parametrize("table", ["mistakes", "flaws"])
def test_feedback_has_no_markdown_emphasis(table: str) -> None:
    found = []
    for lesson in LESSONS:
        for rows in load_tables(lesson, table).values():
            for row in rows if isinstance(rows, list) else [rows]:
                text = re.sub(r"`[^`]*`", "", row.get("hint", "") + row.get("reason", ""))
                found += re.findall(r"\*\w[^*]*\*", text)
    assert found == []
