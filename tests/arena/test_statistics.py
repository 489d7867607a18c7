"""Ratings and intervals: against closed forms, another program, and known strengths."""

import random
from math import comb, exp, log, sqrt

import pytest

from arena import wilson_interval
from arena.results.linear_algebra import cholesky, dot, inverse
from arena.results.statistics import ELO, NORMAL_95, BradleyTerry, Tally

LEAGUE = [[0, 7.5, 9, 10], [2.5, 0, 6, 8], [1, 4, 0, 5.5], [0, 2, 4.5, 0]]


def bradley_terry(*tables):
    return BradleyTerry(tables).ratings()


def middles(ratings):
    return [each.rating for each in ratings]


def test_rating_difference_is_log_odds_of_points():
    strong, weak = bradley_terry([[0, 7.5e6], [2.5e6, 0]])
    assert strong.rating - weak.rating == pytest.approx(400 * log(3, 10), abs=1e-3)


def test_rating_interval_of_two_equals_share_interval():
    # The difference of two strengths has variance 1 / (n p (1 - p)); half of it is each agent's.
    strong, _ = bradley_terry([[0, 7.5e6], [2.5e6, 0]])
    margin = ELO * NORMAL_95 / sqrt(10_000_000 * 0.75 * 0.25) / 2
    assert strong.high - strong.rating == pytest.approx(margin, rel=1e-4)
    assert strong.rating - strong.low == pytest.approx(margin, rel=1e-4)


@pytest.mark.parametrize("points", [LEAGUE, [[0, 10, 10], [0, 0, 5], [0, 5, 0]]])
def test_ratings_equal_independent_program(points):
    choix = pytest.importorskip("choix", reason="`make peers` installs it")
    np = pytest.importorskip("numpy")
    table = np.zeros((len(points) + 1, len(points) + 1))
    table[:-1, :-1] = points
    table[-1, :-1] = table[:-1, -1] = 1 / 2  # the imagined agent is one more
    strengths = choix.ilsr_pairwise_dense(table, tol=1e-12)[:-1]
    expected = ELO * (strengths - strengths.mean())
    assert middles(bradley_terry(points)) == pytest.approx(list(expected), abs=1e-4)


def test_extreme_results_have_finite_ratings():
    best, other = bradley_terry([[0, 20], [0, 0]])
    assert 300 < best.rating - other.rating < 1500
    assert best.high - best.low > 300


def test_ratings_compare_agents_through_a_third():
    first, second, third = bradley_terry([[0, 7.5e6, 0], [2.5e6, 0, 7.5e6], [0, 2.5e6, 0]])
    assert first.rating - third.rating == pytest.approx(800 * log(3, 10), abs=0.1)
    assert second.rating == pytest.approx(0, abs=0.1)


def test_intervals_cover_the_truth_often_enough():
    rng, strengths = random.Random(5), [0.9, 0.3, 0, -0.4, -0.8]
    covered = trials = 0
    for _ in range(200):
        found = bradley_terry(league(rng, strengths, games=40))
        for each, strength in zip(found, strengths, strict=True):
            covered += each.low <= ELO * strength <= each.high
            trials += 1
    assert covered / trials >= 0.93


def league(rng, strengths, *, games):
    """Return the points of a round robin between agents whose strengths are known."""
    points = [[0.0] * len(strengths) for _ in strengths]
    for i, mine in enumerate(strengths):
        for j in range(i):
            for _ in range(games):
                won = rng.random() < 1 / (1 + exp(strengths[j] - mine))
                points[i][j] += won
                points[j][i] += not won
    return points


def test_inverse_times_matrix_is_the_identity():
    rng = random.Random(0)
    rows = [[rng.uniform(-1, 1) for _ in range(7)] for _ in range(7)]
    matrix = [[dot(one, other) + (one is other) for other in rows] for one in rows]
    product = [[dot(row, column) for column in matrix] for row in inverse(cholesky(matrix))]
    for i, row in enumerate(product):
        assert row == pytest.approx([float(i == j) for j in range(7)], abs=1e-9)


# The interval of a share


@pytest.mark.parametrize(("wins", "games"), [(37, 100), (10, 10), (0, 5)])
def test_wilson_limits_equal_score_test(wins, games):
    for limit in wilson_interval(wins, games):
        assert (wins / games - limit) ** 2 == pytest.approx(
            1.959964**2 * limit * (1 - limit) / games, rel=1e-5
        )


@pytest.mark.parametrize(("wins", "games"), [(1, 0), (-1, 5), (6, 5)])
def test_impossible_counts_raise(wins, games):
    with pytest.raises(ValueError, match="wins"):
        wilson_interval(wins, games)


@pytest.mark.parametrize("games", range(1, 60))
def test_equal_agents_are_rarely_told_apart(games: int) -> None:
    """Without draws, each number of wins has its binomial probability."""
    told = sum(
        comb(games, wins) / 2**games
        for wins in range(games + 1)
        if Tally(wins, 0, games - wins).better or Tally(games - wins, 0, wins).better
    )
    assert told <= 0.08
