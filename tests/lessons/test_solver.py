"""References against theory and the library; what checks say is in the tables of test_mutants."""

import random
from itertools import product

import pytest

from course.lessons.solver import check as exercises
from course.lessons.solver import reference
from gamelib import GameTree, mcts, minimax

# Theory


def tree_of_draws(seed):
    """Return a random tree of wins, draws and losses, in which one player may move twice."""
    rng = random.Random(seed)

    def node(height):
        if height == 0 or rng.random() < 0.15:
            return rng.choice((-1, 0, 1))
        return branches(height - 1)

    def branches(height):
        return [node(height) for _ in range(rng.randint(1, 3))]

    return GameTree(branches(rng.randint(1, 5)), players=rng.choice([(0, 1), (0, 0, 1), (0, 1, 1)]))


@pytest.mark.parametrize("seed", range(100))
def test_proof_needs_at_most_tree_size_simulations(seed):
    tree = tree_of_draws(seed)
    truth = minimax(tree)
    found = mcts(tree, simulations=truth.stats.nodes, solver=True, rng=seed)
    assert found.utilities == truth.utilities


# Exercise 1


@pytest.mark.parametrize("leaves", list(product((-1, 0, 1), repeat=3)))
@pytest.mark.parametrize("player", [0, 1])
def test_proof_rules_with_known_children_equal_minimax(leaves, player):
    words = {-1: "O wins", 0: "draw", 1: "X wins"}
    root = GameTree(list(leaves), players=(player, 1 - player))
    value = minimax(root).utilities[0]
    assert reference.proven("XO"[player], [words[leaf] for leaf in leaves]) == words[value]


# Exercise 3


@pytest.mark.parametrize("children", list(product(exercises.RESULTS, repeat=2)))
@pytest.mark.parametrize("player", ["X", "O"])
def test_bounds_agree_with_proof_rules(children, player):
    pairs = {"X wins": (1, 1), "draw": (0, 0), "O wins": (-1, -1), "unknown": (-1, 1)}
    low, high = reference.proven_bounds(player, [pairs[child] for child in children])
    proven = reference.proven(player, list(children))
    assert proven == "unknown" or pairs[proven] == (low, high)
    assert low == high or proven == "unknown"
