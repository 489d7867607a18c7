"""The tree to fill in, driven from code."""

import pytest

from course import FillInTree
from gamelib import GameTree, TicTacToe

TREE = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
THREE = GameTree([[(1, 2, 3), (4, 2, 1)], [(6, 1, 2), (7, 4, -1)]])


def test_right_values_pass() -> None:
    tree = FillInTree(TREE)
    tree.fill(A=3, B=3, C="2", D=2)
    assert tree.check()
    assert "Right. All 4 values" in tree._feedback.value


def test_the_first_wrong_node_is_named() -> None:
    tree = FillInTree(TREE)
    tree.fill(A=3, B=12, C=2, D=2)
    assert not tree.check()
    assert "Node B: not 12" in tree._feedback.value


def test_nothing_is_filled_in_at_first() -> None:
    assert FillInTree(TREE).values == {}
    assert FillInTree(TREE, cuts=True).marked == ()


def test_its_repr_says_how_far_it_is() -> None:
    tree = FillInTree(TREE)
    tree.fill(A=3)
    assert repr(tree).endswith("1 of 4 values)")
    cuts = FillInTree(TREE, cuts=True)
    cuts.mark("C1", "C2")
    assert repr(cuts).endswith("2 branches marked)")


def test_the_drawing_shows_what_was_entered() -> None:
    tree = FillInTree(TREE)
    tree.fill(C=2)
    assert ">C = 2<" in tree._drawing.value
    assert ">B<" in tree._drawing.value


def test_marked_branches_are_crossed_in_the_drawing() -> None:
    tree = FillInTree(TREE, cuts=True)
    assert 'data-kind="cut"' not in tree._drawing.value
    tree.mark("C1")
    assert tree._drawing.value.count('data-kind="cut"') == 1


def test_right_cuts_pass() -> None:
    tree = FillInTree(TREE, cuts=True)
    tree.mark("C1", "C2")
    assert tree.check()


def test_vectors_for_three_players() -> None:
    tree = FillInTree(THREE)
    tree.fill(A="7, 4, -1", B="(1, 2, 3)", C="7,4,-1")
    assert tree.check()


def test_what_is_no_number_is_said_and_escaped() -> None:
    tree = FillInTree(TREE)
    tree.fill(A=3, B="<b>", C=2, D=2)
    assert "no value; enter a number" in tree.check().message
    assert "<b>" not in tree._feedback.value + tree._drawing.value


def test_a_node_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="the nodes to fill in are A, B, C, D; got 'Z'"):
        FillInTree(TREE).fill(Z=1)


def test_a_branch_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the branches are A0, A1, .*; got 'C7'"):
        FillInTree(TREE, cuts=True).mark("C7")


def test_cuts_are_for_two_players() -> None:
    with pytest.raises(ValueError, match="cuts need a tree of two players; this has 3"):
        FillInTree(THREE, cuts=True)


def test_a_position_of_a_game_can_be_filled_in() -> None:
    tree = FillInTree(TicTacToe.parse("O.X/XX./OO."))
    assert len(tree.names) == 6


def test_every_field_has_a_name() -> None:
    assert [field.description for field in FillInTree(TREE)._fields.values()] == list("ABCD")
