import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import reachable

from gamelib import GameTree, TicTacToe, best_reply, minimax, paranoid

# A round: player 0 has one action, then 1 and 2 have two each.
ROUND = GameTree([[[(4, 0, 0), (3, 0, 0)], [(2, 0, 0), (1, 0, 0)]]])


def levels(count, payoffs):
    """Trees of this number of levels, with some leaves above the lowest."""
    if count == 0:
        return payoffs
    return st.lists(levels(count - 1, payoffs) | payoffs, min_size=1, max_size=3)


def games(num_players):
    payoffs = st.tuples(*[st.integers(-3, 3)] * num_players)
    return st.lists(levels(5, payoffs), min_size=1, max_size=3).map(GameTree)


def by_definition(state, me, free):
    """The value for `me` if in each round one opponent is free and the others play action 0."""
    if state.is_terminal():
        return state.utility(me)
    mover, actions = state.current_player, state.legal_actions()
    if mover == me:
        return max(
            min(
                by_definition(state.successor(a), me, opponent)
                for opponent in range(state.num_players)
            )
            for a in actions
        )
    choices = actions if mover == free else actions[:1]
    return min(by_definition(state.successor(a), me, free) for a in choices)


def test_other_opponents_play_first_ordered_action():
    assert best_reply(ROUND, order=lambda state, actions: actions[::-1]).value == 1


@settings(max_examples=100)
@given(games(3) | games(4))
def test_values_equal_a_naive_best_reply_search(state):
    assert best_reply(state).value == by_definition(state, 0, None)


@given(
    st.lists(st.integers(0, 1), min_size=1, max_size=5),
    st.lists(levels(5, st.integers(-3, 3)), min_size=1, max_size=3),
)
def test_two_players_moving_twice_equal_minimax(players, tree):
    state = GameTree(tree, players=players)
    assert best_reply(state, prune=False).values == minimax(state).values
    assert best_reply(state).value == minimax(state).value


@settings(max_examples=100)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=5), games(3))
def test_replying_opponent_may_move_twice(players, game):
    state = GameTree.parse(str(game), players=players)
    assert best_reply(state).value == by_definition(state, state.current_player, None)


def test_pruning_keeps_value_and_action():
    for state in random.Random(0).sample(reachable(TicTacToe(num_players=3)), 300):
        full, cut = best_reply(state, prune=False), best_reply(state)
        assert (full.action, full.value) == (cut.action, cut.value)
        assert full.value >= paranoid(state).value


def test_heuristic_gets_positions_of_the_original_game():
    def centre(state, player):
        return 0.5 if state.cell(1, 1) == player else 0

    state = TicTacToe(num_players=3)
    assert best_reply(state, depth=1, evaluate=centre).action == 4
    assert minimax(TicTacToe(), depth=1, evaluate=centre).action == 4


def test_order_missing_an_action_raises():
    with pytest.raises(ValueError, match="each of the actions"):
        best_reply(ROUND, order=lambda state, actions: actions[:1])
