import json
import pickle
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gamelib import GameTree, from_json
from gamelib.games import Chance

BOOK = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]
NUMBERS = st.integers(-99, 99) | st.floats(-1e6, 1e6)


def trees(leaves):
    """Return a strategy for nested lists, a list at the root."""
    nodes = st.recursive(
        leaves, lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=8
    )
    return st.lists(nodes, min_size=1, max_size=3)


def nodes_of(state):
    """Yield every node from `state` down."""
    yield state
    for action in state.legal_actions():
        yield from nodes_of(state.successor(action))


def test_number_leaf_is_zero_sum_payoff():
    assert GameTree(BOOK).play(1, 2).utilities() == (6, -6)


def test_tuple_leaf_has_payoff_per_player():
    tree = GameTree([[(1, 2, 3), (4, 2, 1)], [(6, 1, 2)]])
    assert (tree.num_players, tree.play(0, 1).utilities()) == (3, (4, 2, 1))


def test_players_move_in_turn_by_default():
    state = GameTree([[[(0, 0, 1)]]])
    assert [node.current_player for node in nodes_of(state)] == [0, 1, 2, 0]


def test_players_option_sets_mover_at_depth():
    state = GameTree([[[[[1]]]]], players=[1, 1, 0])
    assert [node.current_player for node in nodes_of(state)] == [1, 1, 0, 1, 1, 0]


@example([Chance((Fraction(1, 3), 1), (Fraction(2, 3), [2, 3]))])
@given(trees(NUMBERS) | trees(st.tuples(NUMBERS, NUMBERS, NUMBERS)))
def test_text_json_and_pickle_restore_every_node(lists):
    tree = GameTree(lists)
    assert GameTree.parse(str(tree)) == tree
    for node in nodes_of(tree):
        assert from_json(json.loads(json.dumps(node.to_json()))) == node
        assert pickle.loads(pickle.dumps(node)) == node


def test_changing_input_lists_keeps_the_tree():
    lists = [[1, 2], [3]]
    tree = GameTree(lists)
    lists[0][0] = 99
    assert tree.play(0, 0).utilities() == (1, -1)


@pytest.mark.parametrize(
    "text",
    ["[3 12 8] [2 4 6] [14 5 2]", "[[3,12,8],[2,4,6],[14,5,2]]", "[3 12 8][2 4 6]\n[14 5 2]"],
)
def test_parse_accepts_commas_lines_and_brackets(text):
    assert GameTree.parse(text) == GameTree(BOOK)
