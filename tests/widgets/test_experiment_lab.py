import pytest

from course import ExperimentLab
from course.lessons.experiments.check import Plan, UnfairPlanError
from tests.widgets.conftest import turned

SMALL = Plan("mcts(simulations=6)", "mcts(simulations=3)", games=200, seed=5)


def planned():
    lab = ExperimentLab()
    turned(lab, **vars(SMALL))
    return lab


def test_a_fair_plan_is_run_and_shown_with_its_verdict() -> None:
    lab = planned()
    rows = lab.run()
    assert [row["seat"] for row in rows] == ["all", 0, 1] * 2
    assert rows[0]["share %"] == round(100 * SMALL.run().tally(0).share, 1)
    assert lab.results.verdict.split(" (")[0] in lab._remark.value
    assert lab._image.value


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
def test_a_plan_that_is_not_fair_is_refused_with_the_reason(entries, words) -> None:
    lab = planned()
    turned(lab, **entries)
    with pytest.raises(UnfairPlanError):
        lab.run()
    assert words in lab._remark.value
    assert lab.rows == []
    turned(lab, **vars(SMALL))
    assert lab.run()  # it goes on


def test_a_guess_is_compared_with_the_share_of_the_first_agent() -> None:
    lab = planned()
    lab.predict.answer(50)
    rows = lab.run()
    assert f"measured: {rows[0]['share %']:g}" in lab.predict._note.value
