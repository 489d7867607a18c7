"""The bandit to play, driven from code."""

import re

import numpy
import pytest

from course import Bandit


def arms(bandit):
    """Return (score, whether it is pointed at) of each arm in the drawing."""
    drawn = re.findall(r'<g class="arm".*?</g>', bandit._picture.value, re.DOTALL)
    scores = [re.search('data-score="([^"]*)"', arm)[1] for arm in drawn]
    return [(float(score), "highest:" in arm) for score, arm in zip(scores, drawn, strict=True)]


def test_ucb1_is_pointed_at_only_after_it_has_chosen() -> None:
    bandit = Bandit(seed=0)
    bandit.pull(0)
    assert repr(bandit).startswith("Bandit(3 arms, 1 coin played, ")
    assert not any(pointed for _, pointed in arms(bandit))
    bandit.ucb()
    assert "UCB1 took arm 1: its bar had no end." in bandit._said.value
    assert [pointed for _, pointed in arms(bandit)] == [False, False, True]


@pytest.mark.parametrize("c", [0, 0.5, 2**0.5, 5])
def test_ucb1_takes_the_arm_whose_bar_ends_highest(c) -> None:
    bandit = Bandit(seed=1)
    bandit._slider.value = c
    bandit.ucb(3)
    for _ in range(60):
        ends, before = arms(bandit), bandit.visits
        bandit.ucb()
        (taken,) = (arm for arm in range(3) if bandit.visits[arm] > before[arm])
        assert ends[taken] == (max(score for score, _ in ends), True)
        assert f"UCB1 took arm {taken}: its bar ended highest" in bandit._said.value


def test_a_hundred_coins_are_a_hundred_choices() -> None:
    at_once, one_by_one = Bandit(seed=2), Bandit(seed=2)
    at_once.ucb(100)
    for _ in range(100):
        one_by_one.ucb()
    assert (at_once.visits, at_once.totals) == (one_by_one.visits, one_by_one.totals)


def test_the_line_of_the_highest_bar_runs_through_no_number() -> None:
    bandit = Bandit(seed=10)
    bandit.ucb(43)
    for arm in re.findall(r'<g class="arm".*?</g>', bandit._picture.value, re.DOTALL):
        before_the_score = re.split(r"<text[^>]*>(?:highest: )?1\.", arm)[0]
        assert before_the_score.count("<rect") == 2  # the bar, and what lies under the score


def test_the_same_seed_brings_the_same_coins_again() -> None:
    bandit = Bandit(seed=3)
    first = [bandit.pull(arm) for arm in (0, 1, 2, 1, 1)]
    bandit.restart()
    assert bandit.visits == [0, 0, 0]
    assert [bandit.pull(arm) for arm in (0, 1, 2, 1, 1)] == first
    assert [Bandit(seed=3).pull(arm) for arm in (0,)] == first[:1]


def test_seeds_differ_in_which_arm_is_best() -> None:
    best = {max(range(3), key=Bandit(seed=seed)._arms.chances.__getitem__) for seed in range(20)}
    assert best == {0, 1, 2}


def test_the_chances_are_hidden_until_they_are_asked_for() -> None:
    bandit = Bandit(seed=0)
    bandit.ucb(10)
    assert "0.6" not in bandit._picture.value
    assert "Regret" not in bandit._said.value
    bandit.reveal()
    chances = bandit._arms.chances
    assert f"in truth {', '.join(map(str, chances))}" in bandit._picture.value
    lost = sum(n * (0.6 - chance) for n, chance in zip(bandit.visits, chances, strict=True))
    assert f"Regret: {lost:.1f} coins" in bandit._said.value


def test_to_turn_c_moves_the_bars_at_once() -> None:
    bandit = Bandit(seed=0)
    bandit.ucb(50)
    before = arms(bandit)
    bandit._slider.value = 3.0
    assert all(now[0] > then[0] for now, then in zip(arms(bandit), before, strict=True))
    bandit._slider.value = 0.0
    means = [total / n for total, n in zip(bandit.totals, bandit.visits, strict=True)]
    assert [score for score, _ in arms(bandit)] == pytest.approx(means, abs=1e-4)


def test_a_slider_that_rounds_leaves_c_as_it_was_given() -> None:
    bandit = Bandit(seed=0)
    bandit._slider.value = 1.41  # as the browser does when it shows the slider
    assert bandit._c == 2**0.5


@pytest.mark.parametrize(
    ("give", "wrong", "said"),
    [
        (lambda n: Bandit().ucb(n), [0, -1, 1.5, True, None, 10**5], "coins must be an int from"),
        (lambda arm: Bandit().pull(arm), [-1, True, 1.0, "1", None, 3], "arm must be from 0"),
        (lambda seed: Bandit(seed=seed), [[1], "x", 1.5, True], "seed must be an int or None; got"),
    ],
)
def test_what_the_bandit_cannot_take_is_refused(give, wrong, said) -> None:
    for value in wrong:
        with pytest.raises((TypeError, ValueError), match=said):
            give(value)


def test_the_numbers_of_numpy_are_taken() -> None:
    bandit, same = Bandit(seed=numpy.int64(3)), Bandit(seed=3)
    bandit.ucb(numpy.int64(9))
    bandit.pull(numpy.int64(2))
    same.ucb(9)
    same.pull(2)
    assert bandit.totals == same.totals
