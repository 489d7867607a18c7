"""Variants for notebook 07: what two match-ups show."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any

from course.kit.mistakes import mistakes
from course.lessons.experiments.check import CONCLUSIONS
from course.lessons.variants.variant import Part, Variant, below, shuffled

Result = tuple[int, int, int]  # wins, draws and losses of agent A
Interval = tuple[float, float]
EQUAL = 50.0  # percent
TOLERANCE = 0.11  # percentage points: one digit, rounded or cut off
FEW, MANY = range(60, 101, 10), range(300, 501, 20)  # games


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

    Every wrong interval must show.
    """
    (low, high), (other_low, other_high) = share_interval(*few), share_interval(*many)
    differences = abs(_share(few) - EQUAL), abs(_share(many) - EQUAL)
    return (
        low + 1 < EQUAL < high - 1
        and (other_low > EQUAL + 1 or other_high < EQUAL - 1)
        and differences[0] > differences[1] + 1
        and INTERVALS.shows_mistakes({"few": few})
    )


def _share(result: Result) -> float:
    wins, draws, losses = result
    return 100 * (wins + draws / 2) / (wins + draws + losses)


def share_interval(wins: int, draws: int, losses: int) -> Interval:
    """Return the 95 % interval of a share of the points, in percent (Wilson 1927)."""
    games = wins + draws + losses
    share, z = (wins + draws / 2) / games, 1.96
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    margin = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + (z / 2 / games) ** 2)
    return 100 * (middle - margin), 100 * (middle + margin)


def conclusion(interval: Interval) -> str:
    """Return which of CONCLUSIONS follows for "A is stronger"."""
    low, high = interval
    shows, shows_nothing, shows_the_opposite = CONCLUSIONS
    return shows if low > EQUAL else shows_the_opposite if high < EQUAL else shows_nothing


def _each(program: Callable[..., Any], results: Mapping[str, Result]) -> dict[str, Any]:
    return {name: program(*result) for name, result in results.items()}


def _near(given: Mapping[str, Any], right: Mapping[str, Interval]) -> bool:
    """Return whether both ends are as near as they must be, for each opponent."""
    pairs = [pair for name in right for pair in zip(given[name], right[name], strict=True)]
    return given.keys() == right.keys() and all(abs(a - b) <= TOLERANCE for a, b in pairs)


INTERVALS = Part(
    "pair of intervals",
    share_interval,
    mistakes("variants", "share_interval", share_interval),
    ask=_each,
    same=_near,
)
CONCLUSION = Part(
    "pair of conclusions", lambda *result: conclusion(share_interval(*result)), ask=_each
)
match = Variant("match", _match, (INTERVALS, CONCLUSION))
