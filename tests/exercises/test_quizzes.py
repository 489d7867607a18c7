"""Every quiz of the notebooks has the form that learners need."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from course import Predict, quiz
from course.exercises.lesson_data import quiz_data, quiz_names
from tests.messages import broken, names

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
# What a question says about its answer: at most so many of a number, or a number in a range.
BOUNDED = re.compile(
    r"\bof (?:the |its )?\d[\d,]* \w|\bin 100\b|\bfrom -?\d+ to -?\d+\?", re.IGNORECASE
)


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


def asked_for_numbers() -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the question and the options of each guess of a notebook that is a number."""
    for path in sorted(NOTEBOOKS.glob("[0-9]*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"]) if cell["cell_type"] == "code" else ""
            for call in re.findall(r"Predict\(\"[^\"]*\"[^\n]*\)", source):
                (node,) = ast.parse(call).body
                question, *choices = node.value.args
                options = {word.arg: word.value for word in node.value.keywords}
                if not choices and "choices" not in options:
                    kept = {key: options[key] for key in ("kind", "limits") if key in options}
                    yield question.value, {k: ast.literal_eval(v) for k, v in kept.items()}


def test_guess_keeps_to_range_of_its_question():
    asked = [(text, options) for text, options in asked_for_numbers() if BOUNDED.search(text)]
    assert len(asked) > 15
    endless = [text for text, options in asked if Predict(text, **options).limits is None]
    rule = "These questions say how large an answer can be, so give their Predict `limits=`:"
    assert endless == [], broken(rule, endless)


@pytest.mark.parametrize("name", ["minimax", "minimax/nothing", "nothing/value", ""])
def test_unknown_quiz_name_raises(name):
    with pytest.raises(ValueError, match=names("name must be")):
        quiz(name)
