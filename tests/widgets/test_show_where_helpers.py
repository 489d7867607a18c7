"""Show me where: a program with helpers is judged at all its nodes."""

from math import inf

from course.lessons.minimax import check
from course.widgets.show_where import FeedbackWithStepper, describe_wrong_call


def minimax(state, player):
    """The classic with two functions, which maximizes twice at the top."""
    if state.is_terminal():
        return state.utility(player)
    if state.current_player != player:
        return min(max_value(state.successor(a), player) for a in state.legal_actions())
    return max(max_value(state.successor(a), player) for a in state.legal_actions())


def max_value(state, player):
    if state.is_terminal():
        return state.utility(player)
    return max(min_value(state.successor(a), player) for a in state.legal_actions())


def min_value(state, player):
    if state.is_terminal():
        return state.utility(player)
    return min(max_value(state.successor(a), player) for a in state.legal_actions())


def with_cuts(state, player):
    if state.is_terminal():
        return state.utility(player)
    return best(state, player, -inf, inf)


def best(state, player, alpha, beta):
    """Alpha-beta whose cut at min is the wrong way round."""
    if state.is_terminal():
        return state.utility(player)
    mine = state.current_player == player
    value = -inf if mine else inf
    for action in state.legal_actions():
        child = best(state.successor(action), player, alpha, beta)
        value = max(value, child) if mine else min(value, child)
        if (value >= beta) if mine else (value >= alpha > -inf):
            return value
        alpha, beta = (max(alpha, value), beta) if mine else (alpha, min(beta, value))
    return value


def test_first_wrong_answer_may_be_in_helper():
    shown = FeedbackWithStepper(check.check_my_value(minimax))
    shown.show()
    assert str(shown.stepper.trace.state) == "[[0 1]]"
    assert (
        describe_wrong_call(shown.wrong_call)
        == "The first wrong answer: node 0 returns 1, and 0 is right."
    )


def test_bound_for_window_is_not_wrong():
    shown = FeedbackWithStepper(check.check_my_value(with_cuts))
    shown.show()
    assert len(shown.wrong_call.path) == 1
    assert describe_wrong_call(shown.wrong_call).startswith("The first wrong answer: node ")


def test_wrong_call_names_function_if_others_unjudged():
    def value(state, player):
        return -hidden(state, player)[0]

    def hidden(state, player):
        if state.is_terminal():
            return (state.utility(player),)
        below = [hidden(state.successor(a), player)[0] for a in state.legal_actions()]
        return (max(below) if state.current_player == player else min(below),)

    shown = FeedbackWithStepper(check.check_my_value(value))
    shown.show()
    assert describe_wrong_call(shown.wrong_call).startswith("The first wrong answer of value: ")
