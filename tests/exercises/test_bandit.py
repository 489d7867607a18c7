"""The arms of a bandit, against plain programs: play, choices, regret."""

import random
from math import inf, log, sqrt

import pytest

from course.exercises.bandit import Arms
from tests.messages import names


def plain_ucb1(chances, coins, c, draw):
    """Return visits and totals of UCB1 as the paper has it: each arm once, then by score."""
    visits, totals = [0] * len(chances), [0] * len(chances)
    for coin in range(coins):
        if coin < len(chances):
            arm = coin
        else:
            scores = [t / n + c * sqrt(log(coin) / n) for n, t in zip(visits, totals, strict=True)]
            arm = scores.index(max(scores))
        visits[arm] += 1
        totals[arm] += draw() < chances[arm]
    return visits, totals


@pytest.mark.parametrize("c", [0, 0.2, 2**0.5, 5])
def test_ucb1_equals_plain_program(c) -> None:
    for seed in range(30):
        chances = [random.Random(-1 - seed).random() for _ in range(2 + seed % 4)]
        arms = Arms(chances, random.Random(seed))
        for _ in range(200):
            arms.pull(arms.ucb1(c))
        plain = plain_ucb1(chances, 200, c, random.Random(seed).random)
        assert (arms.visits, arms.totals) == plain


def test_best_arm_has_no_regret_untried_infinite_score() -> None:
    arms = Arms((0.3, 0.6), random.Random(0))
    for _ in range(20):
        arms.pull(1)
    assert [row.score for row in arms.rows(0)] == [inf, arms.totals[1] / 20]
    assert arms.regret == 0
    arms.pull(0)
    assert arms.regret == pytest.approx(0.3)


def test_invalid_probabilities_and_unknown_arm_raise() -> None:
    for chances in ((), (0.5,), (0.5, 1.1), (0.5, float("nan")), ("0.5", "0.6")):
        with pytest.raises(ValueError, match=names("probabilities must be from 0 to 1")):
            Arms(chances, random.Random(0))
    for arm in (-1, 2, "0", None, 0.5):
        with pytest.raises(ValueError, match=names("arm must be from 0 to 1; got")):
            Arms((0.3, 0.6), random.Random(0)).pull(arm)
