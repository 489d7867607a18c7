"""Exercises on paper that are drawn for each student number, and the check of their answers."""

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from operator import eq
from typing import Any, TypeVar

from course.exercises.error_report import safe_repr
from course.exercises.feedback import Feedback
from course.exercises.lesson_data import load_tables
from course.exercises.mistakes import Mistakes

Student = int | str
Program = Callable[..., Any]
T = TypeVar("T")


@dataclass(frozen=True)
class AnswerPart:
    """One of the answers that a variant asks for.

    name      a description for sentences
    program   computes the answer
    mistakes  hint -> a program with the mistake; by default those in `mistakes.toml` under the
              program's name
    ask       returns the answer of one of these programs to an exercise
    same      whether two answers are equal
    """

    name: str
    program: Program
    mistakes: Mapping[str, Program] = field(default_factory=dict)
    ask: Callable[[Program, Any], Any] = lambda program, drawn: program(drawn)
    same: Callable[[Any, Any], bool] = eq

    def __post_init__(self) -> None:
        if self.program.__name__ in load_tables("variants", "mistakes"):
            known = Mistakes("variants", self.program.__name__, self.program)
            object.__setattr__(self, "mistakes", known)

    def right(self, drawn: Any) -> Any:
        """Return the right answer."""
        return self.ask(self.program, drawn)

    def shows_mistakes(self, drawn: Any) -> bool:
        """Return whether every mistake leads to a different answer, and none to the right one."""
        programs = (self.program, *self.mistakes.values())
        answers = [self.ask(program, drawn) for program in programs]
        return not any(self.is_given(one, other) for one, other in combinations(answers, 2))

    def is_given(self, answer: Any, right: Any) -> bool:
        """Return whether an answer, which may be of any type, equals a right one."""
        try:
            return bool(self.same(answer, right))
        except Exception:
            return False

    def hint(self, drawn: Any, answer: Any) -> str:
        """Return the hint of the known mistake that leads to this answer; "" if there is none."""
        for hint, program in self.mistakes.items():
            if self.is_given(answer, self.ask(program, drawn)):
                return hint
        return ""


@dataclass(frozen=True)
class Variant:
    """A kind of exercise; calling it with a student number returns that student's exercise.

    make  draws an exercise from a random generator; None if it does not have the right difficulty
    """

    name: str
    make: Callable[[random.Random], Any]
    parts: tuple[AnswerPart, ...]

    def __call__(self, student: Student) -> Any:
        """Return the exercise of a student; ValueError for an invalid student number."""
        return drawn(self.name, student, self.make)

    def answers(self, drawn: Any) -> list[Any]:
        """Return the right answers to an exercise."""
        return [part.right(drawn) for part in self.parts]

    def shows_mistakes(self, drawn: Any) -> bool:
        """Return whether every mistake changes the answer to its part of an exercise."""
        return all(part.shows_mistakes(drawn) for part in self.parts)

    def check(self, student: Student, *answers: Any) -> Feedback:
        """Return feedback on the first wrong answer of a student, who gives one for each part."""
        if len(answers) != len(self.parts):
            asked = ", ".join(part.name for part in self.parts)
            raise ValueError(
                f"answers must be one for each part of {self.name}, {asked}; got {len(answers)}"
            )
        asked = _drawn_once(self.name, student_text(student), self.make)
        for part, answer in zip(self.parts, answers, strict=True):
            if not part.is_given(answer, part.right(asked)):
                words = (
                    f"{safe_repr(answer)} is not the right {part.name}. {part.hint(asked, answer)}"
                )
                return Feedback(False, words.strip())
        return Feedback(True, f"right: {', '.join(part.name for part in self.parts)}.")


def student_text(student: Student) -> str:
    """Return a student number as text, in lower case and without the spaces around it.

    ValueError for an invalid student number.
    """
    if type(student) is not int and not (isinstance(student, str) and student.strip()):
        raise ValueError(f'student must be an int or a text like "s1234567"; got {student!r}')
    return str(student).strip().lower()


def drawn(kind: str, student: Student, make: Callable[[random.Random], T | None]) -> T:
    """Return a student's exercise: the first one from `make` that has the right difficulty.

    ValueError for an invalid student number.
    """
    # Of the generator, only `random()` gives the same numbers in every Python.
    rng = random.Random(f"{kind} {student_text(student)}")
    while (found := make(rng)) is None:
        pass
    return found


# Only for checks, which do not change an exercise: a student could change the one that is shown.
_drawn_once = lru_cache(maxsize=100)(drawn)


def below(limit: int, rng: random.Random) -> int:
    """Return an int from 0 to `limit` - 1."""
    return int(rng.random() * limit)


def shuffled(items: Iterable[Any], rng: random.Random) -> list[Any]:
    """Return the items in a random order."""
    drawn = [(rng.random(), place, item) for place, item in enumerate(items)]
    return [item for _, _, item in sorted(drawn, key=lambda row: row[:2])]
