"""The budget of nodes, which counts every position and allows no more."""

from contextlib import suppress
from random import Random

import pytest

from arena.sandbox.node_budget import BudgetExceededError, NodeBudget
from gamelib import ConnectFour
from gamelib.state import random_playout


def counted(most):
    """Return a budget, and a position of a game of its own that it counts."""

    class Counted(ConnectFour):
        successor = ConnectFour.successor
        playout = ConnectFour.playout

    budget = NodeBudget(most)
    budget.instrument(Counted)
    return budget, Counted(4, 4, 3)


def test_no_nodes_are_allowed_between_moves():
    budget, state = counted(3)
    for _ in range(2):
        with pytest.raises(BudgetExceededError):
            state.successor(0)
        with suppress(KeyError), budget.one_move():
            state.successor(0)
            raise KeyError


def test_counted_playouts_are_the_same():
    budget, state = counted(10**6)
    with budget.one_move():
        for seed in range(20):
            assert state.playout(Random(seed)) == random_playout(ConnectFour(4, 4, 3), Random(seed))
    assert 20 * 5 <= budget.generated <= 20 * 16
