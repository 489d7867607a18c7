"""The statistics of results: shares of the points and ratings, with their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, inf, log, sqrt
from statistics import NormalDist, fmean, mean, stdev
from typing import Self

from arena.results.linear_algebra import Matrix, Vector, cholesky, dot, inverse, solve

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

    >>> from arena import wilson_interval
    >>> low, high = wilson_interval(60, 100)
    >>> f"{low:.2f} to {high:.2f}"
    '0.50 to 0.69'
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

    def __init__(self, tables: Sequence[Matrix]) -> None:
        agents = range(len(tables[0]))
        points = [[sum(table[i][j] for table in tables) for j in agents] for i in agents]
        games = [[points[i][j] + points[j][i] for j in agents] for i in agents]
        self._strengths = _fit_strengths([sum(row) for row in points], games)
        probabilities, self._prior, information = _expect(self._strengths, games)
        self._covariance = _subtract_mean(inverse(cholesky(information)))
        self._residuals: list[list[float]] = []
        self._margin = ELO * NORMAL_95
        if len(tables) >= MIN_OBSERVATIONS:
            self._residuals = [_residual(table, probabilities) for table in tables]
            self._margin = ELO * _t95(len(tables) - 1)

    def ratings(self) -> list[Rating]:
        """Return the rating of each agent; their mean is 0."""
        middle = fmean(self._strengths)
        return [
            self._rating(strength - middle, row, row[agent] - fmean(row))
            for agent, (strength, row) in enumerate(
                zip(self._strengths, self._covariance, strict=True)
            )
        ]

    def rating_difference(self, first: int, second: int) -> Rating:
        """Return the difference between the ratings of two agents, with its interval."""
        rows = self._covariance[first], self._covariance[second]
        row = [one - other for one, other in zip(*rows, strict=True)]
        strength = self._strengths[first] - self._strengths[second]
        return self._rating(strength, row, row[first] - row[second])

    def _rating(self, strength: float, row: Vector, variance: float) -> Rating:
        """Return the rating for a sum of strengths, with its interval.

        In the model, `row` is the covariance of the sum with each strength.
        """
        if self._residuals:
            variance = self._observed_variance(row)
        middle, margin = ELO * strength, self._margin * sqrt(max(0.0, variance))
        return Rating(middle, middle - margin, middle + margin)

    def _observed_variance(self, row: Vector) -> float:
        """Return the variance of a sum of strengths by the differences between openings."""
        count = len(self._residuals)
        observed = sum(dot(residual, row) ** 2 for residual in self._residuals)
        added_games = sum((share * each) ** 2 for share, each in zip(self._prior, row, strict=True))
        return observed * count / (count - 1) + added_games


def _fit_strengths(points: Vector, games: Matrix) -> list[float]:
    """Return the most likely strengths, by Newton's method.

    It begins with those that would be right if all opponents were average.
    """
    strengths = [
        log((won + 0.5) / (sum(played) - won + 0.5))
        for won, played in zip(points, games, strict=True)
    ]
    for _ in range(_MAX_STEPS):
        probabilities, prior, information = _expect(strengths, games)
        missing = [
            won - dot(played, expected) + added
            for won, played, expected, added in zip(
                points, games, probabilities, prior, strict=True
            )
        ]
        step = solve(cholesky(information), missing)
        longest = max(map(abs, step))
        scale = 1 / max(1, longest)  # a longer step could overshoot
        strengths = [each + scale * change for each, change in zip(strengths, step, strict=True)]
        if longest < 1e-7:  # the next step would be about as long as its square
            break
    return strengths


def _expect(strengths: Vector, games: Matrix) -> tuple[Matrix, Vector, Matrix]:
    """Return the probabilities of each against each, the prior's gradient, the information."""
    probabilities = [[_logistic(one - other) for other in strengths] for one in strengths]
    averages = [_logistic(one) for one in strengths]
    information = [
        [-count * probability * (1 - probability) for count, probability in zip(*rows, strict=True)]
        for rows in zip(games, probabilities, strict=True)
    ]
    for index, average in enumerate(averages):
        information[index][index] += average * (1 - average) - sum(information[index])
    return probabilities, [0.5 - average for average in averages], information


def _logistic(difference: float) -> float:
    return 1 / (1 + exp(-difference))


def _subtract_mean(rows: Matrix) -> list[list[float]]:
    """Return the rows minus their mean row: only differences of strengths are known."""
    middle = [fmean(column) for column in zip(*rows, strict=True)]
    return [[one - other for one, other in zip(row, middle, strict=True)] for row in rows]


def _residual(table: Matrix, probabilities: Matrix) -> list[float]:
    """Return by how many points each agent did better in one opening than its strength says."""
    agents = range(len(table))
    return [
        sum(table[i][j] - (table[i][j] + table[j][i]) * probabilities[i][j] for j in agents)
        for i in agents
    ]
