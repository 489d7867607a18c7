"""Read the TOML files in the folder of a lesson: hints, mistakes, bugs, quizzes and more."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from course.lessons import LESSONS


@cache
def load_tables(lesson: str, name: str) -> dict[str, Any]:
    """Return the tables of `name`.toml in the folder of a lesson; {} if there is no such file."""
    file = files(f"course.lessons.{lesson}").joinpath(f"{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def quiz_data(name: str) -> dict[str, Any]:
    """Return the table of the quiz "lesson/question": question, answers, correct and more.

    ValueError for an unknown name.
    """
    lesson, _, question = name.partition("/")
    questions = load_tables(lesson, "quiz") if lesson in LESSONS else {}
    if not questions:
        raise ValueError(f"name must be notebook/question, like minimax/value; got {name!r}")
    if question not in questions:
        raise ValueError(
            f"name must be one of the quizzes of {lesson}, {', '.join(questions)}; got {question!r}"
        )
    return dict(questions[question])


def quiz_names() -> tuple[str, ...]:
    """Return the names of all quizzes."""
    return tuple(f"{lesson}/{key}" for lesson in LESSONS for key in load_tables(lesson, "quiz"))
