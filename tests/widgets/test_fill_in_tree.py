"""The tree to fill in, driven from code."""

import re

import pytest
from textbook import HAND, THREE, TREE

from course import FillInTree
from gamelib import Nim
from tests.messages import names


def wrong_ones(tree: FillInTree) -> list[tuple[int, ...]]:
    """Return the paths of what is marked as wrong in the tree."""
    parts = tree._fields | tree._toggles
    return [path for path, part in parts.items() if "gl-wrong-one" in part._dom_classes]


def test_first_wrong_node_is_marked_with_hint() -> None:
    tree = FillInTree(TREE)
    tree.fill({(): 3, (0,): 12, (1,): 2, (2,): 2})
    hint = tree.check().message
    assert hint == "Node 0: not 12. Yours is what the other player would take."
    assert wrong_ones(tree) == [(0,)]
    assert tree.check().message == hint
    tree.fill({(0,): 8})  # the answer comes after another try
    assert wrong_ones(tree) == []
    assert "takes the lowest of 3, 12 and 8: 3." in tree.check().message


def test_partially_filled_tree_is_not_wrong() -> None:
    tree = FillInTree(TREE)
    tree.fill({(0,): 3, (2,): 2})
    assert repr(tree).endswith("2 of 4 values)")
    assert tree.check().message == "what you have entered is right; of 4 values 2 are missing."
    assert wrong_ones(tree) == []


@pytest.mark.parametrize("cuts", [False, True])
def test_empty_check_is_not_an_attempt(cuts) -> None:
    tree = FillInTree(TREE, cuts=cuts)
    found = tree.check()
    assert not found
    assert "first" in found.message
    assert not any(character.isdigit() for character in found.message)
    assert (wrong_ones(tree), tree.tries) == ([], 0)


def test_needless_cut_is_marked() -> None:
    tree = FillInTree(TREE, cuts=True)
    tree.mark((1, 1), (2, 2))
    hint = tree.check().message
    assert hint == "Node 2 → 2 is visited. What are max and min sure of before it?"
    assert wrong_ones(tree) == [(2, 2)]
    assert repr(tree).endswith("2 nodes marked)")
    tree.mark((1, 2))
    answer = tree.check().message
    assert "there alpha is 3 and beta is 5" in answer
    assert "Max is sure of alpha, and min is sure of beta." in answer


def test_missing_cut_is_named_at_second_attempt() -> None:
    tree = FillInTree(TREE, cuts=True)
    tree.mark((1, 2))
    assert tree.check().message == (
        "your marks are right, but there is more. Where else can nothing change?"
    )
    assert wrong_ones(tree) == []
    tree.mark((2, 2))
    tree.check()
    tree._toggles[(2, 2)].value = False
    tree.check()
    tree.mark((1, 1))
    assert tree.check()


def test_drawing_reveals_no_value() -> None:
    drawing = FillInTree(TREE)._drawing.value
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", drawing)
    leaves = [text for text in texts if text.isdigit()]
    assert sorted(map(int, leaves)) == sorted([3, 12, 8, 2, 4, 6, 14, 5, 2, *[0, 1, 2] * 4])


@pytest.mark.parametrize("cuts", [False, True])
@pytest.mark.parametrize("state", [TREE, HAND, Nim((1, 2))])
def test_fields_and_buttons_lie_on_drawing(state, cuts) -> None:
    tree = FillInTree(state, cuts=cuts)
    style = tree.children[2].value
    for name in tree._class.values():
        left, top = re.search(rf"> \.{name} {{ left: ([\d.]+)%; top: ([\d.]+)%", style).groups()
        assert 0 < float(left) < 100
        assert 0 < float(top) < 100


def test_invalid_number_is_escaped_and_marked() -> None:
    tree = FillInTree(TREE)
    tree.fill({(): 3, (0,): "<b>", (1,): 2, (2,): 2})
    assert "no value; enter a number" in tree.check().message
    assert "<b>" not in tree._feedback.value + tree._drawing.value
    assert wrong_ones(tree) == [(0,)]


def test_tooltip_of_branch_says_whether_cut() -> None:
    tree = FillInTree(TREE, cuts=True)
    assert tree._toggles[(1, 1)].tooltip == "Cut the edge to node 1 → 1"
    assert 'data-kind="cut"' not in tree._drawing.value
    tree.mark((1, 1))
    assert tree._drawing.value.count('data-kind="cut"') == 1
    assert tree._toggles[(1, 1)].tooltip == "The edge to node 1 → 1 is cut: join it again"


def test_cuts_need_two_players() -> None:
    with pytest.raises(ValueError, match=names("cuts need a tree of two players; this has 3")):
        FillInTree(THREE, cuts=True)
