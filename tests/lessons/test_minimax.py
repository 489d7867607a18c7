"""References against theory and the library, and what checks say beyond the table of mutants."""

import pytest

from course.lessons.minimax import check as exercises
from course.lessons.minimax.check import check_horizon, check_negamax
from gamelib import GameTree, TicTacToe, minimax


@pytest.mark.parametrize("tree", exercises.TREES)
def test_the_references_agree_with_the_library(tree):
    value = minimax(tree).value
    assert exercises.limited_minimax(tree, 0, 9) == value
    assert exercises.negamax_value(tree) == value


def test_an_unknown_mistake_shows_the_case_without_a_hint():
    feedback = check_negamax(lambda state: 7)
    assert "got 7" in feedback.message
    assert feedback.state is not None


@pytest.mark.parametrize(
    ("state", "depth", "words"),
    [
        (TicTacToe(), 1, "that is optimal"),
        (TicTacToe().play(0), 5, "the position of section 7"),
        (TicTacToe().play(8), 6, "that is optimal"),
        (TicTacToe().play(0, 3, 1, 4, 2), 1, "this game is over"),
        (TicTacToe().play(0), 0, "depth must be"),
        (GameTree([1, 2]), 1, "give a tic-tac-toe position"),
        (TicTacToe(5, 5), 1, "at most 9 cells"),
    ],
)
def test_no_horizon_is_seen_where_there_is_none(state, depth, words):
    feedback = check_horizon(state, depth)
    assert not feedback
    assert words in feedback.message
