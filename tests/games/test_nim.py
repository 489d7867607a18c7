from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_trees import true_values

from gamelib import Nim, grundy, nim_winning_actions

HEAPS = st.lists(st.integers(0, 6), min_size=1, max_size=4)


# Rules


def test_actions_are_ordered_by_heap_then_take():
    assert Nim((2, 0, 3)).legal_actions() == ((0, 1), (0, 2), (2, 1), (2, 2), (2, 3))


@pytest.mark.parametrize(
    ("misere", "num_players", "payoffs"),
    [(False, 2, (-1, 1)), (True, 2, (1, -1)), (False, 3, (-1, 1, -1)), (True, 3, (1, -1, 1))],
)
def test_last_stone_wins_or_loses_in_misere(misere, num_players, payoffs):
    state = Nim((1, 1), misere=misere, num_players=num_players).play((0, 1), (1, 1))
    assert state.utilities() == payoffs


def test_empty_position_counts_previous_player_as_taker():
    assert Nim((0, 0)).winner == 1
    assert Nim((0, 0), misere=True).winner == 0
    assert Nim((0,), num_players=4).utilities() == (-1, -1, -1, 1)


def test_winner_is_none_with_several_winners():
    state = Nim((1,), misere=True, num_players=3).play((0, 1))
    assert (state.winner, state.status()) == (None, "X lost")


@given(HEAPS, st.permutations(range(4)))
def test_symmetry_key_ignores_order_of_heaps(heaps, order):
    heaps = [*heaps, 0, 0, 0][:4]
    shuffled = [heaps[i] for i in order]
    assert Nim(heaps).symmetry_key() == Nim(shuffled).symmetry_key()


# Theory


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("max_take", [None, 1, 2, 3])
def test_winning_actions_equal_search_on_small_heaps(misere, max_take):
    for heaps in product(range(5), repeat=3):
        state = Nim(heaps, max_take, misere)
        won = tuple(action for action, value in true_values(state).items() if value > 0)
        assert nim_winning_actions(state) == won, state


@pytest.mark.parametrize("max_take", [None, 1, 2, 3])
def test_grundy_is_minimum_excludant(max_take):
    for heap in range(12):
        reached = {
            grundy(heap - take, max_take) for _, take in Nim((heap,), max_take).legal_actions()
        }
        assert grundy(heap, max_take) == min(set(range(20)) - reached)


# Many stones


def test_theory_handles_a_thousand_stones():
    assert nim_winning_actions(Nim((500, 499))) == ((0, 1),)
    assert nim_winning_actions(Nim((1000,), max_take=6)) == ((0, 6),)


# Text and data


@pytest.mark.parametrize("text", ["1 3 5 7", "1, 3, 5, 7", " 1,3 ,5\n7 "])
def test_parse_reads_heaps(text):
    assert Nim.parse(text) == Nim((1, 3, 5, 7))
