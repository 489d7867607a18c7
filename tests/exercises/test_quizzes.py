"""Every quiz of the notebooks has the form that learners need."""

import json
import re
from pathlib import Path

import pytest

from course import quiz
from course.exercises.lesson_data import quiz_data, quiz_names
from tests.messages import names

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


@pytest.mark.parametrize("name", quiz_names())
def test_quiz_has_complete_form(name):
    """Nothing is chosen, each answer has a reason of its own, and the right one alone is right."""
    question, data = quiz(name), quiz_data(name)
    assert not question.given
    assert len(question.answers) > 1
    for reply in question.answers.values():
        assert reply.strip() not in ("", "Right.")
        assert not reply.startswith(("No.", "No, ")), "the widget has said 'Not yet' before it"
    assert len(set(question.answers.values())) == len(question.answers)
    correct = data["correct"]
    question.answer(*correct if isinstance(correct, list) else [correct])
    assert question.correct
    for answer in question.answers:
        question.answer(answer)
        assert question.correct == (answer == correct or [answer] == correct)


def test_notebooks_ask_exactly_the_existing_quizzes():
    sources = "".join(
        "".join(cell["source"])
        for path in NOTEBOOKS.glob("[0-9]*.ipynb")
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    )
    assert set(re.findall(r'quiz\("([^"]+)"\)', sources)) == set(quiz_names())


@pytest.mark.parametrize("name", ["minimax", "minimax/nothing", "nothing/value", ""])
def test_unknown_quiz_name_raises(name):
    with pytest.raises(ValueError, match=names("name must be")):
        quiz(name)
