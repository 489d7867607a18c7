"""Trees to fill in: the checks name the first wrong node, and why."""

import random
from functools import cache

import pytest
from textbook import BINARY, HAND, THREE, TREE

from course.draw.wording import capital, format_path
from course.exercises import tree_exercises
from course.exercises.tree_exercises import (
    check_cuts,
    check_values,
    inner_nodes,
    random_tree,
    value_trace,
)
from course.lessons.alpha_beta.check import nothing_cut
from course.lessons.minimax.check import other_choice
from course.lessons.multiplayer.check import TREES, brings_seven
from course.tracing import record
from gamelib import GameTree, alphabeta, maxn, minimax
from tests.messages import names

RIGHT = {(): 3, (0,): 3, (1,): 2, (2,): 2}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (RIGHT, "all 4 values are right; the root is worth 3."),
        (
            RIGHT | {(): 6, (1,): 6},  # children are named before their parents
            "Node 1: not 6. Min moves here and takes the lowest of 2, 4 and 6: 2. "
            "Yours is what the other player would take.",
        ),
        (
            {path: RIGHT[path] for path in RIGHT if path},
            "what you have entered is right; of 4 values 1 is missing.",
        ),
        ({(): 6}, "The root: not 6. Max moves here"),
        (RIGHT | {(1,): 4.0001}, "Yours is the average"),
        (RIGHT | {(0,): 7}, "No child has this value"),
    ],
)
def test_check_values_explains_first_wrong_value(values, message) -> None:
    found = check_values(TREE, values)
    assert message in found.message
    assert found.passed == (values == RIGHT)


def test_hint_of_tree_does_not_contain_answer(monkeypatch) -> None:
    monkeypatch.setattr(tree_exercises, "value_trace", cache(value_trace))
    for seed in range(12):
        tree = random_tree(seed, depth=3, values=(10, 99))
        trace = record(minimax, tree)
        end = trace.at(len(trace))
        for path in inner_nodes(tree):
            found = check_values(tree, {path: 5})
            assert found.path == path
            assert str(end.node(path).value) not in found.hint
            assert str(end.node(path).value) in found.message
        pruned = record(alphabeta, tree).pruned()
        marked = [path for path in inner_nodes(tree) if path not in pruned]
        found = check_cuts(tree, marked[-1:])
        assert found.path == marked[-1]
        assert "alpha is" not in found.hint


def test_check_values_of_three_players() -> None:
    values = {(): (7, 4, -1), (0,): (1, 2, 3), (1,): (7, 4, -1)}
    assert check_values(THREE, values)
    found = check_values(THREE, values | {(1,): (6, 1, 2)})
    assert "Player 1 looks at entry 1 of each vector (1 and 4)" in found.message


@pytest.mark.parametrize(
    ("cuts", "message"),
    [
        ([(1, 1), (1, 2)], "alpha-beta visits 11 of 13 nodes, as you say."),
        (
            [(1, 1)],
            "Node 1 → 2 is cut, but not marked: "
            "this node is at most 2, and max already has 3 elsewhere.",
        ),
        (
            [(0, 1), (1, 1), (1, 2)],
            "Node 0 → 1 is visited: there alpha is -∞ and beta is 3, so it can still change what "
            "is chosen. Max is sure of alpha, and min is sure of beta.",
        ),
    ],
)
def test_check_cuts_explains_first_wrong_branch(cuts, message) -> None:
    assert check_cuts(TREE, cuts).message == message
    # What lies below a cut need not be marked.
    assert check_cuts(BINARY, [(0, 1, 1), (1, 1)])
    assert check_cuts(BINARY, [(0, 1, 1), (1, 1), (1, 1, 0)])


def test_random_trees_pass_and_single_mistakes_are_found(monkeypatch) -> None:
    monkeypatch.setattr(tree_exercises, "value_trace", cache(value_trace))
    rng = random.Random(0)
    for seed in range(60):
        players = 2 + seed % 2
        tree = random_tree(seed, depth=1 + seed % 3, values=(0, 5), num_players=players)
        trace = record(minimax if players == 2 else maxn, tree)
        end = trace.at(len(trace))
        values = {path: end.node(path).value for path in inner_nodes(tree)}
        assert check_values(tree, values)
        if players == 2:
            assert check_cuts(tree, record(alphabeta, tree).pruned())
            path = rng.choice(list(values))
            found = check_values(tree, values | {path: values[path] + rng.choice([-1, 1, 100])})
            assert found.message.startswith(f"{capital(format_path(path))}: not ")


def test_random_tree_has_requested_shape() -> None:
    tree = random_tree(1, branching=3, depth=3, values=(-2, 2))
    states = [tree]
    for _ in range(3):
        assert all(len(state.legal_actions()) == 3 for state in states)
        states = [state.successor(action) for state in states for action in range(3)]
    assert all(-2 <= state.utility(0) <= 2 for state in states)


@pytest.mark.parametrize(
    "options",
    [
        *({"branching": 0}, {"branching": (3, 2)}, {"depth": 0}, {"depth": 2.5}),
        *({"num_players": 1}, {"values": (5, 1)}, {"values": (0.5, 2)}, {"values": ("a", "b")}),
    ],
)
def test_random_tree_of_invalid_shape_raises(options) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        random_tree(1, **options)


def test_inner_nodes_of_too_large_tree_raises() -> None:
    assert inner_nodes(BINARY) == [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1)]
    with pytest.raises(ValueError, match=names("has 1 to 40 inner nodes; this has more")):
        inner_nodes(random_tree(0, branching=3, depth=5))


def test_inner_nodes_accepts_positions_of_any_game() -> None:
    assert check_values(HAND, {(): 1, (1,): -1, (8,): 0, (1, 5): 0, (8, 1): 1, (8, 5): 0})


@pytest.mark.parametrize(
    ("tree", "check", "words", "passed"),
    [
        ([[3, 12, 8], [2, 4, 6], [14, 5, 2]], nothing_cut, "click a leaf", False),
        ([[3, 12, 8], [4, 4, 6], [14, 5, 2]], nothing_cut, "node 1 → 0, every leaf is read", True),
        ([[3, 12, 8], [3, 4, 6], [14, 5, 2]], nothing_cut, "node 1 → 1 is cut", False),
        ([[3, 12, 8], [4, 4, 6], [14, 5, 3]], nothing_cut, "2 leaves are changed", False),
        ([[3, 12, 8], [2, 4, 6], [14, 5]], nothing_cut, "another tree", False),
        ([[3, 12, 8], [2, 4, 6], [14, 5, 4]], other_choice, "branch 2, which is worth 4", True),
        ([[3, 12, 8], [2, 4, 6], [14, 5, 3]], other_choice, "branch 0, which is worth 3", False),
    ],
)
def test_check_leaf_judges_one_changed_leaf(tree, check, words, passed):
    feedback = check(GameTree(tree))
    assert feedback.passed == passed
    assert words in feedback.message
    assert feedback.attempted == ("click" not in words)


def test_brings_seven_passes_for_one_leaf():
    assert brings_seven(GameTree.parse(str(TREES[0])[1:-1].replace("7 4 -1", "7 4 3")))
    assert not brings_seven(GameTree.parse(str(TREES[0])[1:-1].replace("1 2 3", "7 2 0")))
