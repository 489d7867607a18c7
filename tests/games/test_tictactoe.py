from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from naive import naive_winner

from gamelib import ConnectFour, TicTacToe

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


@given(
    SIZES.map(lambda size: TicTacToe(*size)) | SIZES.map(lambda size: ConnectFour(*size[:3])),
    st.randoms(use_true_random=False),
)
def test_the_winning_line_is_k_equal_cells_in_a_row(final, rng):
    while not final.is_terminal():
        final = final.successor(rng.choice(final.legal_actions()))
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


def test_a_subclass_is_another_game():
    class Misere(TicTacToe):
        def utilities(self):
            return tuple(-payoff for payoff in super().utilities())

    assert Misere() != TicTacToe()
    assert type(Misere().play(4)) is Misere
