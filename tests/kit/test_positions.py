from collections import Counter

import pytest

from course.kit.positions import exact_values, open_positions, optimal_actions, reachable_positions
from gamelib import GameTree, Nim, TicTacToe, solve


def test_each_position_of_tic_tac_toe_once():
    positions = reachable_positions(TicTacToe())
    assert len(positions) == len(set(positions)) == 5478


def test_the_order_is_by_ply_and_then_by_actions():
    start = TicTacToe()
    assert reachable_positions(start)[:3] == (start, start.play(0), start.play(1))


def test_4520_positions_are_open():
    values = exact_values(TicTacToe())
    counts = Counter(values[state] for state in open_positions(TicTacToe()))
    assert counts == {1: 2836, 0: 1052, -1: 632}


def test_values_are_for_the_player_to_move():
    state = Nim((3, 4, 5))
    values = exact_values(state)
    assert all(values[s] == (1 if s.heaps[0] ^ s.heaps[1] ^ s.heaps[2] else -1) for s in values)


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
    with pytest.raises(ValueError, match="two players; got 3"):
        exact_values(TicTacToe(num_players=3))
