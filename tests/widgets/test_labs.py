import time

import pytest

from course import (
    Lab,
    depth_lab,
    exploration_lab,
    rollouts_lab,
    seats_lab,
    solver_lab,
    stability_lab,
)
from gamelib import GameTree, Nim, TicTacToe
from gamelib.agents import random_agent
from gamelib.engines import installed

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
    assert "No guess yet; measured: 3.15" in lab.predict._note.value


def test_an_experiment_that_raises_is_shown() -> None:
    def broken(progress, stop):
        raise ZeroDivisionError("<b>oh</b>")

    lab = Lab("Broken", broken)
    with pytest.raises(ZeroDivisionError):
        lab.run()
    assert "&lt;b&gt;oh" in lab._remark.value


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


def test_the_chart_of_the_seats_has_every_outcome() -> None:
    lab = seats_lab(BLOCK, {"a": random_agent(1)}, games=5)
    lab.run()
    assert all(f"a: {outcome}" in lab._text.value for outcome in ("X wins", "O wins", "draws"))


# The engine


def test_the_labs_run_compiled_where_that_is_there() -> None:
    best = "compiled" if installed() else "readable"
    agents = {"a": random_agent(1)}
    labs = [
        depth_lab(TicTacToe()),
        stability_lab(BLOCK),
        exploration_lab(BLOCK),
        solver_lab({"1 2": Nim((1, 2))}),
        seats_lab(BLOCK, agents),
    ]
    assert {lab.engine for lab in labs} == {best}
    assert rollouts_lab(BLOCK).engine == "readable"


@pytest.mark.parametrize("state", [TicTacToe(8, 8, 5), GameTree([[3, 12, 8], [2, 4, 6]])])
def test_a_lab_of_another_game_is_readable(state) -> None:
    assert depth_lab(state).engine == stability_lab(state).engine == "readable"


def test_all_that_is_compared_runs_in_one_engine() -> None:
    lab = solver_lab({"small": Nim((1, 2)), "other": GameTree([1, -1])}, simulations=50)
    assert lab.engine == "readable"
    assert [row["proven"] for row in lab.run()] == [True, True]


@compiled
@pytest.mark.parametrize("engine", ["readable", "compiled"])
def test_the_lab_shows_in_which_engine_it_runs(engine) -> None:
    lab = depth_lab(TicTacToe(), (1, 2), engine=engine)
    assert ("engine: compiled" in lab.children[1].value) == (engine == "compiled")
    assert [row["minimax"] for row in lab.run()] == [10, 82]


@compiled
def test_a_faster_engine_tries_more() -> None:
    assert len(stability_lab(BLOCK).run()) > len(stability_lab(BLOCK, engine="readable").run())
