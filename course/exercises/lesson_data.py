"""What the folder of a lesson says in TOML: its hints, mistakes, flaws and questions."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from course.lessons import LESSONS


@cache
def load_tables(lesson: str, name: str) -> dict[str, Any]:
    """Return the tables of `name`.toml in the folder of a lesson; none if it has no such file."""
    place = files(f"course.lessons.{lesson}").joinpath(f"{name}.toml")
    return tomllib.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}


def quiz_data(name: str) -> dict[str, Any]:
    """Return question, answers, correct, ... of the quiz called "lesson/question".

    ValueError for a name that is not there; it says which are.
    """
    lesson, _, question = name.partition("/")
    questions = load_tables(lesson, "quiz") if lesson in LESSONS else {}
    if not questions:
        raise ValueError(f"a quiz is named notebook/question, like minimax/value; got {name!r}")
    if question not in questions:
        raise ValueError(f"{lesson} has the quizzes {', '.join(questions)}; got {question!r}")
    return dict(questions[question])


def quiz_names() -> tuple[str, ...]:
    """Return the names of all quizzes."""
    return tuple(f"{lesson}/{key}" for lesson in LESSONS for key in load_tables(lesson, "quiz"))
