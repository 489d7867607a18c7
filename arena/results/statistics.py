"""The statistics of results: shares of the points and ratings, with their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, log, sqrt
from statistics import NormalDist, mean, stdev
from typing import Any, Self

ELO = 400 / log(10)  # Elo points for one unit of strength
NORMAL_95 = NormalDist().inv_cdf(0.975)
MIN_OBSERVATIONS = 6  # for an interval of their mean from their spread
# Two equal agents are told apart by luck in 12.5 % of matches of 4 games: Wilson's interval is
# approximate.  From 10 games on, without draws, that happens in at most 8 %.
MIN_GAMES_FOR_VERDICT = 10
_MAX_STEPS = 100


def wilson_interval(wins: float, games: int) -> tuple[float, float]:
    """Return (low, high), the 95 % Wilson score interval of the proportion of wins.

    ValueError unless 0 <= wins <= games and games >= 1.
    Source: Wilson, Journal of the American Statistical Association 22 (1927), 209-212.
    """
    if not (games >= 1 and 0 <= wins <= games):
        raise ValueError(
            f"wins must be from 0 to games, and games 1 or more; got {wins!r} of {games!r}"
        )
    z, share = NORMAL_95, wins / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    margin = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + z * z / (4 * games**2))
    return max(0.0, middle - margin), min(1.0, middle + margin)


@dataclass(frozen=True)
class Tally:
    """The number of wins, draws and losses of an agent."""

    wins: int
    draws: int
    losses: int

    @classmethod
    def from_payoffs(cls, payoffs: Iterable[float]) -> Self:
        """Return the tally of games with these payoffs: above 0 is a win, below 0 a loss."""
        signs = [(payoff > 0) - (payoff < 0) for payoff in payoffs]
        return cls(signs.count(1), signs.count(0), signs.count(-1))

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """The points: one for a win, half a point for a draw."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> float:
        """The share of the points."""
        return self.points / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the share of the points.

        It treats half points like wins.  Draws only make a share vary less, so with many draws the
        interval is wider than necessary.
        """
        return wilson_interval(self.points, self.games)

    @property
    def better(self) -> bool:
        """Whether the games, if there are enough, show a share of more than one half."""
        return self.games >= MIN_GAMES_FOR_VERDICT and self.interval[0] > 0.5


@dataclass(frozen=True)
class Rating:
    """A rating in Elo points, and the ends of its 95 % interval."""

    rating: float
    low: float
    high: float


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return (low, high), the 95 % interval of the mean of independent values, by Student's t.

    It is infinite for fewer than `MIN_OBSERVATIONS`, because they may be equal by luck.
    """
    if len(values) < MIN_OBSERVATIONS:
        return -inf, inf
    margin = _t95(len(values) - 1) * stdev(values) / sqrt(len(values))
    return mean(values) - margin, mean(values) + margin


def _t95(freedom: int) -> float:
    """Return the number of standard errors on each side of a 95 % interval.

    The error is at most 1 % from 4 degrees of freedom on.

    Source: Fisher's expansion; Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    z = NORMAL_95
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


class BradleyTerry:
    """Ratings of agents from their points against each other.

    In the model, i beats j with probability 1 / (1 + 10 ** ((rating of j - rating of i) / 400)).
    100 more points mean 64 % of the points, 200 mean 76 %, 400 mean 91 %.  A draw counts as half a
    win.  For each agent, a drawn game against an imagined average agent is added, so that the
    rating of an agent that won every game is finite.

    tables  of points, one for the games of each opening: table[i][j] are the points of agent i
            against agent j, 1 for a win and a half for a draw.  All agents meet in the same
            openings, and an opening may be good for many of them, so with `MIN_OBSERVATIONS`
            openings or more the intervals come from the differences between openings.  With fewer
            openings they come from the model, as if all games were independent; a draw varies less,
            so with many draws they are too wide then

    Source: Bradley and Terry, Biometrika 39 (1952), 324-345.  Intervals: Fisher information; for
    openings White, Econometrica 50 (1982), 1-25, and Student's t.
    """

    def __init__(self, tables: Sequence[Sequence[Sequence[float]]]) -> None:
        import numpy as np

        points = np.array(tables, dtype=float)
        won, games = points.sum(0), (points + points.transpose(0, 2, 1)).sum(0)
        self._strengths = np.zeros(len(won))
        for _ in range(_MAX_STEPS):
            probabilities, prior, information = self._model(games)
            missing = won.sum(axis=1) - (games * probabilities).sum(axis=1) + prior
            step = np.linalg.solve(information, missing)
            self._strengths += step / max(1, abs(step).max())  # a longer step could overshoot
            if abs(step).max() < 1e-10:
                break
        around_mean = np.eye(len(won)) - 1 / len(won)  # the model determines only differences
        self._covariance = np.linalg.inv(information)
        self._margin = ELO * NORMAL_95
        if (count := len(tables)) >= MIN_OBSERVATIONS:
            expected = (points + points.transpose(0, 2, 1)) * probabilities
            residuals = (points - expected).sum(axis=2)
            spread = residuals.T @ residuals * count / (count - 1) + np.diag(prior**2)
            self._covariance = self._covariance @ spread @ self._covariance
            self._margin = ELO * _t95(count - 1)
        self._covariance = around_mean @ self._covariance @ around_mean

    def _model(self, games: Any) -> tuple[Any, Any, Any]:
        """Return the probabilities of each against each, the prior's gradient, the information."""
        import numpy as np

        probabilities = 1 / (1 + np.exp(self._strengths[None, :] - self._strengths[:, None]))
        average = 1 / (1 + np.exp(-self._strengths))
        weights = games * probabilities * (1 - probabilities)
        diagonal = weights.sum(axis=1) + average * (1 - average)
        return probabilities, 0.5 - average, np.diag(diagonal) - weights

    def ratings(self) -> list[Rating]:
        """Return the rating of each agent; their mean is 0."""
        middles = self._strengths - self._strengths.mean()
        return [self._rating(middle, self._covariance[i, i]) for i, middle in enumerate(middles)]

    def rating_difference(self, first: int, second: int) -> Rating:
        """Return the difference between the ratings of two agents, with its interval."""
        matrix = self._covariance
        variance = matrix[first, first] + matrix[second, second] - 2 * matrix[first, second]
        return self._rating(self._strengths[first] - self._strengths[second], variance)

    def _rating(self, strength: float, variance: float) -> Rating:
        middle, margin = ELO * float(strength), self._margin * sqrt(max(0.0, variance))
        return Rating(middle, middle - margin, middle + margin)
