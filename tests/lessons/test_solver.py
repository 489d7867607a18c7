"""References against theory and the library, and what checks say beyond the table of mutants."""

import random
from itertools import product

import pytest

from course.lessons.solver import check as exercises
from course.lessons.solver import reference
from course.lessons.solver.check import (
    NIM_RUNS,
    check_nim_move,
    check_not_most_visited,
    nim_runs,
)
from gamelib import GameTree, Nim, TicTacToe, mcts, minimax, nim_sum, nim_winning_actions

# The stored runs of lab 5B


@pytest.mark.parametrize("row", [row for row in NIM_RUNS if row.simulations <= 10_000], ids=str)
def test_the_stored_runs_are_what_the_search_finds_today(row):
    pytest.importorskip("numba")
    assert nim_runs(row.heaps, row.solver, row.simulations, row.runs) == row


def test_a_long_row_with_proofs_is_what_the_search_finds_today():
    pytest.importorskip("numba")
    row = next(row for row in NIM_RUNS if row.solver and row.simulations == 100_000)
    assert row.optimal == row.proven == row.runs
    assert nim_runs(row.heaps, True, 100_000, 20) == row._replace(runs=20, optimal=20, proven=20)


@pytest.mark.parametrize("row", NIM_RUNS, ids=str)
def test_no_run_is_stored_as_proven_that_is_not_optimal(row):
    assert row.proven <= row.optimal <= row.runs
    assert row.solver or row.proven == 0


def test_the_table_shows_every_row():
    lines = exercises.nim_table().splitlines()
    assert len(lines) == 1 + len(NIM_RUNS)
    assert all(
        f"{row.optimal} of {row.runs}" in line
        for row, line in zip(NIM_RUNS, lines[1:], strict=True)
    )
    without = exercises.nim_table(solver=False).splitlines()
    assert without == [line for line in lines if "with proofs" not in line]


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
def test_a_proof_needs_no_more_simulations_than_the_tree_has_nodes(seed):
    tree = tree_of_draws(seed)
    truth = minimax(tree)
    found = mcts(tree, simulations=truth.stats.nodes, solver=True, rng=seed)
    assert found.utilities == truth.utilities


@pytest.mark.parametrize("heaps", list(product(range(5), repeat=3)))
def test_a_won_position_of_nim_has_an_odd_number_of_winning_actions(heaps):
    assert len(nim_winning_actions(Nim(heaps))) % 2 == (nim_sum(heaps) != 0)


# Exercise 1


@pytest.mark.parametrize("leaves", list(product((-1, 0, 1), repeat=3)))
@pytest.mark.parametrize("player", [0, 1])
def test_where_all_is_known_the_rules_are_minimax(leaves, player):
    words = {-1: "O wins", 0: "draw", 1: "X wins"}
    root = GameTree(list(leaves), players=(player, 1 - player))
    value = minimax(root).utilities[0]
    assert reference.proven("XO"[player], [words[leaf] for leaf in leaves]) == words[value]


# Exercise 2


def test_any_winning_action_is_right():
    assert check_nim_move(lambda heaps: nim_winning_actions(Nim(heaps))[-1])


def test_an_action_that_is_not_legal_is_named():
    feedback = check_nim_move(lambda heaps: (0, 9))
    assert "(0, 9) is no legal action" in feedback.message


def test_there_is_no_move_to_a_nim_sum_of_0_from_one():
    with pytest.raises(ValueError, match="every action loses"):
        reference.nim_move([3, 3])


# Exercise 3


@pytest.mark.parametrize("children", list(product(exercises.RESULTS, repeat=2)))
@pytest.mark.parametrize("player", ["X", "O"])
def test_the_bounds_say_what_the_rules_prove(children, player):
    pairs = {"X wins": (1, 1), "draw": (0, 0), "O wins": (-1, -1), "unknown": (-1, 1)}
    low, high = reference.proven_bounds(player, [pairs[child] for child in children])
    proven = reference.proven(player, list(children))
    assert proven == "unknown" or pairs[proven] == (low, high)
    assert low == high or proven == "unknown"


# Exercise 4


@pytest.mark.parametrize(
    ("state", "simulations", "words"),
    [
        (TicTacToe(), True, "simulations must be"),
        (TicTacToe(num_players=3), 100, "at most 9 cells"),
        (Nim((1, 2)), 100, "at most 9 cells"),
    ],
)
def test_no_such_position_is_seen_where_there_is_none(state, simulations, words):
    feedback = check_not_most_visited(state, simulations)
    assert not feedback
    assert words in feedback.message
