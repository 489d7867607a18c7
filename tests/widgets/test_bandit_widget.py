"""The bandit to play, driven from code."""

import re

import pytest

from course import Bandit


def arms(bandit):
    """Return (score, whether it is pointed at) of each arm in the drawing."""
    drawn = re.findall(r'<g class="arm".*?</g>', bandit._picture.value, re.DOTALL)
    scores = [re.search('data-score="([^"]*)"', arm)[1] for arm in drawn]
    return [(float(score), "highest:" in arm) for score, arm in zip(scores, drawn, strict=True)]


def test_ucb1_choice_is_marked_after_ucb_only() -> None:
    bandit = Bandit(seed=0)
    bandit.pull(0)
    assert repr(bandit).startswith("Bandit(3 arms, 1 coin played, ")
    assert not any(pointed for _, pointed in arms(bandit))
    bandit.ucb()
    assert "UCB1 took arm 1: its bar had no end." in bandit._said.value
    assert [pointed for _, pointed in arms(bandit)] == [False, False, True]


@pytest.mark.parametrize("c", [0, 0.5, 2**0.5, 5])
def test_ucb1_takes_arm_with_highest_bar(c) -> None:
    bandit = Bandit(seed=1)
    bandit._slider.value = c
    bandit.ucb(3)
    for _ in range(60):
        ends, before = arms(bandit), bandit.visits
        bandit.ucb()
        (taken,) = (arm for arm in range(3) if bandit.visits[arm] > before[arm])
        assert ends[taken] == (max(score for score, _ in ends), True)
        assert f"UCB1 took arm {taken}: its bar ended highest" in bandit._said.value


def test_line_of_highest_bar_crosses_no_number() -> None:
    bandit = Bandit(seed=10)
    bandit.ucb(43)
    for arm in re.findall(r'<g class="arm".*?</g>', bandit._picture.value, re.DOTALL):
        before_the_score = re.split(r"<text[^>]*>(?:highest: )?1\.", arm)[0]
        assert before_the_score.count("<rect") == 2  # the bar, and what lies under the score


def test_same_seed_gives_same_rewards() -> None:
    bandit = Bandit(seed=3)
    first = [bandit.pull(arm) for arm in (0, 1, 2, 1, 1)]
    bandit.restart()
    assert bandit.visits == [0, 0, 0]
    assert [bandit.pull(arm) for arm in (0, 1, 2, 1, 1)] == first
    assert [Bandit(seed=3).pull(arm) for arm in (0,)] == first[:1]


def test_probabilities_are_hidden_until_revealed() -> None:
    bandit = Bandit(seed=0)
    bandit.ucb(10)
    assert "0.6" not in bandit._picture.value
    assert "Regret" not in bandit._said.value
    bandit.reveal()
    chances = bandit._arms.probabilities
    assert f"in truth {', '.join(map(str, chances))}" in bandit._picture.value
    lost = sum(n * (0.6 - chance) for n, chance in zip(bandit.visits, chances, strict=True))
    assert f"Regret: {lost:.1f} coins" in bandit._said.value


def test_changing_c_redraws_bars() -> None:
    bandit = Bandit(seed=0)
    bandit.ucb(50)
    before = arms(bandit)
    bandit._slider.value = 3.0
    assert all(now[0] > then[0] for now, then in zip(arms(bandit), before, strict=True))
    bandit._slider.value = 0.0
    means = [total / n for total, n in zip(bandit.totals, bandit.visits, strict=True)]
    assert [score for score, _ in arms(bandit)] == pytest.approx(means, abs=1e-4)


def test_rounded_slider_keeps_exact_c() -> None:
    bandit = Bandit(seed=0)
    bandit._slider.value = 1.41  # as the browser does when it shows the slider
    assert bandit._c == 2**0.5
