import time

import pytest

from course import (
    Lab,
    depth_lab,
    exploration_lab,
    rollouts_lab,
    seat_shares,
    seats_lab,
    solver_lab,
    stability_lab,
)
from gamelib import (
    ConnectFour,
    GameTree,
    Nim,
    SearchAgent,
    TicTacToe,
    alphabeta,
    minimax,
    open_windows,
)
from gamelib.agents import random_agent
from gamelib.compiled.fast import installed

# One block draws, everything else loses: the position of the lab on whose reward is stored where.
BLOCK = TicTacToe.parse("X../.O./.OX")

compiled = pytest.mark.skipif(not installed(), reason="Numba is not installed")


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
    assert lab.predict._note.value == ""  # the table shows what was measured
    assert lab.rows


def test_an_experiment_that_raises_is_shown() -> None:
    def broken(progress, stop):
        raise ZeroDivisionError("<b>oh</b>")

    lab = Lab("Broken", broken)
    with pytest.raises(ZeroDivisionError):
        lab.run()
    assert "&lt;b&gt;oh" in lab._remark.value


@pytest.mark.parametrize("state", [Nim((1, 2, 2)), TicTacToe(), GameTree([[3, 12], [2, 4]])])
def test_the_depth_lab_takes_a_game_without_columns(state) -> None:
    rows = depth_lab(state, (1, 2)).run()
    assert [row["alpha-beta"] <= row["minimax"] for row in rows] == [True, True]
    assert not any("centre" in column for row in rows for column in row)


def test_the_depth_lab_of_connect_four_tries_the_middle_columns_first_too() -> None:
    (row,) = depth_lab(ConnectFour(), (4,), evaluate=open_windows).run()
    assert row["alpha-beta, centre first"] < row["alpha-beta"] < row["minimax"]
    assert row["alpha-beta"] == alphabeta(ConnectFour(), depth=4, evaluate=open_windows).stats.nodes


def test_a_lab_can_be_stopped() -> None:
    lab = depth_lab(TicTacToe(5, 5, 4), (1, 2, 3, 4, 5, 6, 7, 8))
    lab._begin()
    time.sleep(0.05)
    lab._stop_button.click()
    lab.runner.wait()
    assert lab.rows == []
    assert "Stopped" in lab._remark.value


def test_the_chart_of_rollouts_is_of_optimal_choices() -> None:
    lab = rollouts_lab(BLOCK, simulations=20, runs=4)
    (optimal, _) = (round(4 * row["optimal"]) for row in lab.run())
    assert f"random rollouts: {optimal / 4:.1%}" in lab._text.value
    assert "Share of optimal choices" in lab._text.value


def test_the_chart_of_agreement_has_the_interval_of_the_rows() -> None:
    lab = stability_lab(VARIANT, (20,), runs=20)
    (row,) = lab.run()
    ends = f"{row['agreement from']:.1%} to {row['agreement to']:.1%}"
    assert f"agreement: 20: {row['agreement']:.1%} ({ends});" in lab._text.value


def test_the_chart_of_the_seats_has_every_outcome() -> None:
    lab = seats_lab(BLOCK, {"a": random_agent(1)}, games=5)
    lab.run()
    assert all(f"a: {outcome}" in lab._text.value for outcome in ("X wins", "O wins", "draws"))


# Machine code


class Variant(TicTacToe):
    """A game that machine code does not know."""


VARIANT = Variant.parse(str(BLOCK))


def test_the_labs_run_machine_code_where_that_is_there() -> None:
    agents = {"a": SearchAgent(minimax, depth=2), "b": random_agent(1)}
    labs = [
        depth_lab(TicTacToe()),
        stability_lab(BLOCK),
        exploration_lab(BLOCK),
        solver_lab({"1 2": Nim((1, 2))}),
        seats_lab(BLOCK, agents),
    ]
    assert {lab.fast for lab in labs} == {installed()}
    assert not rollouts_lab(BLOCK).fast


@pytest.mark.parametrize("state", [TicTacToe(8, 8, 5), GameTree([[3, 12, 8], [2, 4, 6]])])
def test_a_lab_of_another_game_does_not(state) -> None:
    assert not depth_lab(state).fast
    assert not stability_lab(state).fast


def test_all_that_is_compared_runs_alike() -> None:
    lab = solver_lab({"small": Nim((1, 2)), "other": GameTree([1, -1])}, simulations=50)
    assert not lab.fast
    assert [row["proven"] for row in lab.run()] == [True, True]


@compiled
@pytest.mark.parametrize("state", [TicTacToe(), Variant()])
def test_the_lab_shows_whether_it_runs_machine_code(state) -> None:
    lab = depth_lab(state, (1, 2))
    assert ("engine: compiled" in lab.children[1].value) == (type(state) is TicTacToe)
    assert [row["minimax"] for row in lab.run()] == [10, 82]


@compiled
def test_the_lab_says_that_machine_code_draws_other_numbers() -> None:
    machine, readable = (stability_lab(state, (5, 10), runs=3) for state in (BLOCK, VARIANT))
    machine.run(), readable.run()
    assert "another generator" in machine._text.value
    assert "another generator" not in readable._text.value


@compiled
def test_agents_whose_search_is_there_as_machine_code_play_that() -> None:
    agents = {
        "minimax": SearchAgent(minimax, quick_wins=True),
        "random": random_agent(1),
        "first": lambda state: state.legal_actions()[0],
    }
    rows = seats_lab(BLOCK, agents, games=5).run()
    assert rows[0]["draws"] == 1
    assert rows[0] == seat_shares(BLOCK, agents, games=5)[0]


@compiled
def test_machine_code_tries_more() -> None:
    assert len(stability_lab(BLOCK).run()) > len(stability_lab(VARIANT).run())
