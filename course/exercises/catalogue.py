"""The exercises of all notebooks: titles, points, hints, and the places of their solutions.

A solution is defined in one place only: as a function in the lesson's `reference.py`, or as a value
in its `solutions.toml`.  The solved notebooks are made from it, and `solution` shows it.  A
student's copy of the course has no solutions and may have no hints; then `solution` and `hint` say
so.
"""

import ast
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import getsource
from textwrap import dedent
from typing import Any

from arena.source import indented, source_lines
from course.exercises.activity_log import CarriesActivityLog, log_event
from course.exercises.check_runner import attempts
from course.exercises.lesson_data import load_tables
from course.lessons import LESSONS

HINTS = ("question", "place", "line")
BLANK_TEXT = "is not written yet"
NO_HINTS_MESSAGE = "This copy of the course has no hints. Ask your teacher."
NO_SOLUTIONS_MESSAGE = "This copy of the course has no solutions. Show your teacher what you tried."

_hints_shown: Counter[str] = Counter()  # exercise -> number of hints shown


@dataclass(frozen=True)
class Exercise:
    """One exercise of a notebook.

    key              the number of the notebook and the id of the cell: "02/e1"
    notebook         the name of the notebook's file: "02_minimax"
    check            the name of the function that checks it
    hints            a question, the place to look at, the line; empty in some copies of the course
    reference        name of a function in the notebook -> the place of its solution, if the copy
                     has it
    needs            the places of helpers that these functions use and the notebook does not have
    answer           name of a value in the notebook -> a right value, as code
    success_message  what a check by `make_check` says of a right answer
    blank_text       a part of the message of the check while nothing is written

    For marking only:
    seconds       CPU time of the check; None for the limit that students have
    shows_boards  whether the program can see the boards of states that are counted
    library       whether functions of the library may be used, beyond those of the solution
    prerequisite  the place of a check of the same functions that comes first; or ""
    """

    key: str
    notebook: str
    title: str
    points: int
    check: str
    hints: tuple[str, ...]
    reference: Mapping[str, str]
    needs: tuple[str, ...]
    answer: Mapping[str, str]
    blank_text: str = BLANK_TEXT
    success_message: str = ""
    seconds: float | None = None
    shows_boards: bool = False
    library: bool = False
    prerequisite: str = ""

    @property
    def cell(self) -> str:
        """The id of the cell."""
        return self.key.partition("/")[2]


@dataclass(frozen=True)
class MarkdownNote(CarriesActivityLog):
    """A few sentences, with a program or without; shown as Markdown in Jupyter."""

    text: str
    program: str = ""

    def __repr__(self) -> str:
        return f"{self.text}\n\n{self.program}" if self.program else self.text

    def _repr_markdown_(self) -> str:
        return f"{self.text}\n\n```python\n{self.program}\n```" if self.program else self.text


def hint(key: str) -> MarkdownNote:
    """Return the next hint of an exercise, like "02/e1": a question, the place, the line.

    ValueError for an unknown exercise.
    """
    exercise = exercise_of(key)
    if not exercise.hints:
        return MarkdownNote(NO_HINTS_MESSAGE)
    _hints_shown[key] = number = min(_hints_shown[key] + 1, len(HINTS))
    log_event("hint", key, number=number)
    left = len(HINTS) - number
    after = f"{left} left." if left else f'None left; after an attempt, `solution("{key}")`.'
    return MarkdownNote(f"Hint {number} of {len(HINTS)}: {exercise.hints[number - 1]} ({after})")


def solution(key: str) -> MarkdownNote:
    """Return a solution of an exercise, like "02/e1", if its check was run on an attempt.

    ValueError for an unknown exercise.
    """
    exercise = exercise_of(key)
    if not (exercise.reference or exercise.answer):
        return MarkdownNote(NO_SOLUTIONS_MESSAGE)
    if not attempts[exercise.check]:
        return MarkdownNote(
            f"Try it first: write something of your own, and run `{exercise.check}` on it. "
            f'Stuck? `hint("{key}")`.'
        )
    log_event("solution", key)
    return MarkdownNote(f"One way to do it ({exercise.title}):", solution_text(exercise))


def exercise_of(key: str) -> Exercise:
    """Return the exercise with a key like "02/e1"; ValueError if it is unknown."""
    exercises = catalogue()
    if key not in exercises:
        raise ValueError(f"key must be one of {', '.join(exercises)}; got {key!r}")
    return exercises[key]


@cache
def catalogue() -> Mapping[str, Exercise]:
    """Return key -> exercise, in the order of the course."""
    return {
        f"{number:02}/{cell}": _exercise(number, lesson, cell, table)
        for number, lesson in enumerate(LESSONS)
        for cell, table in load_tables(lesson, "exercises").items()
    }


def _exercise(number: int, lesson: str, cell: str, table: Mapping[str, Any]) -> Exercise:
    hints, solved = (load_tables(lesson, name).get(cell, {}) for name in ("hints", "solutions"))
    return Exercise(
        key=f"{number:02}/{cell}",
        notebook=f"{number:02}_{lesson}",
        hints=tuple(hints[step] for step in HINTS) if hints else (),
        reference={
            n: _qualified_name(lesson, place) for n, place in solved.get("reference", {}).items()
        },
        needs=tuple(_qualified_name(lesson, place) for place in solved.get("needs", ())),
        answer=solved.get("answer", {}),
        **table,
    )


def _qualified_name(lesson: str, place: str) -> str:
    """Return a place with the full name of its module; "reference:f" is in the lesson's folder."""
    return place if "." in place.partition(":")[0] else f"course.lessons.{lesson}.{place}"


def solution_text(exercise: Exercise) -> str:
    """Return the program that solves an exercise, with the names of its notebook."""
    functions = [
        f"{_header(place, name)}\n{indented(function_body(place, name), '    ')}"
        for name, place in exercise.reference.items()
    ]
    values = [f"{name} = {value}" for name, value in exercise.answer.items()]
    return "\n\n".join([*helpers(exercise), *functions, *values])


def helpers(exercise: Exercise) -> list[str]:
    """Return the sources of the helpers that a solution needs and its notebook does not have."""
    return [_source(place) for place in exercise.needs]


def function_body(place: str, name: str) -> str:
    """Return the lines below the docstring of the function at `place`, renamed to `name`."""
    source, node = _function(place)
    first = node.body[1] if ast.get_docstring(node) is not None else node.body[0]
    lines = source_lines(source)[first.lineno - 1 :]
    return re.sub(rf"\b{node.name}\b", name.rpartition(".")[2], dedent("\n".join(lines)))


def _header(place: str, name: str) -> str:
    """Return the first line of the function at `place`, renamed to `name`, without annotations."""
    _, node = _function(place)
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return f"def {name.rpartition('.')[2]}({ast.unparse(node.args)}):"


def _function(place: str) -> tuple[str, ast.FunctionDef]:
    source = _source(place)
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.FunctionDef), place
    return source, node


def _source(place: str) -> str:
    """Return the source of the definition at a place like "course.lessons.minimax.reference:f"."""
    module, _, names = place.partition(":")
    source = getsource(import_module(module))
    node: ast.AST = ast.parse(source)
    for name in names.split("."):
        node = next(child for child in ast.iter_child_nodes(node) if name in _defined(child))
    if isinstance(node, ast.ImportFrom):
        return f"from {node.module} import {names}"
    return dedent(ast.get_source_segment(source, node, padded=True) or "")


def _defined(node: ast.AST) -> set[str]:
    """Return the names that a statement defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.ImportFrom(names=aliases):
            return {alias.asname or alias.name for alias in aliases}
        case ast.Assign(targets=targets):
            return {target.id for target in targets if isinstance(target, ast.Name)}
    return set()
