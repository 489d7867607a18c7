import random
from collections import Counter

import pytest
from hypothesis import given
from random_trees import positions_of, reachable

from gamelib import (
    ConnectFour,
    GameTree,
    Nim,
    Stats,
    TicTacToe,
    lookahead,
    random_choice,
    safe_actions,
    two_step_wins,
    winning_actions,
)

STARTS = [
    TicTacToe(),
    TicTacToe(3, 3, 3, 3),
    TicTacToe(2, 3, 2, 3),
    TicTacToe(4, 4, 3),
    Nim((1, 2, 3)),
    Nim((2, 3), misere=True),
    Nim((2, 2), num_players=3),
    ConnectFour(4, 4, 3),
]


def wins_within(state, player, plies):
    """Return whether `player` wins against all others within this number of plies."""
    if state.is_terminal():
        return state.utility(player) > 0
    if plies == 0:
        return False
    children = [wins_within(state.successor(a), player, plies - 1) for a in state.legal_actions()]
    return any(children) if state.current_player == player else all(children)


# Random choice


def test_random_choice_is_legal_and_uniform():
    rng = random.Random(5)
    chosen = Counter(random_choice(TicTacToe().play(4), rng=rng).action for _ in range(8000))
    assert set(chosen) == {0, 1, 2, 3, 5, 6, 7, 8}
    assert max(abs(count - 1000) for count in chosen.values()) < 150  # five standard deviations


@pytest.mark.parametrize("search", [random_choice, lookahead])
def test_same_seed_gives_same_choice(search):
    assert search(TicTacToe(), rng=7) == search(TicTacToe(), rng=random.Random(7))


@pytest.mark.parametrize("search", [random_choice, lookahead])
@pytest.mark.parametrize("rng", ["7", 1.5, True, random])
def test_invalid_rng_raises(search, rng):
    with pytest.raises(TypeError, match=r"rng .*random\.Random"):
        search(TicTacToe(), rng=rng)


# What can be forced


@pytest.mark.parametrize(
    ("board", "wins"), [("XX./OO./...", (2,)), ("XX./X../.OO", (2, 6)), ("X../.O./...", ())]
)
def test_winning_actions_are_known(board, wins):
    assert winning_actions(TicTacToe.parse(board, current_player=0)) == wins


def test_two_step_wins_end_within_three_plies():
    for state in reachable(TicTacToe()):
        plies = [
            action
            for action in state.legal_actions()
            if wins_within(state.successor(action), state.current_player, 2)
        ]
        assert two_step_wins(state) == tuple(plies)


@given(positions_of(STARTS, most_plies=7))
def test_safe_actions_allow_no_immediate_win(state):
    for action in state.legal_actions():
        child = state.successor(action)
        # The others need at most one round: none of them moves twice before it is over.
        others = [p for p in range(state.num_players) if p != state.current_player]
        given_away = any(
            wins_within(child, player, 1 + others_before(child, player)) for player in others
        )
        assert (action in safe_actions(state)) is not given_away


def others_before(state, player):
    """Return how many plies there are before `player` moves, in a game of fixed turns."""
    return (player - state.current_player) % state.num_players


def test_safe_actions_consider_a_third_player():
    double = TicTacToe.parse(".AA./..../XXOO/....", k=3, num_players=3, current_player=0)
    assert safe_actions(double) == (0, 3)  # O can stop one end, so X has to stop the other


# The look-ahead


def test_lookahead_follows_its_rules_in_order():
    for state in reachable(TicTacToe()):
        action = lookahead(state, rng=1).action
        if wins := winning_actions(state) or two_step_wins(state):
            assert action == wins[0]
        else:
            assert action in (safe_actions(state) or state.legal_actions())


def test_remaining_actions_are_chosen_at_random():
    rng = random.Random(1)
    chosen = {lookahead(TicTacToe(), rng=rng).action for _ in range(200)}
    assert chosen == set(range(9))


def test_nodes_count_visited_states():
    # The root; three children for "a win", and that is all: the third one wins.
    assert lookahead(GameTree([[1], [1], 1])).stats == Stats(nodes=4)
