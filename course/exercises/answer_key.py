"""The answer key of an exercise: its questions, what is right, and what known mistakes answer.

What is right says a program of the lesson's `reference.py`; a mistake is that program with a line
written wrong.  In a student's copy of the course both are missing, and `return_value.json` stands
there for them: the right answers, and of each mistake a digest of all its answers.

Questions are drawn from a seed, the same for all unless it is set.  Whoever marks sets a seed that
nobody knows: a program that remembers answers then has none.
"""

import json
from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, lru_cache, wraps
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from numbers import Integral, Real
from random import Random
from typing import Any, TypeVar

from course.exercises.check_runner import note_recognised_mistake
from course.exercises.feedback import Case
from course.exercises.mistakes import Mistakes, Program
from course.exercises.shrinking import Make, sort_key

FROM_REFERENCE: Any = object()  # what is expected is left to the reference program
Questions = Callable[[], tuple[Case, ...]]
View = Callable[[Program], Program]
Seed = int | str
T = TypeVar("T")
DEFAULT_SEED: Seed = "the same questions for all"

_current_seed: Seed = DEFAULT_SEED  # of all threads: a check runs in one of its own


@contextmanager
def use_seed(seed: Seed) -> Iterator[None]:
    """Let every check inside the block draw its questions from this seed.

    TypeError for a seed that is neither an int nor a text.
    """
    global _current_seed
    if type(seed) not in (int, str):
        raise TypeError(f"seed must be an int or a text; got {seed!r}")
    before, _current_seed = _current_seed, seed
    try:
        yield
    finally:
        _current_seed = before


def current_seed() -> Seed:
    """Return the seed from which questions are drawn now."""
    return _current_seed


def rng(name: str) -> Random:
    """Return the source of the questions of this name: the same for the same seed."""
    return Random(f"{_current_seed!r} {name}")


def cache_per_seed(function: Callable[..., T]) -> Callable[..., T]:
    """Return the function, worked out once for each seed and its arguments."""
    known = lru_cache(maxsize=8)(lambda seed, *arguments: function(*arguments))
    return wraps(function)(lambda *arguments: known(_current_seed, *arguments))


def seeded_cases(
    draw: Callable[[Random], Iterable[Any]], *, name: str = ""
) -> Callable[[], tuple[Any, ...]]:
    """Return a function that draws the questions of `draw` with the current seed.

    The generator is seeded with `name` too, by default the module and the name of `draw`.
    A function that was renamed keeps its questions if it gives its former name.
    """
    source = name or f"{draw.__module__}.{draw.__qualname__}"

    @cache_per_seed
    @wraps(draw)
    def questions() -> tuple[Any, ...]:
        return tuple(draw(rng(source)))

    return questions


def without_answers(questions: Questions) -> Questions:
    """Return the same questions; what is right is left to the reference program."""
    return lambda: tuple(replace(case, expected=FROM_REFERENCE) for case in questions())


def return_value(program: Program) -> Program:
    """Return the program itself: what counts is what it returns."""
    return program


def apply_view(view: View, program: Any) -> Any:
    """Return a view of a program, made where the program lives: a marker's is in a process."""
    make = getattr(program, "seen_as", None)
    return make(f"{view.__module__}:{view.__qualname__}") if make else view(program)


def rounded_answer(program: Program) -> Program:
    """Return a program with the numbers of its answer rounded: the order of a sum is free."""

    @wraps(program)
    def answer(*arguments: Any) -> Any:
        return _rounded(program(*arguments))

    return answer


def _rounded(answer: Any) -> Any:
    """Return an answer with its numbers to nine digits; an array of numpy as a list."""
    if hasattr(answer, "tolist"):
        answer = answer.tolist()
    if isinstance(answer, list | tuple):
        return type(answer)(map(_rounded, answer))
    if isinstance(answer, bool) or not isinstance(answer, Real):
        return answer
    number = round(float(answer), 9)
    return int(number) if number.is_integer() else number


class AnswerKey:
    """The questions of a check and the answers to them.

    program    the name of a function or class of the lesson's `reference.py`; or a program that
               every student may see
    questions  returns the questions of now, see `seeded_cases`; where `FROM_REFERENCE` is expected,
    the
               reference program says what is right
    view       makes of a program a function whose answers are compared
    group      of the lesson's `mistakes.toml`; the one called like the program, if none is given
    make       makes a question, and its answer, of any arguments: then the small ones come first,
               and a wrong answer is shown on the smallest question that gets one
    """

    def __init__(
        self,
        lesson: str,
        program: str | Program,
        questions: Questions,
        *,
        view: View = return_value,
        group: str = "",
        make: Make | None = None,
    ) -> None:
        self.lesson, self.program, self.questions, self.view = lesson, program, questions, view
        name = program if isinstance(program, str) else program.__name__
        self.group, self.name, self.make = group or name, f"{name} {view.__name__}", make
        self.cases = cache_per_seed(self._cases)

    def _cases(self) -> tuple[Case, ...]:
        """Return the questions with their answers."""
        cases, table = self.questions(), self.table()
        if self.make:
            cases = tuple(sorted(cases, key=sort_key))
        # Another seed, or a Python that draws otherwise: no answer is better than a wrong one.
        if table and table["questions"] != digest([repr(case.arguments) for case in cases]):
            raise ValueError("this copy of the course knows the answers to its own questions only")
        if not self.uses_reference():
            return cases
        if table:
            right = map(literal_eval, table["right"])
            return tuple(replace(c, expected=r) for c, r in zip(cases, right, strict=True))
        ask = self.view(self.reference())
        return tuple(replace(case, expected=ask(*case.arguments)) for case in cases)

    def uses_reference(self) -> bool:
        """Return whether the reference program says what is right."""
        return any(case.expected is FROM_REFERENCE for case in self.questions())

    def reference(self) -> Program:
        """Return the reference program; ModuleNotFoundError in a student's copy of the course."""
        if not isinstance(self.program, str):
            return self.program
        module = import_module(f"course.lessons.{self.lesson}.reference")
        return getattr(module, self.program)  # type: ignore[no-any-return]

    def mistakes(self) -> Mapping[str, Program]:
        """Return hint -> the reference program with the mistake that the hint is for."""
        return Mistakes(self.lesson, self.group, self.reference())

    def correct_answer(self, arguments: tuple[Any, ...], answer: Any) -> Any:
        """Return what is right of any call of a program, by `make`; None if the answer is."""
        expected = self.make(*arguments).expected if self.make else answer
        return None if answer == expected else expected

    def table(self) -> dict[str, Any]:
        """Return what stands for the program in a student's copy of the course; {} in any other."""
        return recorded_answers(self.lesson).get(self.name, {})

    def hint(self, given: Sequence[Any]) -> str:
        """Return the hint of the first known mistake that answers all questions so, or ""."""
        if table := self.table():
            found = digest(given)
            hints = (hint for hint, known in table["mistakes"].items() if known == found)
            return note_recognised_mistake(next(hints, ""))
        for hint, program in self.mistakes().items():
            ask, asked = self.view(program), zip(self.cases(), given, strict=True)
            with suppress(Exception):  # it has no answer
                if all(ask(*case.arguments) == answer for case, answer in asked):
                    return note_recognised_mistake(hint)
        return ""


@cache
def recorded_answers(lesson: str) -> dict[str, dict[str, Any]]:
    """Return the tables of a lesson by the names of its keys; {} where its programs are there."""
    place = files(f"course.lessons.{lesson}").joinpath("answers.json")
    return json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}


def digest(given: Sequence[Any]) -> str:
    """Return a short text that is the same for equal answers, and tells nothing of them."""
    return sha256(_text(list(given)).encode()).hexdigest()[:16]


def _text(answer: Any) -> str:
    """Return the same text for answers that are equal: 1, 1.0 and True are."""
    if isinstance(answer, tuple | list):
        return f"{'()' if isinstance(answer, tuple) else '[]'}{','.join(map(_text, answer))};"
    if isinstance(answer, Integral):
        return repr(int(answer))
    if isinstance(answer, Real):
        number = float(answer)
        return repr(int(number) if number.is_integer() else number)
    return repr(answer)
