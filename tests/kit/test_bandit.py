"""The arms of a bandit, against plain programs: play, choices, regret."""

import random
from itertools import product
from math import inf, log, prod, sqrt

import pytest

from course.kit.bandit import Arms


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


class Scripted:
    """A source of random numbers that are given."""

    def __init__(self, numbers):
        self.random = iter(numbers).__next__


def played(arms, coins, c=2**0.5):
    for _ in range(coins):
        arms.pull(arms.ucb1(c))
    return arms


@pytest.mark.parametrize("c", [0, 0.2, 2**0.5, 5])
def test_ucb1_chooses_as_a_plain_program(c) -> None:
    for seed in range(30):
        chances = [random.Random(-1 - seed).random() for _ in range(2 + seed % 4)]
        arms = played(Arms(chances, random.Random(seed)), 200, c)
        plain = plain_ucb1(chances, 200, c, random.Random(seed).random)
        assert (arms.visits, arms.totals) == plain


def test_the_expected_regret_is_that_of_all_outcomes() -> None:
    chances, coins = (0.25, 0.75), 7
    expected = by_hand = 0.0
    # each coin wins on both arms, on the better one only, or on none
    for outcome in product((0.1, 0.5, 0.9), repeat=coins):
        share = prod({0.1: 0.25, 0.5: 0.5, 0.9: 0.25}[number] for number in outcome)
        expected += share * played(Arms(chances, Scripted(outcome)), coins).regret
        visits, _ = plain_ucb1(chances, coins, 2**0.5, Scripted(outcome).random)
        by_hand += share * 0.5 * visits[0]
    assert expected == pytest.approx(by_hand, abs=1e-12)
    assert 0.5 <= expected <= 0.5 * (coins - 1)


def test_the_best_arm_alone_has_no_regret_and_an_arm_without_a_coin_an_infinite_score() -> None:
    arms = Arms((0.3, 0.6), random.Random(0))
    for _ in range(20):
        arms.pull(1)
    assert [row.score for row in arms.rows(0)] == [inf, arms.totals[1] / 20]
    assert arms.regret == 0
    arms.pull(0)
    assert arms.regret == pytest.approx(0.3)


def test_the_first_of_several_highest_is_chosen() -> None:
    arms = Arms((1, 1, 1), random.Random(0))
    assert [arms.ucb1(1)] == [0]
    assert played(arms, 4).visits == [2, 1, 1]


def test_chances_that_are_none_and_an_arm_there_is_not_are_refused() -> None:
    for chances in ((), (0.5,), (0.5, 1.1), (0.5, float("nan")), ("0.5", "0.6")):
        with pytest.raises(ValueError, match="chances must be two or more numbers from 0 to 1"):
            Arms(chances, random.Random(0))
    for arm in (-1, 2, "0", None, 0.5):
        with pytest.raises(ValueError, match="arm must be from 0 to 1; got"):
            Arms((0.3, 0.6), random.Random(0)).pull(arm)
