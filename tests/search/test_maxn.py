import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import check_claims, games_of_three

from gamelib import Bound, GameTree, Nim, PayoffBounds, TicTacToe, hurt_the_leader, maxn, minimax

DIFFERENT = GameTree.parse("[(6 5 0)(0 4 6)] [(3 2 5)(2 1 7)]")
OUTCOMES = [(1, -1, -1), (-1, 1, -1), (-1, -1, 1), (0, 0, 0)]


small_payoffs = st.tuples(*[st.integers(-2, 2)] * 3)
results = st.sampled_from(OUTCOMES)


def backed_up(state):
    """MaxN in three lines: the first of the best vectors."""
    if state.is_terminal():
        return state.utilities()
    mover = state.current_player
    return max(
        (backed_up(state.successor(a)) for a in state.legal_actions()), key=lambda v: v[mover]
    )


def favour(player):
    """Return a tie rule: what is best for one player."""
    return lambda payoffs, mover: payoffs[player]


# Two players


def test_two_players_equal_minimax():
    state = TicTacToe().play(0)
    two, many = minimax(state), maxn(state)
    assert (many.action, many.values, many.line) == (two.action, two.values, two.line)
    assert many.stats == two.stats
    assert many.utilities == two.utilities


# Ties


@given(games_of_three(small_payoffs))
def test_ties_go_to_the_first_action(state):
    result, after = maxn(state), map(state.successor, state.legal_actions())
    assert result.utilities == backed_up(state)
    assert [*result.vectors.values()] == [*map(backed_up, after)]


@pytest.mark.parametrize(("rule", "payoffs"), [(favour(1), (-1, 1, -1)), (favour(2), (-1, -1, 1))])
def test_losing_player_chooses_the_winner(rule, payoffs):
    assert maxn(Nim((1, 2), num_players=3), ties=rule).utilities == payoffs


def test_tie_rule_applies_to_all_players():
    state = GameTree.parse("[(1 5 0)(0 5 9)] [(0 6 0)]")
    assert maxn(state).action == 0
    assert maxn(state, ties=favour(2)).utilities == (0, 5, 9)


def test_hurt_the_leader_lowers_best_opponent():
    state = GameTree.parse("(1 9 0) (1 4 5) (1 0 9)")
    assert maxn(state, ties=hurt_the_leader).action == 1


# Pruning


def assert_the_same(state, prune=True):
    full, cut = maxn(state), maxn(state, prune=prune)
    assert (cut.action, cut.value, cut.utilities) == (full.action, full.value, full.utilities)
    assert cut.stats.nodes <= full.stats.nodes
    check_claims(cut, full)


@settings(max_examples=150)
@given(games_of_three(results))
def test_pruning_keeps_result_for_win_draw_loss(state):
    assert_the_same(state)


@settings(max_examples=100)
@given(
    games_of_three(st.permutations([0, 1, 2, 3]).map(lambda p: tuple(p[:3])) | st.just((2, 2, 2)))
)
def test_pruning_keeps_result_for_bounded_sum(state):
    assert_the_same(state, PayoffBounds.of_sum(6, least=0, num_players=3))


def test_pruning_visits_a_hundredth_of_the_nodes():
    result = maxn(TicTacToe(num_players=3), prune=True)
    assert result.utilities == (0, 0, 0)
    assert result.stats.nodes < 885_322 / 90


def test_shallow_pruning_cuts_known_nodes():
    # The first player has 5 on the left.  On the right the second finds 6 of the 10 there are.
    state = GameTree.parse("[(5 4 1)(5 3 2)] [(3 6 1)(9 1 0)]")
    bounds = PayoffBounds.of_sum(10, least=0, num_players=3)
    result = maxn(state, prune=bounds)
    assert result.values == {0: Bound(5), 1: Bound(4, "upper")}
    assert result.vectors == {0: (5, 4, 1)}
    assert (result.stats.nodes, result.stats.cutoffs) == (6, 1)


def test_immediate_pruning_cuts_known_nodes():
    result = maxn(GameTree([(1, -1, -1), (0, 0, 0)]), prune=True)
    assert (result.stats.nodes, result.stats.cutoffs) == (2, 1)


def test_double_turn_is_not_pruned():
    # The second move is player 0's own: what is good there is good at the root.
    state = GameTree.parse("[(0 0 0)] [(0 0 0)(1 -1 -1)]", players=(0, 0))
    assert maxn(state, prune=True).value == 1


@pytest.mark.parametrize("payoffs", [(1, 1, -1), (-2, 1, -1)])
def test_pruning_with_payoffs_outside_bounds_raises(payoffs):
    with pytest.raises(ValueError, match=rf"prune .*\({payoffs[0]}, 1, -1\)"):
        maxn(GameTree([payoffs, (0, 0, 0)]), prune=True)


def test_pruning_with_tie_rule_raises():
    with pytest.raises(ValueError, match="ties"):
        maxn(DIFFERENT, prune=True, ties=hurt_the_leader)


# Limits, stops


def test_depth_limit_estimates_each_player():
    def by_player(state, player):
        return (player - 1) / 2

    result = maxn(TicTacToe(num_players=3), depth=2, evaluate=by_player)
    assert result.vectors[result.action] == (-0.5, 0, 0.5)
    assert result.utilities is None  # they are not proven
    assert result.stats.evaluations == 72


def test_terminal_state_at_depth_limit_is_exact():
    state = TicTacToe.parse("XX./OO./AA.", num_players=3)
    result = maxn(state, depth=1)
    assert result.vectors[result.action] == (1, -1, -1)
