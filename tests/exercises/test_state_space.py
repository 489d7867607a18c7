from collections import Counter

import pytest

from course.exercises.state_space import (
    exact_values,
    open_positions,
    optimal_actions,
    paper_position,
    paper_positions,
    reachable_positions,
)
from gamelib import GameTree, TicTacToe, minimax, solve, winning_actions
from tests.messages import names


def test_each_position_of_tic_tac_toe_once_by_ply_and_then_by_actions():
    start = TicTacToe()
    positions = reachable_positions(start)
    assert len(positions) == len(set(positions)) == 5478
    assert positions[:3] == (start, start.play(0), start.play(1))


def test_4520_positions_are_open():
    values = exact_values(TicTacToe())
    counts = Counter(values[state] for state in open_positions(TicTacToe()))
    assert counts == {1: 2836, 0: 1052, -1: 632}


def test_values_where_a_player_moves_twice():
    tree = GameTree([[3, -9], [-10, 6]], players=(0, 0))
    values = exact_values(tree)
    assert values[tree] == 6
    assert optimal_actions(tree, values) == (1,)


@pytest.mark.parametrize("cell", range(9))
def test_optimal_replies_are_those_of_the_solver(cell):
    state = TicTacToe().play(cell)
    best = solve(state)
    keeping = [action for action, bound in best.values.items() if bound.value == best.value]
    assert optimal_actions(state, exact_values(TicTacToe())) == tuple(sorted(keeping))


def test_three_players_have_no_single_value():
    with pytest.raises(ValueError, match=names("two players; got 3")):
        exact_values(TicTacToe(num_players=3))


# Positions for paper, one a student


@pytest.mark.parametrize("number", range(0, 148, 7))
def test_each_is_as_hard_as_the_others(number):
    position = paper_position(number)
    result = minimax(position)
    assert result.stats.nodes == 14
    assert len(result.best_actions) == 1
    assert not winning_actions(position)


def test_neither_a_win_nor_a_draw_is_the_answer_of_all():
    assert Counter(minimax(position).value for position in paper_positions()) == {0: 116, 1: 32}


@pytest.mark.parametrize("number", [-1, 1.5, "3", True])
def test_a_number_that_is_none_is_refused(number):
    with pytest.raises(ValueError, match=names("number must be")):
        paper_position(number)
