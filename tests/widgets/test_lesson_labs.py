import time
from collections import Counter
from functools import cache
from random import Random

import pytest
from hexapawn import Hexapawn

from course import (
    ExperimentLab,
    Lab,
    depth_lab,
    exploration_lab,
    mcts_choices,
    rollouts_lab,
    seats_lab,
    solver_lab,
    stability_lab,
)
from course.draw import charts
from course.lessons.experiments.check import Plan, UnfairPlanError
from course.lessons.mcts.lab_programs import SteadfastMCTS
from course.lessons.minimax.dots_and_boxes import DotsAndBoxes
from course.widgets import repeated_mcts
from course.widgets.controls import checkbox, slider
from course.widgets.lab import ControlsError
from course.widgets.oracle import ExactValue
from course.widgets.repeated_mcts import modal_share_interval
from gamelib import SearchAgent, random_agent
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.search import maxn, mcts, minimax, open_windows, paranoid
from gamelib.search.callbacks import Poller
from tests.messages import names
from tests.widgets.conftest import compiled, turned

# One block draws, everything else loses: the position of the lab on whose reward is stored where.
BLOCK = TicTacToe.parse("X../.O./.OX")


GAMES = [Hexapawn(), DotsAndBoxes(), Nim((2, 2, 2), num_players=3)]
FOR_THREE = {"MaxN": maxn, "Paranoid": paranoid}
RANDOM = {"a": random_agent(1), "b": random_agent(2)}
# What makes a lab, where its knobs are put, and how many rows it has.
LABS = {
    "depth": (lambda g: depth_lab(g, FOR_THREE if g is GAMES[2] else None, depth=3), {}, 3),
    "stability": (stability_lab, {"simulations": 100, "runs": 20}, 2),
    "exploration": (exploration_lab, {"simulations": 20, "runs": 20}, 7),
    "solver": (lambda g: solver_lab({"1 2": Nim((1, 2)), "own": g}), {"simulations": 100}, 2),
    "seats": (lambda g: seats_lab(g, RANDOM), {"games": 20}, 2),
}


@pytest.fixture(autouse=True)
def blank(request, monkeypatch) -> None:
    """Make no PNG of a chart, which takes longer than most experiments here.

    The test that runs every lab makes them for one of its games.
    """
    if not request.node.name.endswith("-Hexapawn]"):
        monkeypatch.setattr(charts._chart_class(), "png", lambda self: b"blank")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)
@pytest.mark.parametrize("name", LABS)
def test_labs_run_on_nim_and_own_game(name, game) -> None:
    make, knobs, count = LABS[name]
    lab = make(game)
    turned(lab, **knobs)
    assert repr(lab).endswith("not run)")
    rows = lab.run()
    assert lab.rows == rows
    assert "run with" in repr(lab)
    assert lab._words.value.count("<tr>") == 1 + len(rows) == 1 + count
    assert lab._image.value


def test_program_without_solver_is_reported() -> None:
    lab = stability_lab(BLOCK, programs={"wrong": SteadfastMCTS})
    turned(lab, solver=True, simulations=20, runs=20)
    with pytest.raises(ControlsError, match=names("'wrong' has no solver")):
        lab.run()
    assert "has no solver" in lab._remark.value
    assert "in settings" not in lab._remark.value  # where it was raised is no matter of the learner
    turned(lab, solver=False)
    assert lab.run()


# Knobs


def doubled(*, n, fast=False, progress=None, stop=None):
    return [{"n": n, "doubled": 2 * n}]


def test_changed_control_reruns_lab() -> None:
    lab = Lab("Twice", doubled, {"n": slider("n", 0, 9, 1), "fast": checkbox("fast")})
    turned(lab, n=3)
    assert lab.rows == []  # nothing before the first Run: a guess comes first
    lab.run()
    turned(lab, n=4)
    assert lab.rows == [{"n": 4, "doubled": 8}]
    assert lab.previous.rows == [{"n": 3, "doubled": 6}]
    assert "Shown: n 4, fast off. The previous run is pale: n 3." in lab._words.value


def test_slow_rerun_waits_for_run_button() -> None:
    def slow(*, n, progress=None, stop=None):
        while n:  # for ever, if nobody stops it
            sum(range(20_000))
            if stop():
                return [{"n": "best so far"}]  # of a search that was cut short: not shown
        return [{"n": n}]

    lab = Lab("Slow", slow, {"n": slider("n", 0, 9, 0)})
    lab.run()
    turned(lab, n=9)
    assert lab.rows == [{"n": 0}]
    assert "press Run" in lab._remark.value
    assert "gl-previous" in lab._results._dom_classes  # what is shown is not where the knobs stand
    turned(lab, n=0)
    assert "gl-previous" not in lab._results._dom_classes


def test_rows_equal_searches_and_theory() -> None:
    rows = depth_lab(TicTacToe(), depth=3).run()
    assert [(row["depth"], row["minimax"]) for row in rows] == [(1, 10), (2, 82), (3, 586)]
    assert all(row["alpha-beta"] <= row["minimax"] for row in rows)
    (row,) = seats_lab(TicTacToe(), {"random": random_agent(seed=1)}, games=20).run()
    assert row["X wins"] + row["O wins"] + row["draws"] == pytest.approx(1)
    lab = solver_lab({"nim-sum 0": Nim((1, 2, 3)), "too large": Nim((7, 7, 7))})
    turned(lab, simulations=1000)
    proven, open_ = lab.run()
    assert (proven["proven"], proven["value"], open_["proven"]) == (True, -1, False)
    assert proven["simulations"] < open_["simulations"] == 1000


def test_progress_grows_within_one_search(monkeypatch) -> None:
    monkeypatch.setattr(Poller, "SECONDS_PER_POLL", 0)
    lab, shares = depth_lab(TicTacToe(), depth=3), []
    lab.experiment(**lab.values, progress=lambda share, _: shares.append(share), stop=lambda: False)
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert 0.8 < shares[-1] <= 1


def test_unticked_search_is_not_run() -> None:
    lab = depth_lab(Nim((1, 2)), depth=2)
    turned(lab, minimax=False)
    assert [*lab.run()[0]] == ["depth", "alpha-beta"]
    turned(lab, **{"alpha-beta": False})
    with pytest.raises(ValueError, match="tick a search"):
        lab.run()


def test_single_search_asks_for_growth_by_ply() -> None:
    lab = depth_lab(TicTacToe(), {"minimax": minimax}, depth=2)
    lab.predict.answer(8)
    lab.run()
    assert {*lab.controls} == {"depth"}
    assert "measured: 8.2" in lab.predict._note.value  # 82 nodes after 10


def test_wrong_program_agrees_on_its_error() -> None:
    lab = stability_lab(BLOCK, programs={"right": mcts, "wrong": SteadfastMCTS})
    turned(lab, program="wrong", simulations=2000, runs=20)
    few, *_, many = lab.run()
    assert few["optimal"] > 0.5
    assert (many["agreement"], many["optimal"]) == (1, 0)
    turned(lab, program="right")
    assert lab.run()[-1]["optimal"] == 1


def test_connect_four_lab_uses_opening_book() -> None:
    lab = stability_lab(ConnectFour())
    turned(lab, simulations=100, runs=20)
    *_, row = lab.run()
    assert row["best"] == [3]
    assert row["tree nodes"] == 101
    assert "Value: what a run finds for the player to move" in lab._words.value
    assert row["optimal"] == row["chosen"].get(3, 0) / 20


def test_shared_nodes_need_fewer_simulations() -> None:
    lab = solver_lab(Nim((2, 3, 4)))
    turned(lab, simulations=100_000)
    (tree,) = lab.run()
    turned(lab, share=True)
    (shared,) = lab.run()
    assert tree["proven"]
    assert shared["proven"]
    assert 2 * shared["simulations"] < tree["simulations"]
    assert lab.previous.rows == [tree]


# A run


def test_guess_precedes_run_and_is_compared() -> None:
    lab = depth_lab(TicTacToe(), depth=2)
    lab._run_button.click()
    assert "Guess first" in lab._remark.value
    lab._run_button.click()  # without one
    lab.runner.wait()
    assert lab.rows
    assert lab.predict._note.value == ""  # the table shows what was measured
    lab.predict.answer(3)
    lab._run_button.click()
    lab.runner.wait()
    assert lab.rows
    assert "Your guess: 3; measured: 3.15" in lab.predict._note.value


def test_guess_is_compared_for_its_settings_only() -> None:
    lab = depth_lab({"here": TicTacToe(), "there": Nim((1, 2))}, depth=2)
    lab.predict.answer(3)
    lab.run()
    turned(lab, position="there")
    lab.run()
    assert "was for position here. Guess again" in lab.predict._note.value
    assert "measured" not in lab.predict._note.value
    lab.predict.answer(1)
    lab.run()
    assert "Your guess: 1; measured: " in lab.predict._note.value
    turned(lab, position="here")
    lab.run()
    assert "was for position there" in lab.predict._note.value


def test_lab_can_be_stopped() -> None:
    lab = depth_lab(TicTacToe(5, 5, 4), depth=9)
    lab._begin()
    assert lab.controls["depth"].disabled
    time.sleep(0.05)
    lab._stop_button.click()
    lab.runner.wait()
    assert lab.rows == []
    assert "Stopped" in lab._remark.value
    assert not lab.controls["depth"].disabled


# Machine code


# A game that machine code does not know.
VARIANT = type("Variant", (TicTacToe,), {}).parse(str(BLOCK))


@compiled
def test_depth_lab_counts_equal_without_compiled_search() -> None:
    assert depth_lab(BLOCK, depth=4).run() == depth_lab(VARIANT, depth=4).run()


@compiled
def test_seats_lab_uses_compiled_searches() -> None:
    agents = {
        "minimax": SearchAgent(minimax, quick_wins=True),
        "random": random_agent(1),
        "first": lambda state: state.legal_actions()[0],
    }
    rows = seats_lab(BLOCK, agents, games=20).run()
    assert rows[0]["draws"] == 1
    assert rows[0] == seats_lab(VARIANT, agents, games=20).run()[0]


def test_rollouts_of_other_games_are_left_out() -> None:
    lab = rollouts_lab({"Nim": Nim((2, 3)), "tic-tac-toe": TicTacToe().play(0, 4, 8)})
    turned(lab, simulations=20, runs=20, position="tic-tac-toe")
    assert [row["setting"] for row in lab.run()] == ["random", "take a win"]
    assert lab._image.value


ROWS = "must return rows, a list of dicts"
ODD = [(lambda **_: None, ROWS), (lambda **_: [(1, 2)], ROWS), (lambda **_: 1 / 0, "division")]


@pytest.mark.parametrize(("experiment", "said"), ODD)
def test_failing_experiment_is_reported(experiment, said) -> None:
    lab = Lab("Odd", experiment)
    with pytest.raises((TypeError, ZeroDivisionError), match=said):
        lab.run()
    assert said in lab._remark.value


def test_order_and_table_affect_alpha_beta_only() -> None:
    lab = depth_lab(ConnectFour(), evaluate=open_windows, depth=4)
    (*_, plain) = lab.run()
    turned(lab, order="centre first")
    (*_, middle) = lab.run()
    turned(lab, order="as listed", table=True)
    (*_, table) = lab.run()
    assert plain["minimax"] == middle["minimax"] == table["minimax"]
    assert middle["alpha-beta"] < table["alpha-beta"] < plain["alpha-beta"]


# What repeated MCTS chooses


def test_optimal_actions_are_retried_after_compilation(monkeypatch) -> None:
    answers = [None, {1: ExactValue(0), 2: ExactValue(-1)}]
    monkeypatch.setattr(repeated_mcts, "exact_action_values", lambda state: answers.pop(0))
    repeated_mcts._optimal.cache_clear()
    assert repeated_mcts.optimal(BLOCK) == (1,)


def test_same_seed_gives_same_rows() -> None:
    settings = {"c": {"simulations": 20}}
    assert mcts_choices(BLOCK, settings, seed=3) == mcts_choices(BLOCK, settings, seed=3)
    assert mcts_choices(BLOCK, settings, seed=3) != mcts_choices(BLOCK, settings, seed=4)


@pytest.mark.parametrize("shares", [(1, 1, 1, 1), (1, 1, 1, 1, 0, 0), (3, 1, 1), (9, 1)])
def test_modal_share_interval_covers_true_share(shares) -> None:
    # The Wilson interval of the largest of four equal shares holds it in 811 of these only.
    rng, truth = Random(0), max(shares) / sum(shares)
    arms, interval = range(len(shares)), cache(modal_share_interval)
    tried = [Counter(rng.choices(arms, shares, k=20)).values() for _ in range(1000)]
    ends = [interval(tuple(sorted(counts)), len(shares)) for counts in tried]
    assert sum(low <= truth <= high for low, high in ends) >= 950


def test_modal_share_interval_of_unanimous_runs() -> None:
    (row,) = mcts_choices(BLOCK, {"many": {"simulations": 300}}, runs=10)
    assert row["agreement"] == row["agreement to"] == 1
    assert 0.4 < row["agreement from"] < 0.72  # wider than of one share, 0.72 to 1


# An experiment of one's own

SMALL = Plan("mcts(simulations=6)", "mcts(simulations=3)", games=200, seed=5)


@pytest.fixture
def planned():
    lab = ExperimentLab()
    turned(lab, **vars(SMALL))
    return lab


def test_fair_plan_runs_and_shows_verdict(planned) -> None:
    rows = planned.run()
    assert [row["seat"] for row in rows] == ["all", 0, 1] * 2
    assert rows[0]["share %"] == round(100 * SMALL.run().tally(0).share, 1)
    assert planned.results.verdict.split(" (")[0] in planned._remark.value
    assert planned._image.value


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"better": "mcts(simulations=6, c=0.5)"}, "change one thing only"),
        ({"than": "alphabeta(depth=4)"}, "budgets must be equal"),
        ({"games": 20}, "even number of games"),
        ({"than": "<b>mcts</b>"}, "&lt;b&gt;"),
        ({"game": "TicTacToe(rows=0)"}, "rows"),
        ({"better": ""}, "an agent is written like"),
    ],
)
def test_unfair_plan_shows_problems(planned, entries, words) -> None:
    turned(planned, **entries)
    with pytest.raises(UnfairPlanError):
        planned.run()
    assert words in planned._remark.value
    assert planned.rows == []
    turned(planned, **vars(SMALL))
    assert planned.run()  # it goes on


def test_experiment_lab_compares_guess_with_share(planned) -> None:
    planned.predict.answer(50)
    rows = planned.run()
    assert f"measured: {rows[0]['share %']:g}" in planned.predict._note.value
