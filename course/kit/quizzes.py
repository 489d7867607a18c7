"""The questions of the notebooks, one file each: apart, so that a cell shows no answers."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from course.lessons import LESSONS


def quiz_data(name: str) -> dict[str, Any]:
    """Return question, answers, correct, ... of the quiz called "notebook/question".

    ValueError for a name that is not there; it says which are.
    """
    notebook, _, question = name.partition("/")
    notebooks = quiz_notebooks()
    if notebook not in notebooks:
        raise ValueError(f"a quiz is named notebook/question, like minimax/value; got {name!r}")
    questions = _questions(notebook)
    if question not in questions:
        raise ValueError(f"{notebook} has the quizzes {', '.join(questions)}; got {question!r}")
    return dict(questions[question])


def quiz_notebooks() -> tuple[str, ...]:
    """Return the notebooks that have quizzes."""
    return tuple(lesson for lesson in LESSONS if _file(lesson).is_file())


def quiz_names() -> tuple[str, ...]:
    """Return the names of all quizzes."""
    return tuple(
        f"{notebook}/{key}" for notebook in quiz_notebooks() for key in _questions(notebook)
    )


@cache
def _questions(notebook: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads(_file(notebook).read_text(encoding="utf-8"))


def _file(notebook: str) -> Traversable:
    return files(f"course.lessons.{notebook}").joinpath("quiz.toml")
