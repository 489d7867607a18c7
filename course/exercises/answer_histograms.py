"""Histograms of the answers of a class, built from the logs of its students."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf, log10
from typing import Any, TypeGuard

from course.exercises.activity_log import LogEntry
from course.exercises.lesson_data import quiz_data

MAX_BARS = 10  # single numbers; if there are more, they are counted in ranges
# From this ratio of the highest to the lowest number on, the ranges are powers of ten.
MAX_LINEAR_RATIO = 50
MAX_GUESS = 10**300  # larger numbers are not counted as guesses

Student = Sequence[LogEntry]  # the log of one student's notebook


@dataclass(frozen=True)
class HistogramBar:
    """The number of students who gave an answer; `right` is true for the right answer."""

    label: str
    count: int
    right: bool = False


@dataclass(frozen=True)
class Histogram:
    """The answers of a class to one question.

    n      the number of students who answered; each may give several answers if several are right
    truth  the right answer as text; "" while no log has it
    """

    title: str
    bars: tuple[HistogramBar, ...]
    n: int
    truth: str = ""

    @property
    def truth_text(self) -> str:
        """The right answer as a sentence; "" while no log has it."""
        return f"Right: {self.truth.removesuffix('.')}." if self.truth else ""


def histograms(kind: str, students: Iterable[Student], *, reveal: bool) -> dict[str, Histogram]:
    """Return question -> histogram of its answers, for one kind of events.

    kind    "guess", "quiz" or "step"
    reveal  if false, the result does not depend on the right answers

    The first answer of each student counts.  Of the guesses, the one that was compared first
    counts, or the last one if none was compared.
    """
    asked: dict[str, list[list[LogEntry]]] = {}
    for student in students:
        by_key: dict[str, list[LogEntry]] = {}
        for event in student:
            if event["kind"] == kind:
                by_key.setdefault(event["key"], []).append(event)
        for key, answers in by_key.items():
            asked.setdefault(key, []).append(answers)
    count: Callable[[str, list[list[LogEntry]], bool], Histogram]
    count = {"guess": _guesses, "quiz": _quiz, "step": _steps}[kind]
    return {key: count(key, answers, reveal) for key, answers in sorted(asked.items())}


def _guesses(key: str, answers: list[list[LogEntry]], reveal: bool) -> Histogram:
    counted = [next((e for e in mine if "measured" in e), mine[-1]) for mine in answers]
    guesses = _flatten(event.get("guess") for event in counted)
    compared = [event for mine in answers for event in mine if "measured" in event and reveal]
    truth = _most(event["measured"] for event in compared)
    right = {
        truth,
        *_flatten(event.get("guess") for event in compared if event.get("right") is True),
    }
    choices = next((e["choices"] for mine in answers for e in mine if "choices" in e), None)
    bars = _bars(guesses, _flatten([choices]), right) if choices else _numbers(guesses, truth)
    return Histogram(key, bars, len(answers), shown(truth))


def _quiz(key: str, answers: list[list[LogEntry]], reveal: bool) -> Histogram:
    first = _flatten(mine[0].get("given") for mine in answers)
    try:
        data = quiz_data(key)
    except ValueError:  # not a quiz of the course
        right = _flatten(e.get("given") for mine in answers for e in mine if e.get("right") is True)
        data = {"question": key, "answers": (), "correct": list(dict.fromkeys(right))}
    right = _flatten([data["correct"]]) if reveal else []
    if _is_number(data["correct"]):
        bars = _numbers(first, right[0] if right else None)
    else:
        bars = _bars(first, data["answers"], {*right})
    return Histogram(str(data["question"]), bars, len(answers), "; ".join(map(shown, right)))


def _steps(key: str, answers: list[list[LogEntry]], reveal: bool) -> Histogram:
    truth = _most(mine[0].get("truth") for mine in answers) if reveal else None
    given = _flatten(mine[0].get("given") for mine in answers)
    return Histogram(key, _bars(given, [], {truth}), len(answers), shown(truth))


def shown(answer: Any) -> str:
    """Return an answer as text; "" for None."""
    if answer is None:
        return ""
    if isinstance(answer, int) and not isinstance(answer, bool):
        return f"{answer:,}"
    return f"{answer:,.6g}" if isinstance(answer, float) else str(answer)


def _flatten(answers: Iterable[Any]) -> list[Any]:
    """Return all answers, flattened, without the invalid ones that an edited file can have."""
    parts = (
        part for answer in answers for part in (answer if isinstance(answer, list) else [answer])
    )
    return [part for part in parts if isinstance(part, str | int) or _is_number(part)]


def _most(answers: Iterable[Any]) -> Any:
    """Return the most frequent answer; None if there is none."""
    common = Counter(_flatten(answers)).most_common(1)
    return common[0][0] if common else None


def _bars(given: list[Any], choices: Iterable[Any], right: set[Any]) -> tuple[HistogramBar, ...]:
    """Return a bar for each choice in order, and then for every other answer."""
    counts, marked = Counter(map(shown, given)), {*map(shown, right)} - {""}
    order = [*map(shown, choices)]
    labels = dict.fromkeys([*order, *sorted({*counts, *marked} - {*order})])
    return tuple(HistogramBar(label, counts[label], label in marked) for label in labels)


def _numbers(given: list[Any], truth: Any) -> tuple[HistogramBar, ...]:
    """Return a bar for each number or range of numbers, and for every other answer."""
    numbers = sorted(_exact(number) for number in given if _is_number(number))
    others = [answer for answer in given if not _is_number(answer)]
    goal = _exact(truth) if _is_number(truth) else None
    single = {*numbers, *([] if goal is None else [goal])}
    if len(single) <= MAX_BARS:
        counts = Counter(numbers)
        bars = [HistogramBar(_text(x), counts[x], x == goal) for x in sorted(single)]
    else:
        bars = _ranges(numbers, goal)
    return (*bars, *_bars(others, [], set()))


def _ranges(numbers: list[Fraction], goal: Fraction | None) -> list[HistogramBar]:
    """Return bars for ranges that show the middle nine tenths, and two for the numbers outside.

    numbers  must be sorted
    """
    cut = len(numbers) // 20
    core = [*numbers[cut : len(numbers) - cut], *([] if goal is None else [goal])]
    edges = _edges(min(core), max(core))
    whole = all(number.denominator == 1 for number in [*numbers, *edges])
    bars = []
    ends: list[Any] = [-inf, *edges, inf]
    for low, high in pairwise(ends):
        inside = [number for number in numbers if low <= number < high]
        right = goal is not None and low <= goal < high
        if inside or right or -inf < low < high < inf:
            bars.append(HistogramBar(_range(low, high, whole), len(inside), right))
    return bars


def _edges(low: Fraction, high: Fraction) -> list[Fraction]:
    """Return the edges of the ranges, which are at most ten apart in number and round.

    They are powers of ten if the numbers differ by a large factor, and else multiples of 1, 2 or 5
    times a power of ten.
    """
    if low == high:
        return [low, low + 1]
    if low > 0 and high / low >= MAX_LINEAR_RATIO:
        first, last = _power(low), _power(high) + 1
        stride = -(-(last - first) // MAX_BARS)
        return [Fraction(10) ** power for power in range(first, last + stride, stride)]
    span = high - low
    tens = Fraction(10) ** (_power(span) - 1)
    step = next(
        tens * factor for factor in (1, 2, 5, 10, 20, 50) if span / (tens * factor) <= MAX_BARS - 2
    )
    first = low // step
    return [step * multiple for multiple in range(first, high // step + 2)]


def _power(number: Fraction) -> int:
    """Return the exponent of the highest power of ten that is at most a positive number."""
    power = int(log10(number.numerator) - log10(number.denominator)) - 2
    while Fraction(10) ** (power + 1) <= number:
        power += 1
    return power


def _range(low: Any, high: Any, whole: bool) -> str:
    if high == inf:
        return f"{_text(low)} or more"
    if low == -inf:
        return f"below {_text(high)}"
    if whole:
        return _text(low) if high == low + 1 else f"{_text(low)} to {_text(high - 1)}"
    return f"{_text(low)} to below {_text(high)}"


def _text(number: Fraction) -> str:
    return shown(int(number) if number.denominator == 1 else float(number))


def _exact(number: float) -> Fraction:
    """Return a number as the fraction that its digits say: 0.1 is a tenth."""
    return Fraction(str(number))


def _is_number(answer: Any) -> TypeGuard[float]:
    return (
        isinstance(answer, int | float)
        and type(answer) is not bool
        and -MAX_GUESS < answer < MAX_GUESS
    )
