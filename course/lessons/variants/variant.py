"""An exercise on paper that is drawn for each student number, and how its answers are judged."""

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
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

    name      what it is, in a sentence
    program   finds it
    mistakes  hint -> a program that finds what the mistake leads to; without any, they stand in
              `mistakes.toml` under the program's name
    ask       returns the answer of one of these programs to what is drawn
    same      whether two answers say the same
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
        """Return whether every mistake leads to an answer of its own, and not to the right one."""
        programs = (self.program, *self.mistakes.values())
        answers = [self.ask(program, drawn) for program in programs]
        return not any(self.is_given(one, other) for one, other in combinations(answers, 2))

    def is_given(self, answer: Any, right: Any) -> bool:
        """Return whether an answer, which may be of any type, says the same as a right one."""
        try:
            return bool(self.same(answer, right))
        except Exception:
            return False

    def hint(self, drawn: Any, answer: Any) -> str:
        """Return what has gone wrong where a known mistake leads to this answer; "" if none."""
        for hint, program in self.mistakes.items():
            if self.is_given(answer, self.ask(program, drawn)):
                return hint
        return ""


@dataclass(frozen=True)
class Variant:
    """A kind of exercise; a call with a student number returns that student's.

    make  draws one from a source of chance, or None where it is not as hard as all are
    """

    name: str
    make: Callable[[random.Random], Any]
    parts: tuple[AnswerPart, ...]

    def __call__(self, student: Student) -> Any:
        """Return the exercise of a student; ValueError for what is no student number."""
        return drawn(self.name, student, self.make)

    def answers(self, drawn: Any) -> list[Any]:
        """Return the right answers to an exercise."""
        return [part.right(drawn) for part in self.parts]

    def shows_mistakes(self, drawn: Any) -> bool:
        """Return whether every mistake shows in its part of an exercise."""
        return all(part.shows_mistakes(drawn) for part in self.parts)

    def check(self, student: Student, *answers: Any) -> Feedback:
        """Return feedback on a student's answers, one for each part: the first that is wrong."""
        if len(answers) != len(self.parts):
            asked = ", ".join(part.name for part in self.parts)
            raise ValueError(f"{self.name} asks for {asked}; got {len(answers)} answers")
        drawn = self(student)
        for part, answer in zip(self.parts, answers, strict=True):
            if not part.is_given(answer, part.right(drawn)):
                words = (
                    f"{safe_repr(answer)} is not the right {part.name}. {part.hint(drawn, answer)}"
                )
                return Feedback(False, words.strip())
        return Feedback(True, f"right: {', '.join(part.name for part in self.parts)}.")


def drawn(kind: str, student: Student, make: Callable[[random.Random], T | None]) -> T:
    """Return a student's exercise: the first that is as hard as all, of which `make` makes one.

    ValueError for what is no student number.
    """
    if type(student) is not int and not (isinstance(student, str) and student.strip()):
        raise ValueError(f'student must be an int or a text like "s1234567"; got {student!r}')
    # Only its `random()` is the same everywhere.
    rng = random.Random(f"{kind} {str(student).strip().lower()}")
    while (found := make(rng)) is None:
        pass
    return found


def below(limit: int, rng: random.Random) -> int:
    """Return an int from 0 to `limit` - 1."""
    return int(rng.random() * limit)


def shuffled(items: Iterable[Any], rng: random.Random) -> list[Any]:
    """Return the items in another order."""
    drawn = [(rng.random(), place, item) for place, item in enumerate(items)]
    return [item for _, _, item in sorted(drawn, key=lambda row: row[:2])]
