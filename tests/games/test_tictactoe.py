from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelib import TicTacToe

SIZES = st.tuples(
    st.integers(1, 7), st.integers(1, 7), st.integers(1, 6), st.integers(2, 6)
).filter(lambda size: size[2] <= max(size[:2]))


def results(state, memo):
    """Return how many games from `state` end in each way: a player wins, or None, a draw."""
    if state.is_terminal():
        return Counter([state.winner])
    if state not in memo:
        memo[state] = sum(
            (results(state.successor(action), memo) for action in state.legal_actions()), Counter()
        )
    return memo[state]


def random_game(start, rng):
    """Return (actions, positions) of a random game."""
    actions, positions = [], [start]
    while not positions[-1].is_terminal():
        actions.append(rng.choice(positions[-1].legal_actions()))
        positions.append(positions[-1].successor(actions[-1]))
    return actions, positions


def naive_winner(cells, k):
    """Return the owner of k equal cells in a row, found by walking from every cell; else None.

    `cells` maps (row, col) to a player.
    """
    for (row, col), owner in cells.items():
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            line = [(row + i * down, col + i * right) for i in range(k)]
            if all(cells.get(cell) == owner for cell in line):
                return owner
    return None


# The whole game


def test_255168_games_end_as_known():
    assert results(TicTacToe(), {}) == {0: 131_184, 1: 77_904, None: 46_080}


def test_345600_games_of_three_players_end_as_known():
    known = {0: 17_280, 1: 31_968, 2: 31_968, None: 264_384}
    assert results(TicTacToe(num_players=3), {}) == known


# Any board


@given(SIZES, st.randoms(use_true_random=False))
def test_a_random_game_agrees_with_a_naive_program(size, rng):
    rows, cols, k, players = size
    cells, state = {}, TicTacToe(*size)
    while naive_winner(cells, k) is None and len(cells) < rows * cols:
        free = [i for i in range(rows * cols) if divmod(i, cols) not in cells]
        assert list(state.legal_actions()) == free
        assert (state.is_terminal(), state.current_player) == (False, len(cells) % players)
        action = rng.choice(free)
        cells[divmod(action, cols)] = state.current_player
        state = state.successor(action)
    winner = naive_winner(cells, k)
    won = [-1] * players if winner is not None else [0] * players
    if winner is not None:
        won[winner] = 1
    assert (state.is_terminal(), list(state.legal_actions())) == (True, [])
    assert (state.winner, state.utilities()) == (winner, tuple(won))
    assert {(r, c): state.cell(r, c) for r in range(rows) for c in range(cols)} == {
        (r, c): cells.get((r, c)) for r in range(rows) for c in range(cols)
    }


@given(SIZES, st.randoms(use_true_random=False))
def test_the_winning_line_is_k_equal_cells_in_a_row(size, rng):
    final = random_game(TicTacToe(*size), rng)[1][-1]
    line = [divmod(cell, final.cols) for cell in final.winning_line()]
    if final.winner is None:
        assert line == []
    else:
        assert naive_winner(dict.fromkeys(line, final.winner), final.k) == final.winner
        assert len(line) == final.k
        assert {final.cell(*cell) for cell in line} == {final.winner}


def test_the_largest_board_has_its_long_diagonal():
    start = TicTacToe(50, 50, 50)
    diagonal, others = [51 * i for i in range(50)], [51 * i + 1 for i in range(49)]
    moves = [move for pair in zip(diagonal, others, strict=False) for move in pair]
    assert start.play(*moves, diagonal[-1]).winning_line() == tuple(diagonal)


# Equality


def test_boards_of_other_rules_are_not_equal():
    states = [TicTacToe(3, 3, 3), TicTacToe(3, 3, 2), TicTacToe(3, 3, 3, 3), TicTacToe(3, 4, 3)]
    assert len(set(states)) == 4


def test_the_player_to_move_makes_a_difference():
    assert TicTacToe.parse("X../.../...") != TicTacToe.parse("X../.../...", current_player=0)


def test_a_subclass_is_another_game():
    class Misere(TicTacToe):
        def utilities(self):
            return tuple(-payoff for payoff in super().utilities())

    assert Misere() != TicTacToe()
    assert type(Misere().play(4)) is Misere


# Text


def test_a_position_prints_as_a_board():
    assert str(TicTacToe().play(4, 0)) == "O . .\n. X .\n. . ."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("XX. / .O. / ...", "TicTacToe(XX./.O./..., O to move)"),
        ("X.O\n.XO\n..X", "TicTacToe(X.O/.XO/..X, X won)"),
        ("XOX/XOO/OXX", "TicTacToe(XOX/XOO/OXX, draw)"),
    ],
)
def test_the_repr_says_whose_turn_it_is_or_who_won(text, shown):
    assert repr(TicTacToe.parse(text)) == shown


def test_an_uneven_set_up_may_name_the_player_to_move():
    assert TicTacToe.parse("XX./X../...", current_player=1).current_player == 1
