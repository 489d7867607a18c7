from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import check_claims, games_of_three, security_value

from gamelib import TicTacToe, maxn, paranoid


def first_best_line(state, me):
    """The line in which everyone takes the first of their best actions."""
    if state.is_terminal():
        return ()
    choose = max if state.current_player == me else min
    action = choose(
        state.legal_actions(), key=lambda action: security_value(state.successor(action), me)
    )
    return action, *first_best_line(state.successor(action), me)


def test_unpruned_paranoid_visits_maxn_nodes():
    state = TicTacToe(num_players=3).play(4)
    assert paranoid(state, prune=False).stats == maxn(state).stats


# Agreement


@settings(max_examples=150)
@given(games_of_three(st.tuples(*[st.integers(-2, 2)] * 3)))
def test_pruning_keeps_value_and_action(state):
    full, cut = paranoid(state, prune=False), paranoid(state)
    assert full.value == security_value(state, state.current_player)
    assert (cut.action, cut.value) == (full.action, full.value)
    assert cut.stats.nodes <= full.stats.nodes
    assert cut.line == full.line == first_best_line(state, state.current_player)
    check_claims(cut, full)


# Limits, stops


def test_only_root_player_is_estimated():
    asked = []

    def curious(state, player):
        asked.append(player)
        return 0.5 if state.cell(1, 1) == player else 0

    result = paranoid(TicTacToe(num_players=3), depth=1, evaluate=curious)
    assert (result.action, result.value) == (4, 0.5)
    assert set(asked) == {0}
