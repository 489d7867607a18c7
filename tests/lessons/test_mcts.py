"""References against theory and the library, and what checks say beyond the table of mutants."""

import random

import pytest

from course.lessons.mcts import check as exercises
from course.lessons.mcts.check import check_final_choice, check_ucb, ucb_scores
from gamelib import Nim, SearchTree, TicTacToe, mcts
from gamelib.search.events import Backpropagate


def is_backup(event):
    return isinstance(event, Backpropagate)


def test_backpropagation_in_turn_stores_what_mcts_stores():
    tree, events = SearchTree(), []
    mcts(TicTacToe(), simulations=200, rng=0, tree=tree, events=events.append)
    nodes = {}
    for event in filter(is_backup, events):
        path = [event.path[:length] for length in range(len(event.path) + 1)]
        mover = TicTacToe().play(*event.path).current_player
        visited = [nodes.setdefault(node, exercises.PathNode()) for node in path]
        exercises.backpropagate(visited, 2 * event.rewards[mover] - 1)
    for row in tree.table():
        assert nodes[(row.action,)].visits == row.visits
        assert nodes[(row.action,)].total / row.visits == pytest.approx(row.mean)


def test_ucb_by_hand_passes_with_three_digits():
    rounded = {action: round(score, 3) for action, score in ucb_scores().items()}
    assert check_ucb(rounded, "y")


@pytest.mark.parametrize(
    ("changed", "selected", "words"),
    [
        ({"x": ..., "z": ...}, ..., "no score yet for x, z"),
        ({}, ..., "Which action is selected?"),
        ({}, "x", "'x' has not the highest one"),
        ({"y": 1.8}, "y", "the score of y is not 1.8"),
        ({"y": "1.906"}, "y", "a score is a number"),
        ({"y": float("nan")}, "y", "the score of y is not nan"),
        ({"x": 1.66, "y": 1.91, "z": 1.77}, "y", "give three digits after the point"),
        ({"x": 1.65, "y": 1.90, "z": 1.76}, "y", "give three digits after the point"),
    ],
)
def test_a_wrong_ucb_table_is_told_why(changed, selected, words):
    feedback = check_ucb({**ucb_scores(), **changed}, selected)
    assert not feedback
    assert words in feedback.message


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"a": (..., ...), "b": (..., ...)}, "a number in every place"),
        (None, "a number in every place"),
        ({"a": (10, 5)}, "two actions at least"),
        ({"a": (10, 9), "b": (3, 1)}, "has both"),
        ({"a": (10, 5), "b": (10, 6)}, "share the most visits"),
        ({"a": (10, 5), "b": (2, 1)}, "share the best mean"),
        ({"a": (10, 5), "b": (2, 3)}, "cannot add up to 3"),
        ({"a": (10, 5), "b": (2, 1.3)}, "cannot add up to 1.3"),
        ({"a": (10, 5), "b": (0, 0)}, "visits must be an int"),
        ({"a": (10, 5), "b": 3}, "give two numbers"),
        ({"a": (10, 5), "b": (3, float("nan"))}, "cannot add up to nan"),
    ],
)
def test_another_table_is_told_why(table, words):
    feedback = check_final_choice(table)
    assert not feedback
    assert words in feedback.message


def test_the_reference_rewards_are_those_of_mcts():
    state, events = Nim((2, 2), num_players=3), []
    mcts(state, simulations=50, rng=random.Random(1), events=events.append)
    for event in filter(is_backup, events):
        path = [state.play(*event.path[:n]) for n in range(len(event.path) + 1)]
        utilities = [2 * reward - 1 for reward in event.rewards]
        expected = exercises.rewards_along([node.current_player for node in path], utilities)
        assert list(event.added) == pytest.approx(expected)
