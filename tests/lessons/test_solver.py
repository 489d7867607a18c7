"""References against theory and the library, and what checks say beyond the table of mutants."""

from itertools import product

import pytest

from course.lessons.solver import check as exercises
from course.lessons.solver.check import (
    NIM_RUNS,
    NimRuns,
    check_nim_move,
    check_not_most_visited,
    nim_runs,
)
from gamelib import GameTree, Nim, TicTacToe, minimax, nim_winning_actions

# The stored runs of lab 5B


@pytest.mark.parametrize("row", [row for row in NIM_RUNS if row.simulations == 1000], ids=str)
def test_the_stored_runs_are_what_the_search_finds_today(row):
    assert nim_runs(row.heaps, row.solver, row.simulations, row.runs) == row


@pytest.mark.parametrize("row", [row for row in NIM_RUNS if row.simulations == 100_000], ids=str)
def test_no_run_is_stored_as_proven_that_is_not_optimal(row):
    assert row.proven <= row.optimal <= row.runs
    assert (row.proven == row.runs) == row.solver


@pytest.mark.parametrize("heaps", [(3, 4, 5), (5, 5, 5)])
def test_the_first_of_the_stored_proofs_is_found_today(heaps):
    assert NimRuns(heaps, True, 100_000, 20, 20, 20) in NIM_RUNS
    assert nim_runs(heaps, True, 100_000, 1) == NimRuns(heaps, True, 100_000, 1, 1, 1)


def test_the_table_shows_every_row():
    lines = exercises.nim_table().splitlines()
    assert len(lines) == 1 + len(NIM_RUNS)
    assert all(
        f"{row.optimal} of {row.runs}" in line
        for row, line in zip(NIM_RUNS, lines[1:], strict=True)
    )


# Exercise 1


@pytest.mark.parametrize("leaves", list(product((-1, 0, 1), repeat=3)))
def test_where_all_is_known_the_rules_are_minimax(leaves):
    # The opponent moves at a child: -1 for max is a win there.
    words = {-1: "win", 0: "draw", 1: "loss"}
    root = {"win": 1, "draw": 0, "loss": -1}[exercises.proven([words[leaf] for leaf in leaves])]
    assert root == minimax(GameTree(list(leaves))).value


# Exercise 2


def test_any_winning_action_is_right():
    assert check_nim_move(lambda heaps: nim_winning_actions(Nim(heaps))[-1])


def test_an_action_that_is_not_legal_is_named():
    feedback = check_nim_move(lambda heaps: (0, 9))
    assert "(0, 9) is no legal action" in feedback.message


def test_there_is_no_move_to_a_nim_sum_of_0_from_one():
    with pytest.raises(ValueError, match="every action loses"):
        exercises.nim_move([3, 3])


# Exercise 3


@pytest.mark.parametrize("children", list(product(exercises.OUTCOMES, repeat=2)))
def test_the_bounds_say_what_the_rules_prove(children):
    pairs = {"win": (1, 1), "draw": (0, 0), "loss": (-1, -1), "unknown": (-1, 1)}
    low, high = exercises.mover_bounds([pairs[child] for child in children])
    proven = exercises.proven(list(children))
    assert proven == "unknown" or pairs[proven] == (low, high)
    assert low == high or proven == "unknown"


# Exercise 4


@pytest.mark.parametrize(
    ("state", "simulations", "words"),
    [
        (TicTacToe(), 100, "the solver plays it"),
        (TicTacToe().play(0, 3, 1, 4, 2), 100, "this game is over"),
        (TicTacToe.parse(".O./X../..X"), 200, "the position of section 5; find another"),
        (TicTacToe(), 0, "simulations must be"),
        (TicTacToe(), True, "simulations must be"),
        (TicTacToe(4, 4), 100, "at most 9 cells"),
        (TicTacToe(num_players=3), 100, "at most 9 cells"),
        (Nim((1, 2)), 100, "at most 9 cells"),
    ],
)
def test_no_such_position_is_seen_where_there_is_none(state, simulations, words):
    feedback = check_not_most_visited(state, simulations)
    assert not feedback
    assert words in feedback.message
