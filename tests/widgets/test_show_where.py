"""Show me where: a stepper that opens at the first wrong call of a program."""

from math import inf

import pytest

from course import show_where
from course.exercises.mistakes import with_edits
from course.lessons.alpha_beta import check, check_cuts, reference
from course.lessons.chance import check as chance
from course.lessons.chance.lab_programs import careless_value
from course.lessons.minimax import check as minimax
from course.widgets.show_where import FeedbackWithStepper, describe_wrong_call
from course.widgets.stepper import SearchStepper
from gamelib import GameTree, centre_first

VIEW = "application/vnd.jupyter.widget-view+json"


def without_sign(state, alpha=-inf, beta=inf):
    """Alpha-beta as negamax that forgets to change the sign of a child's value."""
    if state.is_terminal():
        return state.utility(state.current_player)
    best = -inf
    for action in state.legal_actions():
        best = max(best, without_sign(state.successor(action), -beta, -max(alpha, best)))
        if best >= beta:
            break
    return best


def always_max(state, player):
    if state.is_terminal():
        return state.utility(player)
    return max(always_max(state.successor(action), player) for action in state.legal_actions())


def test_stepper_opens_at_first_wrong_return():
    shown = FeedbackWithStepper(minimax.check_my_value(always_max))
    assert shown.stepper is None
    shown.show()
    assert str(shown.stepper.trace.state) == "[0 1]"
    assert (
        describe_wrong_call(shown.wrong_call)
        == "The first wrong answer: the root returns 0, and -1 is right."
    )
    frame = shown.stepper.timeline[shown.stepper.step]
    assert frame.focus == ()
    assert {frame.node(path).status for path in ((), (0,), (1,))} == {"done"}


def test_second_click_on_show_me_changes_nothing():
    shown = FeedbackWithStepper(check.check_cut_negamax(without_sign))
    shown.show()
    before = shown.children
    shown.show()
    assert shown.children == before
    assert isinstance(before[-1], SearchStepper)


@pytest.mark.parametrize("mistake", check_cuts.CUT.mistakes().values())
def test_calls_before_first_wrong_one_are_right(mistake):
    shown = FeedbackWithStepper(check.check_cut_negamax(mistake))
    shown.show()
    spot, (state, alpha, beta) = shown.wrong_call, shown.feedback.wrong_answer.arguments
    assert spot.correct is not None
    assert spot.returned != spot.correct
    if not spot.path:
        assert not check_cuts.is_bound(spot.returned, check_cuts.exact(state), alpha, beta)


def test_alphabeta_line_is_judged_for_its_player():
    cut_always = with_edits(reference.my_alphabeta, ("beta <= alpha", "True"))
    shown = FeedbackWithStepper(check.check_my_alphabeta(cut_always))
    wrong = shown.feedback.wrong_answer
    assert wrong.arguments[1] == wrong.arguments[0].current_player
    shown.show()
    assert describe_wrong_call(shown.wrong_call).endswith("node 0 returns 0, and -1 is right.")


def test_only_wrong_answers_have_show_me_button():
    feedback = check.check_cut_negamax(without_sign)
    data, _ = feedback._repr_mimebundle_()
    assert list(data) == [VIEW]
    for other in (
        check.check_cut_negamax(reference.cut_negamax),
        check.check_order(lambda state, actions: list(actions)),
        check.check_order(centre_first),
    ):
        assert other._repr_mimebundle_()[0] == {}


def test_program_without_wrong_calls_opens_at_beginning():
    calls = []

    def forgets(state, player):  # right when it is asked again
        calls.append(state)
        return 99 if len(calls) < 500 else chance.exact_value(state, player)

    shown = FeedbackWithStepper(minimax.check_my_value(forgets))
    calls += [None] * 500
    shown.show()
    assert describe_wrong_call(shown.wrong_call).startswith("No call of it is wrong")
    assert shown.stepper.step == 0


def test_show_where_opens_lab_program_at_difference():
    tree = GameTree.parse("1 {0.5: [0 -8] 0.5: 8}")
    shown = show_where(careless_value, tree, 0)
    assert str(shown.stepper.trace.state) == "[0 {0.5: [0 -1] 0.5: 1}]"
    assert describe_wrong_call(shown.wrong_call).endswith("node 1 returns 0.5, and 0 is right.")
    assert shown.stepper.timeline[shown.stepper.step].focus == shown.wrong_call.path


def test_show_where_without_repair_raises():
    with pytest.raises(ValueError, match="remembered_value"):
        show_where(always_max, GameTree([1]), 0)
