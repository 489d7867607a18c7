"""The tree to fill in, driven from code."""

import re

import pytest

from course import FillInTree, SearchStepper
from course.draw.tree import stage
from gamelib import GameTree, Nim, TicTacToe, minimax

TREE = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
THREE = GameTree([[(1, 2, 3), (4, 2, 1)], [(6, 1, 2), (7, 4, -1)]])


def test_right_values_pass() -> None:
    tree = FillInTree(TREE)
    tree.fill({(): 3, (0,): 3, (1,): "2", (2,): 2})
    assert [*tree._fields] == [(0,), (1,), (2,), ()]  # the keyboard goes up from the leaves
    assert tree.check()
    assert "Right. All 4 values" in tree._feedback.value


def wrong_ones(tree: FillInTree) -> list[tuple[int, ...]]:
    """Return the paths of what is marked as wrong in the tree."""
    parts = tree._fields | tree._toggles
    return [path for path, part in parts.items() if "gl-wrong-one" in part._dom_classes]


def test_the_first_wrong_node_is_marked_in_the_tree_with_a_hint() -> None:
    tree = FillInTree(TREE)
    tree.fill({(): 3, (0,): 12, (1,): 2, (2,): 2})
    assert tree.check().message == "Node 0: not 12. Yours is what the other player would take."
    assert wrong_ones(tree) == [(0,)]
    tree.fill({(0,): 3})
    assert wrong_ones(tree) == []


def test_the_answer_comes_after_another_try() -> None:
    tree = FillInTree(TREE)
    tree.fill({(): 3, (0,): 12, (1,): 2, (2,): 2})
    hint = tree.check().message
    assert tree.check().message == hint
    tree.fill({(0,): 8})
    assert "takes the lowest of 3, 12 and 8: 3." in tree.check().message


def test_values_that_are_right_so_far_are_not_called_wrong() -> None:
    tree = FillInTree(TREE)
    tree.fill({(0,): 3, (2,): 2})
    assert repr(tree).endswith("2 of 4 values)")
    assert tree.check().message == "what you have entered is right; of 4 values 2 are missing."
    assert wrong_ones(tree) == []


@pytest.mark.parametrize("cuts", [False, True])
def test_an_empty_check_names_nothing_and_is_no_try(cuts) -> None:
    tree = FillInTree(TREE, cuts=cuts)
    found = tree.check()
    assert not found
    assert "first" in found.message
    assert not any(character.isdigit() for character in found.message)
    assert (wrong_ones(tree), tree.tries) == ([], 0)


def test_a_cut_too_many_is_marked_in_the_tree() -> None:
    tree = FillInTree(TREE, cuts=True)
    tree.mark((1, 1), (2, 2))
    hint = tree.check().message
    assert hint == "Node 2 → 2 is visited. What are max and min sure of before it?"
    assert wrong_ones(tree) == [(2, 2)]
    assert repr(tree).endswith("2 nodes marked)")
    tree.mark((1, 2))
    answer = tree.check().message
    assert "there alpha is 3 and beta is 5" in answer
    assert "Alpha is what max is sure of, beta what min is sure of." in answer


def test_a_missing_cut_is_named_only_after_another_try() -> None:
    tree = FillInTree(TREE, cuts=True)
    tree.mark((1, 2))
    assert tree.check().message == (
        "what you have marked is cut, but it is not all. Where else can nothing change?"
    )
    assert wrong_ones(tree) == []
    tree.mark((2, 2))
    tree.check()
    tree._toggles[(2, 2)].value = False
    tree.check()
    tree.mark((1, 1))
    assert tree.check()


def test_the_drawing_gives_no_value_away() -> None:
    drawing = FillInTree(TREE)._drawing.value
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", drawing)
    leaves = [text for text in texts if text.isdigit()]
    assert sorted(map(int, leaves)) == sorted([3, 12, 8, 2, 4, 6, 14, 5, 2, *[0, 1, 2] * 4])


@pytest.mark.parametrize("cuts", [False, True])
@pytest.mark.parametrize("state", [TREE, TicTacToe.parse("O.X/XX./OO."), Nim((1, 2))])
def test_each_part_lies_on_the_drawing(state, cuts) -> None:
    tree = FillInTree(state, cuts=cuts)
    style = tree.children[2].value
    for name in tree._class.values():
        left, top = re.search(rf"> \.{name} {{ left: ([\d.]+)%; top: ([\d.]+)%", style).groups()
        assert 0 < float(left) < 100
        assert 0 < float(top) < 100


def test_a_field_stands_where_the_drawing_has_its_node() -> None:
    found = stage(TREE)
    moved = re.search(r"translate\(0 ([-\d.]+)\)", found.drawing)
    assert moved
    ends = re.findall(
        r'<line x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"', found.drawing
    )
    down = (0.0, float(moved[1])) * 2
    drawn = {
        tuple(round(float(x) + by, 2) for x, by in zip(end, down, strict=True)) for end in ends
    }
    assert {tuple(round(x, 2) for x in edge) for edge in found.edges.values()} == drawn
    x1, y1, *_ = found.edges[(0,)]
    assert found.heads[()] == (x1, y1 - 15)  # in the triangle of max, 46 high, the text is low


def test_vectors_for_three_players() -> None:
    tree = FillInTree(THREE)
    tree.fill({(): "7, 4, -1", (0,): "(1, 2, 3)", (1,): "7,4,-1"})
    assert tree.check()


def test_what_is_no_number_is_said_escaped_and_marked() -> None:
    tree = FillInTree(TREE)
    tree.fill({(): 3, (0,): "<b>", (1,): 2, (2,): 2})
    assert "no value; enter a number" in tree.check().message
    assert "<b>" not in tree._feedback.value + tree._drawing.value
    assert wrong_ones(tree) == [(0,)]


def test_the_name_of_a_branch_says_whether_it_is_cut() -> None:
    tree = FillInTree(TREE, cuts=True)
    assert tree._toggles[(1, 1)].tooltip == "Cut the edge to node 1 → 1"
    assert 'data-kind="cut"' not in tree._drawing.value
    tree.mark((1, 1))
    assert tree._drawing.value.count('data-kind="cut"') == 1
    assert tree._toggles[(1, 1)].tooltip == "The edge to node 1 → 1 is cut: join it again"


def test_a_node_is_called_as_in_the_stepper() -> None:
    deep = GameTree([[[3, 9], [10, 6]], [[4, 7], [0, 5]]])
    asked = FillInTree(deep)
    asked.fill(dict.fromkeys(asked.paths, 3))
    name = re.match("Node (.*): not", asked.check().message)
    assert name
    assert f"Value of node {name[1]}" in [field.description for field in asked._fields.values()]
    stepper = SearchStepper(minimax, deep)
    stepper.go_to(3)
    assert asked._fields[(0, 0)].description.removeprefix("Value of ") in stepper.scene.said


def test_cuts_need_two_players() -> None:
    with pytest.raises(ValueError, match="cuts need a tree of two players; this has 3"):
        FillInTree(THREE, cuts=True)
