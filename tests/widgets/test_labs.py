import time
from itertools import pairwise

import pytest

from gamelib import Nim, TicTacToe, minimax
from gamelib.agents import random_agent
from gamelib.widgets import (
    Lab,
    depth_cost,
    depth_lab,
    exploration_lab,
    mcts_choices,
    proof_cost,
    rollouts_lab,
    seat_shares,
    seats_lab,
    solver_lab,
    stability_lab,
)

# One block draws, everything else loses: the position of the lab on whose reward is stored where.
BLOCK = TicTacToe.parse("X../.O./.OX")


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


def test_the_same_seed_gives_the_same_rows() -> None:
    settings = {"c": {"simulations": 20}}
    assert mcts_choices(BLOCK, settings, seed=3) == mcts_choices(BLOCK, settings, seed=3)
    assert mcts_choices(BLOCK, settings, seed=3) != mcts_choices(BLOCK, settings, seed=4)


def test_the_shares_of_the_seats_add_up() -> None:
    (row,) = seat_shares(TicTacToe(), {"random": random_agent(seed=1)}, games=50)
    assert row["X wins"] + row["O wins"] + row["draws"] == pytest.approx(1)


@pytest.mark.parametrize(
    "lab",
    [
        lambda: depth_lab(TicTacToe(), (1, 2)),
        lambda: stability_lab(BLOCK, (5, 10), runs=3),
        lambda: exploration_lab(BLOCK, (0.5, 1.4), simulations=10, runs=3),
        lambda: rollouts_lab(BLOCK, simulations=10, runs=3),
        lambda: solver_lab({"1 2": Nim((1, 2)), "block": BLOCK}, simulations=200),
        lambda: seats_lab(BLOCK, {"a": random_agent(1), "b": random_agent(2)}, games=5),
    ],
)
def test_a_lab_shows_its_rows_and_its_chart(lab) -> None:
    lab = lab()
    assert repr(lab).endswith("not run)")
    rows = lab.run()
    assert lab.rows == rows
    assert repr(lab).endswith("2 rows)")
    assert lab._table.value.count("<tr>") == 1 + len(rows)
    assert lab._image.value
    assert lab._text.value  # what the chart shows, in numbers


def test_a_guess_is_asked_before_the_run_and_shown_beside_the_result() -> None:
    lab = depth_lab(TicTacToe(), (1, 2))
    lab._run_button.click()
    assert "Guess first" in lab._remark.value
    lab.predict.answer(3)
    lab._run_button.click()
    lab.runner.wait()
    assert lab.rows
    assert "Your guess: 3; measured: 3.15" in lab.predict._note.value


def test_a_lab_runs_without_a_guess_when_asked_twice() -> None:
    lab = depth_lab(TicTacToe(), (1, 2))
    lab._run_button.click()
    lab._run_button.click()
    lab.runner.wait()
    assert "No guess yet; measured: 3.15" in lab.predict._note.value


def test_an_experiment_that_raises_is_shown() -> None:
    def broken(progress, stop):
        raise ZeroDivisionError("<b>oh</b>")

    lab = Lab("Broken", broken)
    with pytest.raises(ZeroDivisionError):
        lab.run()
    assert "&lt;b&gt;oh" in lab._remark.value


def test_a_proof_has_the_value_of_theory_and_a_small_budget_has_none() -> None:
    rows = proof_cost({"nim-sum 0": Nim((1, 2, 3)), "too large": Nim((5, 6, 7))}, simulations=500)
    assert [row["proven"] for row in rows] == [True, False]
    assert rows[0]["value"] == -1
    assert rows[0]["simulations"] < rows[1]["simulations"] == 500


def test_a_lab_can_be_stopped() -> None:
    lab = depth_lab(TicTacToe(5, 5, 4), (1, 2, 3, 4, 5, 6, 7, 8))
    lab._begin()
    time.sleep(0.05)
    lab._stop_button.click()
    lab.runner.wait()
    assert lab.rows == []
    assert "Stopped" in lab._remark.value


def test_progress_grows() -> None:
    shares: list[float] = []
    depth_cost(TicTacToe(), (1, 2, 3), progress=lambda share, best: shares.append(share))
    assert all(before <= after for before, after in pairwise(shares))
    assert shares[0] == 0
    assert 0.8 < shares[-1] <= 1  # within the last search, too


def test_cuts_are_counted_where_they_are_asked_for() -> None:
    plain, counted = depth_cost(TicTacToe(), (4,)), depth_cost(TicTacToe(), (4,), cuts=True)
    assert counted[0].items() >= plain[0].items()
    assert counted[0]["cuts of minimax"] == 0
    assert 0 < counted[0]["cuts of alpha-beta"] < counted[0]["alpha-beta"]


def test_the_chart_of_rollouts_is_of_optimal_choices() -> None:
    lab = rollouts_lab(BLOCK, simulations=20, runs=4)
    (optimal, _) = (round(4 * row["optimal"]) for row in lab.run())
    assert f"random rollouts: {optimal / 4:.1%}" in lab._text.value
    assert "Share of optimal choices" in lab._text.value


def test_the_chart_of_the_seats_has_every_outcome() -> None:
    lab = seats_lab(BLOCK, {"a": random_agent(1)}, games=5)
    lab.run()
    assert all(f"a: {outcome}" in lab._text.value for outcome in ("X wins", "O wins", "draws"))
