"""The budget: every position counts, wherever it comes from, and none but the allowed are made."""

from random import Random

import pytest

from arena.sandbox.counter import Budget, BudgetExceededError
from gamelib import ConnectFour
from gamelib.state import random_playout


def counted(most):
    """Return a budget, and a position of a game of its own that it counts."""

    class Counted(ConnectFour):
        successor = ConnectFour.successor
        playout = ConnectFour.playout

    budget = Budget(most)
    budget.count(Counted)
    return budget, Counted(4, 4, 3)


def test_a_number_of_numpy_costs_one_position_as_others_do():
    numpy = pytest.importorskip("numpy")
    budget, state = counted(3)
    with budget.one_move():
        for action in (0, numpy.int64(1), 2):
            state = state.successor(action)
    assert budget.made == 3


def test_between_moves_there_are_none():
    budget, state = counted(3)
    for _ in range(2):
        with pytest.raises(BudgetExceededError):
            state.successor(0)
        with budget.one_move():
            state.successor(0)


def test_no_limit_is_for_a_while_only():
    budget, state = counted(1)
    with budget.no_limit():
        state.play(0, 1, 2)
    with pytest.raises(BudgetExceededError):
        state.successor(0)


def test_an_error_in_a_move_ends_it():
    budget, state = counted(9)
    with pytest.raises(KeyError), budget.one_move():
        raise KeyError
    with pytest.raises(BudgetExceededError):
        state.successor(0)


def test_playouts_are_the_same_and_count():
    budget, state = counted(10**6)
    with budget.one_move():
        for seed in range(20):
            assert state.playout(Random(seed)) == random_playout(ConnectFour(4, 4, 3), Random(seed))
    assert 20 * 5 <= budget.made <= 20 * 16


def test_classes_that_are_not_counted_are_left_alone():
    counted(0)
    assert ConnectFour().play(0, 1).current_player == 0
