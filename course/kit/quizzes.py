"""The questions of the notebooks: apart, so that a cell shows no answers."""

from __future__ import annotations

from typing import Any

from course.kit.tables import tables
from course.lessons import LESSONS


def quiz_data(name: str) -> dict[str, Any]:
    """Return question, answers, correct, ... of the quiz called "lesson/question".

    ValueError for a name that is not there; it says which are.
    """
    lesson, _, question = name.partition("/")
    questions = tables(lesson, "quiz") if lesson in LESSONS else {}
    if not questions:
        raise ValueError(f"a quiz is named notebook/question, like minimax/value; got {name!r}")
    if question not in questions:
        raise ValueError(f"{lesson} has the quizzes {', '.join(questions)}; got {question!r}")
    return dict(questions[question])


def quiz_names() -> tuple[str, ...]:
    """Return the names of all quizzes."""
    return tuple(f"{lesson}/{key}" for lesson in LESSONS for key in tables(lesson, "quiz"))
