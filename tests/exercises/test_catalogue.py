"""Every exercise of every notebook is in the catalogue, with hints in steps and a solution."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from course.exercises import catalogue as module
from course.exercises.catalogue import catalogue, exercise_of, hint, solution, solution_text
from course.lessons.minimax.check import check_negamax

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
EXERCISES = list(catalogue().values())


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Forget what was shown and tried before the test."""
    monkeypatch.setattr(module, "_hints_shown", Counter())
    module.attempts.clear()


def calls():
    """Yield (notebook, cell, check) for each cell of the notebooks that ends with a check."""
    for path in sorted(NOTEBOOKS.glob("[0-9]*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            last = "".join(cell["source"]).rpartition("\n")[2]
            if cell["cell_type"] == "code" and (
                call := re.match(r"exercises\.(check_\w+)\(", last)
            ):
                yield path.stem, cell["id"], call[1]


def test_catalogue_has_each_exercise_once():
    assert list(calls()) == [(one.notebook, one.cell, one.check) for one in EXERCISES]


def test_points_of_every_notebook_sum_to_ten():
    points = Counter()
    for exercise in EXERCISES:
        points[exercise.notebook] += exercise.points
    assert set(points.values()) == {10}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.key)
def test_exercise_has_three_hints_and_compilable_solution(exercise):
    question, place, line = exercise.hints
    assert "?" in question
    assert place.endswith(".")
    assert re.search(r"`[^`]+`|\d", line)
    program = solution_text(exercise)
    compile(program, exercise.key, "exec")
    for name in [*exercise.reference, *exercise.answer]:
        assert re.search(rf"\b{name.rpartition('.')[2]}\b", program)


def test_hint_shows_hints_in_order():
    shown = [repr(hint("02/e1")) for _ in range(4)]
    steps = exercise_of("02/e1").hints
    assert [step in text for step, text in zip(steps, shown, strict=False)] == [True] * 3
    assert [text[:11] for text in shown] == [f"Hint {n} of 3" for n in (1, 2, 3, 3)]
    assert shown[0].endswith("(2 left.)")
    assert shown[3] == shown[2]
    assert "Hint 1 of 3" in repr(hint("02/e2"))  # each exercise counts its own


def test_solution_after_attempt_passes_its_check():
    shown = solution("02/e2")
    assert ("check_negamax" in shown.text, shown.program) == (True, "")
    check_negamax(lambda state: 0)
    note, names = solution("02/e2"), {}
    exec(note.program, names)
    assert check_negamax(names["negamax_value"])
    assert note._repr_markdown_() == f"{note.text}\n\n```python\n{note.program}\n```"
    assert repr(note) == f"{note.text}\n\n{note.program}"
    assert solution("02/e1").program == ""  # of an exercise that was not tried


@pytest.mark.parametrize("show", [hint, solution])
@pytest.mark.parametrize("key", ["02/e9", "e1", "", None, 2])
def test_unknown_exercise_raises(show, key):
    with pytest.raises(ValueError, match="01/e1, "):
        show(key)
