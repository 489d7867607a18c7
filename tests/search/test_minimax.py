from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_trees import one_of_each, payoff_and_plies, reachable, true_values

from gamelib import Bound, GameTree, Nim, Stats, TicTacToe, minimax, negamax

both = pytest.mark.parametrize("search", [minimax, negamax])


def exact(values):
    return {action: Bound(value) for action, value in values.items()}


LATE = one_of_each(reachable(TicTacToe())[1 + 9 + 72 :])  # the others take most of the time


@both
def test_tic_tac_toe_values_equal_naive_minimax(search):
    for state in LATE:
        result, truth = search(state), true_values(state)
        assert result.values == exact(truth), state
        assert (result.action, result.value) == (max(truth, key=truth.get), max(truth.values()))


@both
def test_empty_board_is_a_draw(search):
    result = search(TicTacToe())
    assert result.stats == Stats(nodes=549_946, leaves=255_168)
    assert result.values == exact(dict.fromkeys(range(9), 0))
    assert (result.action, result.value, result.utilities) == (0, 0, (0, 0))


TURNS = st.none() | st.lists(st.integers(0, 1), min_size=1, max_size=3)
LEAVES = st.integers(-2, 2)
NODES = st.recursive(LEAVES, lambda inner: st.lists(inner, min_size=1, max_size=4), max_leaves=30)
TREES = st.lists(NODES, min_size=1, max_size=4)


def tree_value(tree, turns, ply=0):
    """Return the value for player 0 of nested lists."""
    if not isinstance(tree, list):
        return tree
    choose = max if turns[ply % len(turns)] == 0 else min
    return choose(tree_value(child, turns, ply + 1) for child in tree)


@given(TREES, TURNS)
def test_random_trees_equal_naive_minimax(tree, turns):
    state, sign = GameTree(tree, turns), 1 if (turns or [0])[0] == 0 else -1
    truth = {i: sign * tree_value(node, turns or [0, 1], 1) for i, node in enumerate(tree)}
    result = minimax(state)
    assert result == negamax(state)
    assert result.values == exact(truth)
    assert result.action == max(truth, key=truth.get)
    assert result.value == truth[result.action]
    assert result.utilities == state.play(*result.line).utilities()


# Depth and evaluation


@both
@pytest.mark.parametrize(
    ("depth", "nodes", "leaves", "evaluations"),
    [(1, 10, 0, 9), (2, 82, 0, 72), (5, 18_730, 1_440, 13_680)],
)
def test_depth_limit_counts_are_known(search, depth, nodes, leaves, evaluations):
    stats = search(TicTacToe(), depth=depth).stats
    assert stats == Stats(nodes=nodes, leaves=leaves, evaluations=evaluations)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize(("search", "root"), [(minimax, True), (negamax, False)])
def test_heuristic_is_called_only_at_depth_limit(search, root, depth):
    """Minimax asks for the player at the root, negamax for the one to move."""
    asked = []

    def evaluate(state, player):
        assert player == (1 if root else state.current_player)
        asked.append(state)
        return 0

    search(TicTacToe().play(4, 0, 2), depth=depth, evaluate=evaluate)
    assert {str(state).count(".") for state in asked} == {6 - depth}
    assert not any(state.is_terminal() for state in asked)


@both
def test_depth_beyond_the_end_calls_no_heuristic(search):
    start = TicTacToe.parse("XOX/.O./.X.")
    deep = search(start, depth=50, evaluate=lambda state, player: 1 / 0)
    assert deep == search(start)


@both
def test_long_game_is_searched_completely(search):
    result = search(Nim((400,), max_take=1))
    assert (result.value, len(result.line)) == (-1, 400)


# Quick wins


@both
def test_quick_wins_scores_1000_minus_plies(search):
    for state in LATE:
        payoff, plies = payoff_and_plies(state)
        value = payoff if state.current_player == 0 else -payoff
        result = search(state, quick_wins=True)
        assert result.value == result.values[result.action].value == value * (1000 - (plies or 0))
        assert result.utilities == (payoff, -payoff)


@both
def test_quick_wins_with_larger_payoffs_raises(search):
    with pytest.raises(ValueError, match=r"quick_wins .*-1, 0 and \+1"):
        search(GameTree([3, 12]), quick_wins=True)


# Progress and stop


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr("gamelib.search.callbacks.time.perf_counter", count().__next__)


@both
@pytest.mark.usefixtures("clock")
def test_progress_grows_and_has_best_so_far(search):
    reports = []
    result = search(
        GameTree([[1, 2], [5, 6], [3, 4]]), progress=lambda *report: reports.append(report)
    )
    assert reports == [(0, None), (0, None), (1 / 3, 0), (2 / 3, 1)]
    assert not result.stopped


@both
@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("calls", range(1, 5))
def test_stopped_search_returns_best_so_far(search, calls):
    asked = []

    def stop():
        asked.append(True)
        return len(asked) == calls

    result = search(GameTree([[1, 2], [5, 6], [3, 4]]), stop=stop)
    done = {0: {}, 1: {0: 1}, 2: {0: 1, 1: 5}}[max(0, calls - 2)]
    assert (result.stopped, result.values) == (True, exact(done))
    assert result.action == max(done, key=done.get, default=0)
    assert (result.utilities, result.line) == (None, (result.action,))
