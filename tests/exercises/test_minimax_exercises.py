"""Every check passes its reference and answers each known mistake with that mistake's hint."""

import pytest

from gamelib import GameTree, TicTacToe, minimax
from gamelib.exercises import minimax as exercises
from gamelib.exercises.minimax import (
    LIMITED_MISTAKES,
    NEGAMAX_MISTAKES,
    check_heuristic,
    check_horizon,
    check_limited_minimax,
    check_negamax,
)


def test_the_reference_with_a_depth_limit_passes():
    assert check_limited_minimax(exercises.limited_minimax)


@pytest.mark.parametrize("hint", LIMITED_MISTAKES)
def test_each_mistake_with_a_depth_limit_gets_its_hint(hint):
    feedback = check_limited_minimax(LIMITED_MISTAKES[hint])
    assert not feedback
    assert hint in feedback.message


def test_the_reference_negamax_passes():
    assert check_negamax(exercises.negamax_value)


@pytest.mark.parametrize("hint", NEGAMAX_MISTAKES)
def test_each_mistake_in_negamax_gets_its_hint(hint):
    feedback = check_negamax(NEGAMAX_MISTAKES[hint])
    assert not feedback
    assert hint in feedback.message


@pytest.mark.parametrize("tree", exercises.TREES)
def test_the_references_agree_with_the_library(tree):
    value = minimax(tree).value
    assert exercises.limited_minimax(tree, 0, 9) == value
    assert exercises.negamax_value(tree) == value


def test_an_unknown_mistake_shows_the_case_without_a_hint():
    feedback = check_negamax(lambda state: 7)
    assert "got 7" in feedback.message
    assert feedback.state is not None


def raising(state):
    return {}[state]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (raising, "raising raised KeyError"),
        (lambda state: None, "Is a `return` missing?"),
        (lambda state: "win", "must return int or float"),
        (lambda state: True, "must return int or float"),
        (lambda: 1, "TypeError"),
    ],
)
def test_a_function_that_cannot_be_marked_gets_a_sentence(function, words):
    assert words in check_negamax(function).message


def test_a_blank_exercise_is_said_to_be_blank():
    def negamax_value(state):
        raise NotImplementedError

    assert "not written yet" in check_negamax(negamax_value).message


def lines(state, player):
    rows = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    owners = [{state.cell(*divmod(cell, 3)) for cell in row} for row in rows]
    return sum((1 - player not in row) - (player not in row) for row in owners) / 10


def test_open_lines_is_a_good_heuristic():
    assert check_heuristic(lines)


@pytest.mark.parametrize(
    ("heuristic", "words"),
    [
        (lambda state, player: 10 * lines(state, player), "outside (-1, 1)"),
        (lambda state, player: 0.1, "must sum to 0"),
        (lambda state, player: 0.0, "no higher value"),
        (lambda state, player: float("nan"), "which is no number"),
        (lambda state, player: None, "returned None"),
    ],
)
def test_a_bad_heuristic_is_told_why(heuristic, words):
    assert words in check_heuristic(heuristic).message


def test_the_answer_to_another_corner_is_beyond_a_short_horizon():
    assert check_horizon(TicTacToe().play(8), depth=5)


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
