"""The tree to fill in, driven from code."""

import re

import pytest

from course import FillInTree, SearchStepper
from gamelib import GameTree, TicTacToe, minimax

TREE = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
THREE = GameTree([[(1, 2, 3), (4, 2, 1)], [(6, 1, 2), (7, 4, -1)]])


def test_right_values_pass() -> None:
    tree = FillInTree(TREE)
    tree.fill({(): 3, (0,): 3, (1,): "2", (2,): 2})
    assert tree.check()
    assert "Right. All 4 values" in tree._feedback.value


def test_the_first_wrong_node_is_named() -> None:
    tree = FillInTree(TREE)
    tree.fill({(): 3, (0,): 12, (1,): 2, (2,): 2})
    assert not tree.check()
    assert "Node 0: not 12" in tree._feedback.value


def test_nothing_is_filled_in_at_first() -> None:
    assert FillInTree(TREE).values == {}
    assert FillInTree(TREE, cuts=True).marked == ()


def test_its_repr_says_how_far_it_is() -> None:
    tree = FillInTree(TREE)
    tree.fill({(): 3})
    assert repr(tree).endswith("1 of 4 values)")
    cuts = FillInTree(TREE, cuts=True)
    cuts.mark((1, 1), (1, 2))
    assert repr(cuts).endswith("2 nodes marked)")


def test_the_drawing_shows_what_was_entered() -> None:
    tree = FillInTree(TREE)
    assert tree._drawing.value.count(">?<") == 4
    tree.fill({(1,): -2})
    assert tree._drawing.value.count(">?<") == 3
    assert ">-2<" in tree._drawing.value


def test_marked_branches_are_crossed_in_the_drawing() -> None:
    tree = FillInTree(TREE, cuts=True)
    assert 'data-kind="cut"' not in tree._drawing.value
    tree.mark((1, 1))
    assert tree._drawing.value.count('data-kind="cut"') == 1


def test_right_cuts_pass() -> None:
    tree = FillInTree(TREE, cuts=True)
    tree.mark((1, 1), (1, 2))
    assert tree.check()


def test_vectors_for_three_players() -> None:
    tree = FillInTree(THREE)
    tree.fill({(): "7, 4, -1", (0,): "(1, 2, 3)", (1,): "7,4,-1"})
    assert tree.check()


def test_what_is_no_number_is_said_and_escaped() -> None:
    tree = FillInTree(TREE)
    tree.fill({(): 3, (0,): "<b>", (1,): 2, (2,): 2})
    assert "no value; enter a number" in tree.check().message
    assert "<b>" not in tree._feedback.value + tree._drawing.value


def test_a_node_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the nodes to fill in are \(\), \(0,\), .*; got \(7,\)"):
        FillInTree(TREE).fill({(7,): 1})


def test_a_branch_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the nodes to mark are \(0,\), .*; got \(1, 7\)"):
        FillInTree(TREE, cuts=True).mark((1, 7))


def test_cuts_are_for_two_players() -> None:
    with pytest.raises(ValueError, match="cuts need a tree of two players; this has 3"):
        FillInTree(THREE, cuts=True)


def test_a_position_of_a_game_can_be_filled_in() -> None:
    tree = FillInTree(TicTacToe.parse("O.X/XX./OO."))
    assert len(tree.paths) == 6


def test_every_field_has_a_name() -> None:
    names = [field.description for field in FillInTree(TREE)._fields.values()]
    assert names == ["root", "0", "1", "2"]


def test_a_node_is_called_as_in_the_stepper() -> None:
    deep = GameTree([[[3, 9], [10, 6]], [[4, 7], [0, 5]]])
    asked = FillInTree(deep)
    asked.fill(dict.fromkeys(asked.paths, 3))
    name = re.match("Node (.*): not", asked.check().message)
    assert name
    assert name[1] in [field.description for field in asked._fields.values()]
    stepper = SearchStepper(minimax, deep)
    stepper.go_to(3)
    assert f"node {asked._fields[(0, 0)].description}" in stepper._said.value
