"""What results show: shares of the points, ratings, and how sure both are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, log, sqrt
from statistics import NormalDist
from typing import Any, Self

ELO = 400 / log(10)  # Elo points for one unit of strength
NORMAL_95 = NormalDist().inv_cdf(0.975)
_MOST_STEPS = 100


def wilson_interval(wins: float, games: int) -> tuple[float, float]:
    """Return (low, high), the 95 % Wilson score interval of the share of wins.

    ValueError unless 0 <= wins <= games and games >= 1.
    Source: Wilson, Journal of the American Statistical Association 22 (1927), 209-212.
    """
    if not (games >= 1 and 0 <= wins <= games):
        raise ValueError(
            f"wins must be from 0 to games, games 1 or more; got {wins!r} of {games!r}"
        )
    z, share = NORMAL_95, wins / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    margin = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + z * z / (4 * games**2))
    return max(0.0, middle - margin), min(1.0, middle + margin)


@dataclass(frozen=True)
class Tally:
    """Wins, draws and losses of an agent."""

    wins: int
    draws: int
    losses: int

    @classmethod
    def of(cls, payoffs: Iterable[float]) -> Self:
        """Return the tally of games with these payoffs: above 0 is a win, below 0 a loss."""
        signs = [(payoff > 0) - (payoff < 0) for payoff in payoffs]
        return cls(signs.count(1), signs.count(0), signs.count(-1))

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win is one point, a draw half a point."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> float:
        """The share of the points."""
        return self.points / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the share of the points.

        It treats half points like wins.  Draws only make a share vary less, so that with many of
        them the interval is wider than it need be.
        """
        return wilson_interval(self.points, self.games)


@dataclass(frozen=True)
class Rating:
    """A rating in Elo points, and the ends of its 95 % interval."""

    rating: float
    low: float
    high: float


def bradley_terry(points: Sequence[Sequence[float]], *, prior: float = 1.0) -> list[Rating]:
    """Return a `Rating` for each agent; their mean is 0.

    points  points[i][j] is what agent i won against agent j: 1 for a win, a half for a draw
    prior   so many games, drawn against an imagined average agent, are added for each agent; they
            keep the rating of an agent that won every game finite

    The model: i beats j with probability 1 / (1 + 10 ** ((rating of j - rating of i) / 400)).  100
    points more mean 64 % of the points, 200 mean 76 %, 400 mean 91 %.  A draw counts as half a win,
    and varies less than a win or a loss, so with many draws the intervals are wider than needed.
    ValueError for a table that is not square, or has a negative number or anything on its diagonal.
    Source: Bradley and Terry, Biometrika 39 (1952), 324-345; intervals from the Fisher information.
    """
    import numpy as np

    _check_points(points)
    if not prior > 0:
        raise ValueError(f"prior must be above 0; got {prior!r}")
    won = np.array(points, dtype=float)
    games = won + won.T
    strengths = np.zeros(len(won))
    for _ in range(_MOST_STEPS):
        expected, information = _model(strengths, games, prior)
        missing = won.sum(axis=1) + prior / 2 - expected
        step = np.linalg.solve(information, missing)
        strengths += step / max(1, abs(step).max())  # a longer step could overshoot
        if abs(step).max() < 1e-10:
            break
    return _ratings(strengths, information)


def _model(strengths: Any, games: Any, prior: float) -> tuple[Any, Any]:
    """Return the points that the model expects for each agent, and the Fisher information."""
    import numpy as np

    chances = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    against_average = 1 / (1 + np.exp(-strengths))
    weights = games * chances * (1 - chances)
    own = weights.sum(axis=1) + prior * against_average * (1 - against_average)
    return (games * chances).sum(axis=1) + prior * against_average, np.diag(own) - weights


def _ratings(strengths: Any, information: Any) -> list[Rating]:
    """Return the ratings around their mean: only differences between agents are known."""
    import numpy as np

    count = len(strengths)
    around_mean = np.eye(count) - 1 / count
    covariance = around_mean @ np.linalg.inv(information) @ around_mean
    middles = ELO * (strengths - strengths.mean())
    margins = ELO * NORMAL_95 * np.sqrt(np.diag(covariance))
    return [
        Rating(float(middle), float(middle - margin), float(middle + margin))
        for middle, margin in zip(middles, margins, strict=True)
    ]


def _check_points(points: Sequence[Sequence[float]]) -> None:
    if not points or any(len(row) != len(points) for row in points):
        raise ValueError(
            f"points must be a square table, one row and one column for each agent; got {points!r}"
        )
    fine = all(isfinite(number) and number >= 0 for row in points for number in row)
    if not fine or any(row[place] for place, row in enumerate(points)):
        raise ValueError(
            f"points must be numbers, 0 or more, and 0 for an agent against itself; got {points!r}"
        )
