from collections import Counter
from random import Random

import pytest

from course import mcts_choices
from course.widgets import experiments
from course.widgets.experiments import favourite_interval
from course.widgets.oracle import Verdict
from gamelib import TicTacToe

# One block draws, everything else loses: the position of the lab on whose reward is stored where.
BLOCK = TicTacToe.parse("X../.O./.OX")


def test_more_simulations_are_right_more_often() -> None:
    rows = mcts_choices(BLOCK, {"few": {"simulations": 5}, "many": {"simulations": 200}}, runs=10)
    shares = [row["optimal"] for row in rows]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert all(row["agreement"] >= row["optimal"] for row in rows)  # one action only is optimal


def test_the_first_verdict_may_wait_for_the_compiler_and_is_asked_for_again(monkeypatch) -> None:
    answers = [None, {1: Verdict(0), 2: Verdict(-1)}]
    monkeypatch.setattr(experiments, "verdicts", lambda state: answers.pop(0))
    experiments._optimal.cache_clear()
    assert experiments.optimal(BLOCK) == (1,)


def test_the_same_seed_gives_the_same_rows() -> None:
    settings = {"c": {"simulations": 20}}
    assert mcts_choices(BLOCK, settings, seed=3) == mcts_choices(BLOCK, settings, seed=3)
    assert mcts_choices(BLOCK, settings, seed=3) != mcts_choices(BLOCK, settings, seed=4)


@pytest.mark.parametrize("shares", [(1, 1, 1, 1), (1, 1, 1, 1, 0, 0), (3, 1, 1), (9, 1)])
def test_the_interval_of_agreement_holds_the_share_of_the_true_favourite(shares) -> None:
    # The Wilson interval of the largest of four equal shares holds it in 811 of these only.
    rng, truth = Random(0), max(shares) / sum(shares)
    experiments = [
        Counter(rng.choices(range(len(shares)), shares, k=20)).values() for _ in range(1000)
    ]
    ends = [favourite_interval(counts, len(shares)) for counts in experiments]
    assert sum(low <= truth <= high for low, high in ends) >= 950


def test_runs_that_all_agree_have_an_interval_up_to_1() -> None:
    (row,) = mcts_choices(BLOCK, {"many": {"simulations": 300}}, runs=10)
    assert row["agreement"] == row["agreement to"] == 1
    assert 0.4 < row["agreement from"] < 0.72  # wider than of one share, 0.72 to 1
