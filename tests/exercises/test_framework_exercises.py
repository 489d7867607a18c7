"""Every check passes its reference and answers each known mistake with that mistake's hint."""

import pytest

from gamelib import ConnectFour, TicTacToe
from gamelib.exercises import framework as exercises
from gamelib.exercises.framework import (
    LEAVES_ALONE_MISTAKES,
    PAYOFFS_MISTAKES,
    POSITIONS_MISTAKES,
    MisereSticks,
    check_leaves_alone,
    check_misere_sticks,
    check_payoffs,
    check_positions_at,
)


def test_the_reference_game_passes():
    assert check_misere_sticks(MisereSticks)


class TakesTwo(MisereSticks):
    def legal_actions(self):
        return [take for take in (1, 2, 3) if take <= self.sticks]


class LastWins(MisereSticks):
    def utilities(self):
        return tuple(-value for value in super().utilities())


class PayoffsAlways(MisereSticks):
    def utilities(self):
        return (1, -1) if self.current_player == 0 else (-1, 1)


class AcceptsAll(MisereSticks):
    def successor(self, action):
        return type(self)(max(0, self.sticks - (action or 0)), 1 - self.current_player)


class Blank(MisereSticks):
    def is_terminal(self):
        raise NotImplementedError


class Broken(MisereSticks):
    def legal_actions(self):
        return [1 / 0]


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (TakesTwo, "the legal actions are"),
        (LastWins, "Who took the last stick?"),
        (PayoffsAlways, "before the end"),
        (AcceptsAll, "is not among the legal actions"),
        (Blank, "not written yet"),
        (Broken, "raised ZeroDivisionError"),
        (TicTacToe, "the legal actions are"),
    ],
)
def test_a_wrong_game_is_told_what_is_wrong(game, words):
    feedback = check_misere_sticks(game)
    assert not feedback
    assert words in feedback.message


def test_the_reference_counts_known_positions():
    assert [exercises.positions_at(ConnectFour(), ply) for ply in range(5)] == [1, 7, 49, 238, 1120]


def test_the_reference_count_passes():
    assert check_positions_at(exercises.positions_at)


@pytest.mark.parametrize("hint", POSITIONS_MISTAKES)
def test_each_mistake_in_counting_gets_its_hint(hint):
    feedback = check_positions_at(POSITIONS_MISTAKES[hint])
    assert not feedback
    assert hint in feedback.message


def test_the_reference_payoffs_pass():
    assert check_payoffs(exercises.payoffs)


@pytest.mark.parametrize("hint", PAYOFFS_MISTAKES)
def test_each_mistake_in_payoffs_gets_its_hint(hint):
    feedback = check_payoffs(PAYOFFS_MISTAKES[hint])
    assert not feedback
    assert hint in feedback.message


def test_the_reference_invariant_passes():
    assert check_leaves_alone(exercises.leaves_alone)


@pytest.mark.parametrize("hint", LEAVES_ALONE_MISTAKES)
def test_each_mistake_in_the_invariant_gets_its_hint(hint):
    feedback = check_leaves_alone(LEAVES_ALONE_MISTAKES[hint])
    assert not feedback
    assert hint in feedback.message


def test_an_invariant_that_raises_is_told_so():
    assert "raised IllegalActionError" in check_leaves_alone(lambda s, a: s.play(a, a)).message
