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


def test_reachable_positions_unique_and_ordered_by_ply():
    start = TicTacToe()
    positions = reachable_positions(start)
    assert len(positions) == len(set(positions)) == 5478
    assert positions[:3] == (start, start.play(0), start.play(1))


def test_tic_tac_toe_has_4520_open_positions():
    values = exact_values(TicTacToe())
    counts = Counter(values[state] for state in open_positions(TicTacToe()))
    assert counts == {1: 2836, 0: 1052, -1: 632}


def test_exact_values_if_a_player_moves_twice():
    tree = GameTree([[3, -9], [-10, 6]], players=(0, 0))
    values = exact_values(tree)
    assert values[tree] == 6
    assert optimal_actions(tree, values) == (1,)


@pytest.mark.parametrize("cell", range(9))
def test_optimal_actions_equal_those_of_solver(cell):
    state = TicTacToe().play(cell)
    best = solve(state)
    keeping = [action for action, bound in best.values.items() if bound.value == best.value]
    assert optimal_actions(state, exact_values(TicTacToe())) == tuple(sorted(keeping))


def test_exact_values_of_three_players_raises():
    with pytest.raises(ValueError, match=names("two players; got 3")):
        exact_values(TicTacToe(num_players=3))


# Positions for paper, one a student


@pytest.mark.parametrize("number", range(0, 148, 7))
def test_paper_positions_are_equally_hard(number):
    position = paper_position(number)
    result = minimax(position)
    assert result.stats.nodes == 14
    assert len(result.best_actions) == 1
    assert not winning_actions(position)


def test_paper_positions_include_wins_and_draws():
    assert Counter(minimax(position).value for position in paper_positions()) == {0: 116, 1: 32}


@pytest.mark.parametrize("number", [-1, 1.5, "3", True])
def test_paper_position_of_invalid_number_raises(number):
    with pytest.raises(ValueError, match=names("number must be")):
        paper_position(number)
