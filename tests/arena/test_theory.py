import pytest

from arena.results.openings import theory
from gamelib import ConnectFour, GameTree, Nim, TicTacToe, nim_sum, solve


@pytest.mark.parametrize(
    ("state", "payoffs"),
    [
        (Nim((2, 2, 2, 2)).play((0, 1)), (-1, 1)),
        (Nim((2,), max_take=1), (-1, 1)),
        (TicTacToe(), (0, 0)),
        (TicTacToe(2, 5, 2), (1, -1)),
        (ConnectFour(), (1, -1)),
        (GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), (3, -3)),
        (TicTacToe.parse("XXX/OO./..."), (1, -1)),
    ],
)
def test_known_values(state, payoffs):
    assert theory(state) == payoffs


@pytest.mark.parametrize("heaps", [(1, 2), (1, 3, 5), (2, 3, 1), (4, 4), (1, 1, 1, 1), (5,)])
@pytest.mark.parametrize("misere", [False, True])
def test_nim_by_theory_is_nim_by_search(heaps, misere):
    state = Nim(heaps, misere=misere)
    assert theory(state) == solve(state).utilities
    assert misere or (theory(state) == (1, -1)) == (nim_sum(heaps) != 0)


@pytest.mark.parametrize(
    "state",
    [
        TicTacToe(3, 3, 3, 3),
        TicTacToe(5, 5, 4),
        ConnectFour(5, 6),
        ConnectFour().play(3),
        GameTree([(1, 2, 3), (4, 2, 1)]),
        GameTree([(1, 1), (0, 3)]),
    ],
)
def test_what_is_not_known_cheaply_is_not_said(state):
    assert theory(state) is None


def test_a_game_with_rules_of_its_own_is_not_taken_for_nim():
    class OddNim(Nim):
        pass

    assert theory(OddNim((3, 4, 5))) is None
