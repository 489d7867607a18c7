"""What all kinds of variants draw from: a source of chance of the student's own."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Student = int | str
T = TypeVar("T")


def drawn(kind: str, student: Student, make: Callable[[random.Random], T | None]) -> T:
    """Return a student's exercise: the first that is as hard as all, of which `make` makes one."""
    rng = chance(kind, student)
    while (found := make(rng)) is None:
        pass
    return found


def chance(kind: str, student: Student) -> random.Random:
    """Return a source of chance for a student; only its `random()` is the same everywhere.

    ValueError for what is no student number.
    """
    if type(student) is not int and not (isinstance(student, str) and student.strip()):
        raise ValueError(f'student must be an int or a text like "s1234567"; got {student!r}')
    return random.Random(f"{kind} {str(student).strip().lower()}")


def below(limit: int, rng: random.Random) -> int:
    """Return an int from 0 to `limit` - 1."""
    return int(rng.random() * limit)


def shuffled(items: Iterable[Any], rng: random.Random) -> list[Any]:
    """Return the items in another order."""
    drawn = [(rng.random(), place, item) for place, item in enumerate(items)]
    return [item for _, _, item in sorted(drawn, key=lambda row: row[:2])]


def all_differ(right: Any, wrong: Iterable[Any]) -> bool:
    """Return whether no two answers are equal: then each mistake shows, and is told from others."""
    answers = [right]
    for answer in wrong:
        if answer in answers:
            return False
        answers.append(answer)
    return True
