"""A position that counts visits answers as the one it stands for."""

import pytest

from course.exercises.visit_counter import VisitCounter
from gamelib import GameTree, TicTacToe, solve
from gamelib.games import ConnectFour
from tests.messages import names

POSITIONS = [GameTree([[3, 12], [2, 4]]), TicTacToe().play(0, 4, 8), ConnectFour(4, 4, 3)]


@pytest.mark.parametrize("state", POSITIONS, ids=repr)
def test_solver_accepts_visit_counter(state) -> None:
    assert solve(VisitCounter(state).root).values == solve(state).values


@pytest.mark.parametrize("state", [TicTacToe, 3])
def test_visit_counter_of_no_position_raises(state) -> None:
    with pytest.raises(TypeError, match=names("state must be a position")):
        VisitCounter(state)
