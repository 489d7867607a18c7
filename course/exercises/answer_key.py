"""The answer key of an exercise: its questions, the right answers, and those of known mistakes.

The right answers come from a program in the lesson's `reference.py`, and a mistake is that program
with one line edited.  A student's copy of the course has neither of them.  Instead it has an
`answers.json` with the right answers and, for each mistake, a digest of all its answers.

Questions are drawn from a seed, which is the same for everybody unless it is set.  For marking it
is set to a secret one, so that a program that remembers answers fails.
"""

import json
from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import replace
from functools import cache, lru_cache, wraps
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from numbers import Integral, Real
from random import Random
from typing import Any, TypeVar

from course.exercises.check_runner import note_recognised_mistake, refuse_program
from course.exercises.feedback import Case, WrongAnswerError
from course.exercises.mistakes import Mistakes, Program
from course.exercises.shrinking import Make, sort_key

CHANGED_MESSAGE = "your program changes a list that it is given. Work on a copy."
FROM_REFERENCE: Any = object()  # the reference program computes the expected answer
Questions = Callable[[], tuple[Case, ...]]
View = Callable[[Program], Program]
Seed = int | str
T = TypeVar("T")
DEFAULT_SEED: Seed = "the same questions for all"

_current_seed: Seed = DEFAULT_SEED  # global for all threads, because a check runs in its own thread


@contextmanager
def use_seed(seed: Seed) -> Iterator[None]:
    """Let every check inside the block draw its questions from this seed.

    TypeError for a seed that is neither an int nor a str.
    """
    global _current_seed
    if type(seed) not in (int, str):
        raise TypeError(f"seed must be an int or a str; got {seed!r}")
    previous, _current_seed = _current_seed, seed
    try:
        yield
    finally:
        _current_seed = previous


def current_seed() -> Seed:
    """Return the seed from which questions are drawn now."""
    return _current_seed


def rng(name: str) -> Random:
    """Return the generator for the questions with this name; it depends on the current seed."""
    return Random(f"{_current_seed!r} {name}")


def cache_per_seed(function: Callable[..., T]) -> Callable[..., T]:
    """Return the function with a cache, whose key is the current seed and the arguments."""
    cached = lru_cache(maxsize=8)(lambda seed, *arguments: function(*arguments))
    return wraps(function)(lambda *arguments: cached(_current_seed, *arguments))


def cached_answer(function: Callable[..., T]) -> Callable[..., T]:
    """Return a function that knows an answer with a cache that no student's program can read.

    `functools.cache` would return stored answers without running the function, which refuses.
    """
    known: dict[tuple[Any, ...], T] = {}

    @wraps(function)
    def answer(*arguments: Any) -> T:
        refuse_program()
        if arguments not in known:
            known[arguments] = function(*arguments)
        return known[arguments]

    return answer


def seeded_cases(
    draw: Callable[[Random], Iterable[Any]], *, name: str = ""
) -> Callable[[], tuple[Any, ...]]:
    """Return a function that draws the questions of `draw` with the current seed.

    The generator is also seeded with `name`, by default the module and the qualified name of
    `draw`.  A function that was renamed keeps its questions if it passes its former name.
    """
    source = name or f"{draw.__module__}.{draw.__qualname__}"

    @cache_per_seed
    @wraps(draw)
    def questions() -> tuple[Any, ...]:
        return tuple(draw(rng(source)))

    return questions


def without_answers(questions: Questions) -> Questions:
    """Return the same questions, with their expected answers left to the reference program."""
    return lambda: tuple(replace(case, expected=FROM_REFERENCE) for case in questions())


def return_value(program: Program) -> Program:
    """Return the program itself: this view compares its return values."""
    return program


def apply_view(view: View, program: Any) -> Any:
    """Return a view of a program.

    A program in another process applies the view there, by the view's name.
    """
    make = getattr(program, "seen_as", None)
    return make(f"{view.__module__}:{view.__qualname__}") if make else view(program)


def rounded_answer(program: Program) -> Program:
    """Return a program whose results are rounded, so that the order of a sum does not matter."""

    @wraps(program)
    def answer(*arguments: Any) -> Any:
        return _rounded(program(*arguments))

    return answer


def rounded_list(program: Program) -> Program:
    """Return a program, called with copies of its arguments, with a rounded list as its answer.

    A tuple is as good as a list: when a submission is marked, an array arrives as one.  A program
    that changes its arguments raises WrongAnswerError.
    """

    @wraps(program)
    def answer(*arguments: Any) -> Any:
        copies = deepcopy(arguments)
        found = rounded_answer(program)(*copies)
        if copies != arguments:
            raise WrongAnswerError(CHANGED_MESSAGE)
        return list(found) if isinstance(found, tuple) else found

    return answer


def _rounded(answer: Any) -> Any:
    """Return an answer with its numbers rounded to nine digits, and a numpy array as a list."""
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

    program    the name of a function or class in the lesson's `reference.py`, or a program that
               every student may see
    questions  returns the questions for the current seed, see `seeded_cases`; if `FROM_REFERENCE`
               is expected, the reference program computes the right answer
    view       turns a program into a function whose return values are compared
    group      table of the lesson's `mistakes.toml`; by default the one named like the program
    make       makes a question with its answer from any arguments; then questions are asked from
               the smallest to the largest, and a wrong answer is shown on the smallest question
               that has one
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
        self._cached_cases = cache_per_seed(self._cases)

    def cases(self) -> tuple[Case, ...]:
        """Return the questions with their answers."""
        refuse_program()
        return self._cached_cases()

    def _cases(self) -> tuple[Case, ...]:
        cases, table = self.questions(), self.table()
        if self.make:
            cases = tuple(sorted(cases, key=sort_key))
        # With another seed, or a Python with another random generator, the stored answers would be
        # wrong.
        if table and table["questions"] != digest([repr(case.arguments) for case in cases]):
            raise ValueError(
                "this copy of the course has no answers to these questions, because they were "
                "drawn with another seed or another version of Python; use the seed of the copy"
            )
        if not self.uses_reference():
            return cases
        if table:
            right = map(literal_eval, table["right"])
            return tuple(
                replace(case, expected=answer) for case, answer in zip(cases, right, strict=True)
            )
        ask = self.view(self.reference())
        return tuple(replace(case, expected=ask(*case.arguments)) for case in cases)

    def uses_reference(self) -> bool:
        """Return whether the right answers come from the reference program."""
        return any(case.expected is FROM_REFERENCE for case in self.questions())

    def reference(self) -> Program:
        """Return the reference program; ModuleNotFoundError in a student's copy of the course."""
        if not isinstance(self.program, str):
            return self.program
        module = import_module(f"course.lessons.{self.lesson}.reference")
        return getattr(module, self.program)  # type: ignore[no-any-return]

    def mistakes(self) -> Mapping[str, Program]:
        """Return hint -> the reference program with the mistake to which the hint belongs."""
        return Mistakes(self.lesson, self.group, self.reference())

    def correct_answer(self, arguments: tuple[Any, ...], answer: Any) -> Any:
        """Return the correct answer to any call, by `make`; None if `answer` is correct."""
        expected = self.make(*arguments).expected if self.make else answer
        return None if answer == expected else expected

    def table(self) -> dict[str, Any]:
        """Return the recorded answers of this key in a student's copy; {} in any other copy."""
        return recorded_answers(self.lesson).get(self.name, {})

    def hint(self, given: Sequence[Any]) -> str:
        """Return the hint of the first known mistake that gives the same answers, or ""."""
        if table := self.table():
            answers_digest = digest(given)
            hints = (
                hint
                for hint, mistake_digest in table["mistakes"].items()
                if mistake_digest == answers_digest
            )
            return note_recognised_mistake(next(hints, ""))
        cases = self.cases()
        if len(given) < len(cases):  # a program that was stopped: no mistake explains it
            return ""
        # Most mistakes give another answer where the program is wrong, so this is asked first.
        asked = sorted(zip(cases, given, strict=True), key=lambda asked: is_right(*asked))
        for hint, program in self.mistakes().items():
            ask = self.view(program)
            with suppress(Exception):  # a mistake may raise an error
                if all(ask(*case.arguments) == answer for case, answer in asked):
                    return note_recognised_mistake(hint)
        return ""


def is_right(case: Case, answer: Any) -> bool:
    """Return whether an answer equals the expected one; False if they cannot be compared."""
    try:
        return bool(case.expected == answer)
    except Exception:
        return False


@cache
def recorded_answers(lesson: str) -> dict[str, dict[str, Any]]:
    """Return name of a key -> its recorded answers; {} if the copy has the reference programs."""
    file = files(f"course.lessons.{lesson}").joinpath("answers.json")
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def digest(given: Sequence[Any]) -> str:
    """Return a short hash that is the same for equal answers and does not reveal them."""
    return sha256(_text(list(given)).encode()).hexdigest()[:16]


def _text(answer: Any) -> str:
    """Return a text that is the same for equal answers, such as 1, 1.0 and True."""
    if type(answer) is int:  # which most are; to check for an abstract type takes much longer
        return repr(answer)
    if isinstance(answer, tuple | list):
        return f"{'()' if isinstance(answer, tuple) else '[]'}{','.join(map(_text, answer))};"
    if isinstance(answer, Integral):
        return repr(int(answer))
    if isinstance(answer, Real):
        number = float(answer)
        return repr(int(number) if number.is_integer() else number)
    return repr(answer)
