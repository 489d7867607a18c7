"""Show me where: a stepper that opens at the first wrong call of a program."""

from math import inf

import pytest

from course import show_where
from course.exercises.answer_key import use_seed
from course.exercises.mistakes import with_edits
from course.lessons.alpha_beta import check, check_cuts, reference
from course.lessons.chance import check as chance
from course.lessons.chance.lab_programs import careless_value
from course.lessons.mcts import check as mcts_check
from course.lessons.minimax import check as minimax
from course.lessons.solver import check as solver
from course.tracing import record
from course.widgets.show_where import FeedbackWithStepper, describe_wrong_call
from course.widgets.stepper import SearchStepper
from gamelib import GameTree, alphabeta, centre_first

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


@pytest.fixture
def few_questions(monkeypatch):
    """Ask a fifth of the questions about cuts, which are enough to find a wrong answer.

    Questions are remembered by their seed, so these have a seed of their own.
    """
    states = check_cuts._states
    monkeypatch.setattr(check_cuts, "_states", lambda rng: states(rng)[::5])
    with use_seed("few questions"):
        yield


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


@pytest.mark.usefixtures("few_questions")
def test_second_click_on_show_me_changes_nothing():
    shown = FeedbackWithStepper(check.check_cut_negamax(without_sign))
    shown.show()
    before = shown.children
    shown.show()
    assert shown.children == before
    assert isinstance(before[-1], SearchStepper)


@pytest.mark.usefixtures("few_questions")
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


@pytest.mark.usefixtures("few_questions")
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
    assert shown.wrong_call is None
    assert shown.stepper.step == 0


def test_show_where_opens_lab_program_at_difference():
    tree = GameTree.parse("1 {0.5: [0 -8] 0.5: 8}")
    shown = show_where(careless_value, tree, 0)
    assert str(shown.stepper.trace.state) == "[0 {0.5: [0 -1] 0.5: 1}]"
    assert describe_wrong_call(shown.wrong_call).endswith("node 1 returns 0.5, and 0 is right.")
    assert shown.stepper.timeline[shown.stepper.step].focus == shown.wrong_call.path


def first_heap(heaps):
    return 0, 1


def one_stone(heaps):
    return next((heap, 1) for heap, size in enumerate(heaps) if size)


def even_sum(heaps):
    odd = sum(heaps) % 2
    return next(((heap, size - odd) for heap, size in enumerate(heaps) if size > odd), (0, 1))


def largest_heap(heaps):
    return heaps.index(max(heaps)), max(heaps)


def stones_left(heaps):
    total = 0
    for size in heaps:
        total ^= size
    return next((heap, size ^ total) for heap, size in enumerate(heaps) if size ^ total < size)


def wrong_programs():
    """Yield checks of notebooks 03, 04 and 05, each with five wrong programs."""
    keys = {
        check.check_table_negamax: check.TABLE,
        check.check_at_least: check.LEAST,
        mcts_check.check_backpropagate: mcts_check.BACKUP,
        mcts_check.check_select_and_expand: mcts_check.check_select_and_expand.key,
        mcts_check.check_rewards_along: mcts_check.check_rewards_along.key,
    }
    for asked, key in keys.items():
        for number, mistake in enumerate([*key.mistakes().values()][:5]):
            yield pytest.param(asked, mistake, id=f"{asked.__name__}-{number}")
    for program in (first_heap, one_stone, even_sum, largest_heap, stones_left):
        yield pytest.param(solver.check_nim_move, program, id=program.__name__)


@pytest.mark.parametrize(("asked", "program"), [*wrong_programs()])
def test_stepper_opens_where_program_ends_wrong(asked, program):
    shown = FeedbackWithStepper(asked(program))
    shown.show()
    stepper, spot = shown.stepper, shown.wrong_call
    frame = stepper.timeline[stepper.step]
    path = spot.path if spot else ()
    assert frame.focus == path
    assert frame.node(path).status == "done" or frame.is_last
    if spot is None:
        assert "only its lines are shown" in stepper.scene.narration
        assert len(stepper.timeline) == len(stepper.trace)


@pytest.mark.usefixtures("few_questions")
@pytest.mark.parametrize("number", range(5))
def test_stepper_opens_at_node_without_need(number):
    mistake = [*check_cuts.CUT_PATHS.mistakes().values()][number]
    shown = FeedbackWithStepper(check.check_cut_negamax(mistake))
    shown.show()
    stepper = shown.stepper
    assert stepper.timeline[stepper.step].focus == shown.feedback.wrong_answer.node
    usual = [visit.path for visit in record(alphabeta, stepper.trace.state).visits]
    earlier = [visit.path for visit in stepper.trace.visits]
    earlier = earlier[: earlier.index(shown.feedback.wrong_answer.node)]
    assert shown.feedback.wrong_answer.node not in usual
    assert {*earlier} <= {*usual}


def test_show_where_without_repair_raises():
    with pytest.raises(ValueError, match="remembered_value"):
        show_where(always_max, GameTree([1]), 0)
