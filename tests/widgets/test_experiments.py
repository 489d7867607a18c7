from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from course import depth_cost, mcts_choices, proof_cost, seat_shares
from course.widgets import experiments
from course.widgets.experiments import SEARCHES, favourite_interval
from course.widgets.oracle import Verdict
from gamefast.fast import installed
from gamelib import ConnectFour, Nim, TicTacToe, minimax
from gamelib.agents import random_agent

# One block draws, everything else loses: the position of the lab on whose reward is stored where.
BLOCK = TicTacToe.parse("X../.O./.OX")

compiled = pytest.mark.skipif(not installed(), reason="Numba is not installed")


def test_depth_cost_counts_what_the_searches_count() -> None:
    rows = depth_cost(TicTacToe(), (1, 2, 3))
    assert [row["depth"] for row in rows] == [1, 2, 3]
    assert [row["minimax"] for row in rows] == [1 + 9, 1 + 9 + 72, 1 + 9 + 72 + 504]
    assert all(row["alpha-beta"] <= row["minimax"] for row in rows)


def test_a_search_of_ones_own_in_the_depth_lab() -> None:
    rows = depth_cost(TicTacToe(), (1, 2), searches={"mine": minimax})
    assert rows == [{"depth": 1, "mine": 10}, {"depth": 2, "mine": 82}]


def test_more_simulations_are_right_more_often() -> None:
    rows = mcts_choices(BLOCK, {"few": {"simulations": 5}, "many": {"simulations": 200}}, runs=10)
    shares = [row["optimal"] for row in rows]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert all(row["agreement"] >= row["optimal"] for row in rows)  # one action only is optimal


def test_the_first_verdict_may_wait_for_the_compiler_and_is_asked_for_again(monkeypatch) -> None:
    answers = [None, {1: Verdict(0), 2: Verdict(-1)}]
    monkeypatch.setattr(experiments, "verdicts", lambda state: answers.pop(0))
    monkeypatch.setattr(experiments, "_optimal", {})
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


def test_the_shares_of_the_seats_add_up() -> None:
    (row,) = seat_shares(TicTacToe(), {"random": random_agent(seed=1)}, games=50)
    assert row["X wins"] + row["O wins"] + row["draws"] == pytest.approx(1)


def test_a_proof_has_the_value_of_theory_and_a_small_budget_has_none() -> None:
    rows = proof_cost({"nim-sum 0": Nim((1, 2, 3)), "too large": Nim((5, 6, 7))}, simulations=500)
    assert [row["proven"] for row in rows] == [True, False]
    assert rows[0]["value"] == -1
    assert rows[0]["simulations"] < rows[1]["simulations"] == 500


def test_progress_grows() -> None:
    shares: list[float] = []
    depth_cost(TicTacToe(), (1, 2, 3), progress=lambda share, best: shares.append(share))
    assert all(before <= after for before, after in pairwise(shares))
    assert shares[0] == 0
    assert 0.8 < shares[-1] <= 1  # within the last search, too


# Machine code


@compiled
def test_machine_code_visits_the_same_nodes() -> None:
    (*_, row) = depth_cost(ConnectFour(), (1, 3, 5))
    for name, search in SEARCHES.items():
        assert row[name] == search(ConnectFour(), depth=5).stats.nodes
