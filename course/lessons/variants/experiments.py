"""Variants for notebook 07: what two match-ups show."""

from __future__ import annotations

import random
from collections.abc import Mapping
from math import sqrt
from typing import Any

from course.kit.blame import shown
from course.kit.feedback import Feedback
from course.kit.guarded import guarded
from course.kit.mistakes import mistakes
from course.lessons.experiments.check import CONCLUSIONS
from course.lessons.variants.students import Student, below, drawn, shuffled

Result = tuple[int, int, int]  # wins, draws and losses of agent A
Interval = tuple[float, float]
Intervals = dict[str, Interval]
EQUAL = 50.0  # percent
TOLERANCE = 0.11  # percentage points: one digit, rounded or cut off
FEW, MANY = range(60, 101, 10), range(300, 501, 20)  # games


def match(student: Student) -> dict[str, Result]:
    """Return what A did against B and against C: how sure is its share, and what is shown?

    {"B": (wins, draws, losses), "C": (wins, draws, losses)}
    """
    return drawn("match", student, _match)


def _match(rng: random.Random) -> dict[str, Result] | None:
    names, results = shuffled("BC", rng), {}
    for name, sizes in zip(names, (FEW, MANY), strict=True):
        games = sizes[below(len(sizes), rng)]
        draws = 4 + below(games // 4, rng)
        wins = below(games - draws + 1, rng)
        results[name] = wins, draws, games - draws - wins
    return dict(sorted(results.items())) if _is_as_hard(*results.values()) else None


def _is_as_hard(few: Result, many: Result) -> bool:
    """Return whether the larger difference is not shown, by few games, and the smaller one is.

    Every wrong interval must be told from the right one, and from the others.
    """
    (low, high), (other_low, other_high) = share_interval(*few), share_interval(*many)
    differences = abs(_share(few) - EQUAL), abs(_share(many) - EQUAL)
    return (
        low + 1 < EQUAL < high - 1
        and (other_low > EQUAL + 1 or other_high < EQUAL - 1)
        and differences[0] > differences[1] + 1
        and _all_told_apart(few)
    )


def _share(result: Result) -> float:
    wins, draws, losses = result
    return 100 * (wins + draws / 2) / (wins + draws + losses)


def _all_told_apart(result: Result) -> bool:
    """Return whether no two of the right interval and the wrong ones are near each other."""
    found = [share_interval(*result), *(wrong(*result) for wrong in INTERVAL_MISTAKES.values())]
    pairs = ((a, b) for place, a in enumerate(found) for b in found[:place])
    return not any(_near(a, b, 3 * TOLERANCE) for a, b in pairs)


def share_interval(wins: int, draws: int, losses: int) -> Interval:
    """Return the 95 % interval of a share of the points, in percent (Wilson 1927)."""
    games = wins + draws + losses
    share, z = (wins + draws / 2) / games, 1.96
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    margin = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + (z / 2 / games) ** 2)
    return 100 * (middle - margin), 100 * (middle + margin)


INTERVAL_MISTAKES = mistakes("variants", "share_interval", share_interval)


def intervals(results: Mapping[str, Result]) -> Intervals:
    """Return the interval of A's share against each opponent, in percent."""
    return {name: share_interval(*result) for name, result in results.items()}


def conclusion(interval: Interval) -> str:
    """Return which of CONCLUSIONS follows for "A is stronger"."""
    low, high = interval
    shows, shows_nothing, shows_the_opposite = CONCLUSIONS
    return shows if low > EQUAL else shows_the_opposite if high < EQUAL else shows_nothing


@guarded
def check_match(student: Student, answer: Any, conclusions: Any) -> Feedback:
    """Return feedback on the intervals of `match(student)`, in percent, and on what they show.

    answer       {"B": (low, high), "C": (low, high)}, to one digit after the point
    conclusions  {"B": ..., "C": ...} for "A is stronger": one of CONCLUSIONS
    """
    results = match(student)
    right = intervals(results)
    if any(
        not isinstance(each, Mapping) or set(each) != set(right) for each in (answer, conclusions)
    ):
        words = (
            f"give two mappings with the keys B and C; got {shown(answer)}, {shown(conclusions)}."
        )
        return Feedback(False, words, written=answer not in (..., None))
    given = [*answer.values(), *conclusions.values()]
    if any(value in (..., None) for value in given):
        blank = all(value in (..., None) for value in given)
        return Feedback(False, "an interval or a conclusion is still missing.", written=not blank)
    for name in right:
        if not _near(answer[name], right[name]):
            hint = _interval_hint(results, answer)
            words = f"against {name} the interval is not {shown(answer[name])}. {hint}"
            return Feedback(False, words.strip())
    for name, interval in right.items():
        if conclusions[name] != conclusion(interval):
            words = f"{shown(conclusions[name])} does not follow against {name}: is 50 inside?"
            return Feedback(False, f"the intervals are right. {words} Say one of {CONCLUSIONS}.")
    return Feedback(True, "both are right: more games show a smaller difference.")


def _interval_hint(results: Mapping[str, Result], answer: Mapping[str, Any]) -> str:
    """Return the hint for a formula that gives all the intervals of an answer; "" if none does."""
    for hint, wrong in INTERVAL_MISTAKES.items():
        if all(_near(answer[name], wrong(*result)) for name, result in results.items()):
            return hint
    if all(
        _near(answer[name], [end / 100 for end in share_interval(*result)], TOLERANCE / 100)
        for name, result in results.items()
    ):
        return "Nearly: give percent, from 0 to 100."
    return ""


def _near(given: Any, interval: Any, tolerance: float = TOLERANCE) -> bool:
    """Return whether both ends are as near as they must be."""
    return (
        isinstance(given, list | tuple)
        and len(given) == 2
        and all(isinstance(end, int | float) for end in given)
        and all(abs(a - b) <= tolerance for a, b in zip(given, interval, strict=True))
    )
