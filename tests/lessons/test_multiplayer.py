"""References against theory and the library, and what checks say beyond the table of mutants."""

from itertools import permutations, product

import pytest

from course.lessons.multiplayer import check as exercises
from course.lessons.multiplayer.check import (
    BOARDS,
    TREES,
    check_limited_maxn,
    check_schedule,
    check_sure_value,
    check_tie_rule,
    played_positions,
    sharing_tree,
)
from gamelib import PayoffBounds, TicTacToe, hurt_the_leader, maxn, minimax, paranoid

THREE = TicTacToe(3, 4, 3, num_players=3)


# Positions and trees


def test_played_positions_are_open_different_and_the_same_for_the_same_seed():
    positions = played_positions(THREE, 7, 50)
    assert len(set(positions)) == 50
    assert all(len(state.legal_actions()) == 5 for state in positions)
    assert positions == played_positions(THREE, 7, 50)
    assert positions != played_positions(THREE, 7, 50, seed=1)


def test_more_positions_than_there_are_is_an_error():
    with pytest.raises(ValueError, match="number"):
        played_positions(TicTacToe(), 1, 10)


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_the_players_share_all_coins(num_players):
    tree = sharing_tree(0, num_players, branching=2, depth=3, coins=7)
    leaves = [tree.play(*path).utilities() for path in product((0, 1), repeat=3)]
    assert all(len(leaf) == num_players and sum(leaf) == 7 for leaf in leaves)
    assert all(min(leaf) >= 0 for leaf in leaves)
    assert maxn(tree, prune=PayoffBounds.of_sum(7, least=0, num_players=num_players))


# 1


@pytest.mark.parametrize("state", exercises._states())
def test_the_references_agree_with_the_library(state):
    assert exercises.limited_maxn(state, 99) == maxn(state).utilities
    assert exercises.sure_value(state, state.current_player) == paranoid(state).value


def test_with_two_players_both_references_are_minimax():
    for state in played_positions(TicTacToe(), 4, 20):
        value = minimax(state).value
        assert exercises.limited_maxn(state, 9)[state.current_player] == value
        assert exercises.sure_value(state, state.current_player) == value


def test_a_number_is_no_vector():
    assert "must return tuple" in check_limited_maxn(lambda state, depth: 0).message


# 2


# 3


@pytest.mark.parametrize(
    ("test", "words"),
    [
        (lambda rule: True, "says True for a wrong rule"),
        (lambda rule: False, "says False for a right rule"),
        (lambda rule: rule((0, 1, 2), 0) > rule((0, 3, 0), 0), "says True for a wrong rule"),
        (lambda rule: rule(0), "raised TypeError"),
        (lambda rule: None, "returned None"),
    ],
)
def test_a_weak_test_is_told_so(test, words):
    feedback = check_tie_rule(hurt_the_leader, test)
    assert not feedback
    assert words in feedback.message


def test_a_leader_who_has_as_much_as_the_mover_still_counts():
    def by_payoff(vector, mover):
        return -max([payoff for payoff in vector if payoff != vector[mover]] or [vector[mover]])

    assert "by number, not by payoff" in check_tie_rule(by_payoff, exercises.tie_test).message

    def blind(rule):
        """Tell all wrong rules from the right one but this."""
        return (
            rule((9, 4, 4), 0) > rule((9, 6, 1), 0)
            and rule((3, 5, 8), 1) > rule((9, 5, 0), 1)
            and rule((5, 2, 9), 2) == rule((1, 5, 9), 2)
        )

    message = check_tie_rule(hurt_the_leader, blind).message
    assert "says True for a wrong rule. What is wrong with it: Leave out the mover" in message


# 4


def rotations(agents):
    return [(*agents[turn:], *agents[:turn]) for turn in range(len(agents))]


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        (lambda agents: [tuple(agents)], "A has seat 0 in 1 games, but A has seat 1 in 0"),
        (rotations, "moves right after"),
        (lambda agents: list(product(agents, repeat=len(agents))), "each agent has one seat"),
        (lambda agents: list(permutations(agents))[1:], "has seat"),
        (lambda agents: [], "no game"),
        (lambda agents: agents, "each agent has one seat"),
        (lambda agents: None, "returned None"),
    ],
)
def test_an_unfair_schedule_is_told_why(schedule, words):
    feedback = check_schedule(schedule)
    assert not feedback
    assert words in feedback.message


# All


def blank(*args):
    raise NotImplementedError


@pytest.mark.parametrize(
    "feedback",
    [
        check_limited_maxn(blank),
        check_sure_value(blank),
        check_tie_rule(blank, blank),
        check_tie_rule(hurt_the_leader, blank),
        check_schedule(blank),
    ],
)
def test_a_blank_exercise_is_said_to_be_blank(feedback):
    assert not feedback
    assert "not written yet" in feedback.message


@pytest.mark.parametrize("board", BOARDS)
def test_the_boards_are_of_three_players_with_few_cells_left(board):
    state = TicTacToe.parse(board, num_players=3)
    assert len(state.legal_actions()) == 3


def test_the_trees_have_two_and_three_players():
    assert {tree.num_players for tree in TREES} == {2, 3}
