import random

import pytest
from random_trees import (
    arbitrary,
    one_of_each,
    random_position,
    random_tree,
    reachable,
    true_values,
    visited,
)

from gamelib.games import ConnectFour, GameTree, Nim, TicTacToe
from gamelib.search import Bound, Table, alphabeta, centre_first, minimax, preferred

CENTRE_FIRST = preferred(4, 0, 2, 6, 8)
EDGES_FIRST = preferred(1, 3, 5, 7, 0, 2, 6, 8, 4)

PUBLISHED = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
LAST_LEAF = GameTree([[3, 12, 8], [5, 4, 6], [14, 1, 11]])
TIE = GameTree([[10], [10, 0]])
BINARY = GameTree([[[3, 9], [10, 6]], [[4, 7], [0, 5]]])


def reverse(state, actions):
    return list(reversed(actions))


def shuffled(state, actions):
    return sorted(actions, key=lambda action: hash((state, action)))


def check_against(values, result, *, every_best=False):
    """Compare a result with the true value of every action."""
    best = max(values.values())
    assert result.value == best
    assert values[result.action] == best
    assert result.line[0] == result.action
    assert list(result.values) == list(values)
    for action, bound in result.values.items():
        assert bound.kind in ("exact", "upper", "estimate", "upper estimate")
        if bound.kind in ("exact", "estimate"):
            assert bound.value == values[action]
        else:
            assert values[action] <= bound.value <= best
    if every_best:
        tied = tuple(a for a, value in values.items() if value == best)
        assert result.action == tied[0]
        assert result.best_actions == (tied if result.kind == "exact" else ())


# Random trees


def test_random_trees_have_the_values_of_minimax():
    rng = random.Random(0)
    for _ in range(500):
        state = random_tree(rng)
        full = minimax(state)
        values = {action: bound.value for action, bound in full.values.items()}
        plain = alphabeta(state)
        assert plain.action == full.action
        assert plain.line == full.line
        assert plain.utilities == full.utilities
        assert plain.stats.nodes <= full.stats.nodes
        check_against(values, plain)
        check_against(values, alphabeta(state, order=shuffled))
        check_against(values, alphabeta(state, order=shuffled, strict=True), every_best=True)
        check_against(values, alphabeta(state, order=shuffled, all_best=True), every_best=True)


# Games


def test_tic_tac_toe_values_are_exact():
    positions = reachable(TicTacToe())
    assert len(positions) == 4_520
    for state in one_of_each(positions):
        for every_best in (False, True):
            result = alphabeta(state, order=CENTRE_FIRST, table=True, all_best=every_best)
            check_against(true_values(state), result, every_best=every_best)


# Counts


@pytest.mark.parametrize(
    ("options", "nodes"),
    [
        ({}, 18_297),
        ({"strict": True}, 146_120),
        ({"order": CENTRE_FIRST}, 7_275),
        ({"order": EDGES_FIRST}, 42_094),
    ],
)
def test_tic_tac_toe_node_counts_are_known(options, nodes):
    result = alphabeta(TicTacToe(), **options)
    assert result.stats.nodes == nodes
    assert result.value == 0


# Textbook trees


@pytest.mark.parametrize(
    ("state", "value", "nodes", "skipped"),
    [
        (PUBLISHED, 3, 11, {(1, 1), (1, 2)}),
        (LAST_LEAF, 4, 12, {(2, 2)}),
        (TIE, 10, 5, {(1, 1)}),
        (BINARY, 9, 11, {(0, 1, 1), (1, 1), (1, 1, 0), (1, 1, 1)}),
    ],
)
def test_textbook_trees_visit_known_nodes(state, value, nodes, skipped):
    every, tried = ([node.path for node in visited(s, state)] for s in (minimax, alphabeta))
    result = alphabeta(state)
    assert result.value == minimax(state).value == value
    assert result.stats.nodes == len(tried) == nodes
    assert set(every) - set(tried) == skipped


def test_pruned_actions_have_bounds():
    values = alphabeta(PUBLISHED).values
    assert values == {0: Bound(3), 1: Bound(2, "upper"), 2: Bound(2, "upper")}
    assert repr(values[1]) == "<= 2"


# Order


def test_ties_go_to_first_proven_best_action():
    # Of 0 it is only known that it is at most a draw.
    assert alphabeta(TicTacToe(), order=CENTRE_FIRST).action == 4


def test_centre_first_orders_columns_from_the_middle():
    assert centre_first(ConnectFour(), (0, 1, 2, 3, 4, 5, 6)) == [3, 2, 4, 1, 5, 0, 6]
    assert centre_first(ConnectFour(4, 4), (0, 1, 3)) == [1, 0, 3]


def test_preferred_orders_given_actions_first():
    assert preferred(4, 0)(None, (0, 1, 2, 3, 4, 5)) == [4, 0, 1, 2, 3, 5]


@pytest.mark.parametrize("wrong", [[], [0, 1], [0, 1, 1], [0, 1, 2, 2], [0, 1, 3], [[0], [1], [2]]])
def test_order_missing_or_repeating_an_action_raises(wrong):
    with pytest.raises(ValueError, match=r"\[0, 1, 2\] once"):
        alphabeta(PUBLISHED, order=lambda state, actions: wrong)


def test_order_returning_none_raises():
    def forgotten(state, actions):
        sorted(actions)

    with pytest.raises(TypeError, match=r"forgotten\(state, actions\)"):
        alphabeta(PUBLISHED, order=forgotten)


# quick_wins


SMALL = [(TicTacToe(), 3), (ConnectFour(4, 4, 3), 7), (Nim((3, 2, 2)), 1)]


@pytest.mark.parametrize("table", [None, True])
@pytest.mark.parametrize("depth", [None, 2, 4])
@pytest.mark.parametrize(("game", "plies"), SMALL, ids=repr)
def test_quick_wins_values_equal_minimax(game, plies, depth, table):
    rng = random.Random(7)
    for _ in range(20):
        state = random_position(game, rng, plies, plies + 2)
        options = {"quick_wins": True, "depth": depth, "evaluate": depth and arbitrary}
        full = minimax(state, **options)
        values = {action: bound.value for action, bound in full.values.items()}
        result = alphabeta(state, table=table, **options)
        check_against(values, result)
        assert result.action == full.action
        every_best = alphabeta(state, table=table, all_best=True, order=reverse, **options)
        check_against(values, every_best, every_best=True)


# Budgets


@pytest.mark.parametrize("table", [None, True])
def test_node_limit_returns_best_so_far(table):
    whole = alphabeta(ConnectFour(), depth=5, table=table)
    result = alphabeta(ConnectFour(), depth=5, nodes=whole.stats.nodes // 2, table=table)
    assert result.stopped
    assert result.stats.nodes <= whole.stats.nodes // 2 + 7
    assert result.values.keys() < whole.values.keys()


@pytest.mark.parametrize("most", [10, 50, 100, 300])
def test_node_limit_counts_table_hits(most):
    table = Table()
    alphabeta(TicTacToe(), depth=6, table=table)
    result = alphabeta(TicTacToe(), depth=6, nodes=most, table=table, order=lambda s, a: a[::-1])
    assert result.stopped
    assert result.stats.nodes <= most + 9  # the leaves of one node are visited together
