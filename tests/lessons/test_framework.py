"""References against theory and the library; what checks say is in the tables of test_mutants."""

import pytest

from course.exercises.answer_key import use_seed
from course.exercises.state_space import exact_values
from course.lessons.framework import check as exercises
from course.lessons.framework import reference
from course.lessons.framework.check import check_leaves_alone
from course.lessons.framework.lab_programs import ALIKE, ThriftyTicTacToe
from gamelib import Nim, check_game, nim_winning_actions

GUESSES = {
    "its name": lambda state, asked: "Thrifty" not in type(state).__name__,
    "its class": lambda state, asked: not isinstance(state, ThriftyTicTacToe),
    "how it prints": lambda state, asked: "Thrifty" not in repr(state),
    "what it holds": lambda state, asked: not isinstance(getattr(state, "cells", ""), list),
    "when it is asked": lambda state, asked: asked % 3 > 0,
}


@pytest.mark.parametrize("guess", GUESSES.values(), ids=GUESSES)
def test_guessing_shared_boards_fails_check(guess):
    asked = []

    def leaves_alone(state, action):
        asked.append(state)
        return guess(state, len(asked))

    with use_seed("spring"):
        assert not check_leaves_alone(leaves_alone)
        assert check_leaves_alone(reference.leaves_alone)


@pytest.mark.parametrize("game", [game for game, name in ALIKE.items() if "Thrifty" not in name])
def test_anonymized_game_keeps_rules(game):
    assert check_game(game(), games=20)


def test_exercise_sticks_equal_game_of_section_3():
    assert check_game(exercises.Sticks(), games=20)
    for sticks in range(13):
        nim = Nim((sticks,), max_take=3)
        assert (
            exact_values(exercises.Sticks(sticks))[exercises.Sticks(sticks)]
            == (exact_values(nim)[nim])
        )


def test_lab_1a_loses_from_multiples_of_three():
    assert [n for n in range(1, 11) if not nim_winning_actions(Nim((n,), max_take=2))] == [3, 6, 9]
