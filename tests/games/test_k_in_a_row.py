"""Tic-tac-toe and Connect Four on boards of any size, compared with a naive program."""

import random
from collections import Counter
from functools import reduce
from operator import or_

from hypothesis import given
from hypothesis import strategies as st
from naive import naive_winner

from gamelib import ConnectFour, TicTacToe
from gamelib.games.k_in_a_row import lookup_table

SIZES = st.tuples(
    st.integers(1, 7), st.integers(1, 8), st.integers(1, 6), st.integers(2, 6)
).filter(lambda size: size[2] <= max(size[:2]))
BOARDS = SIZES.map(lambda s: TicTacToe(*s)) | SIZES.map(lambda s: ConnectFour(*s[:3]))
RANDOMS = st.randoms(use_true_random=False)


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


def test_tic_tac_toe_has_255168_known_games():
    assert results(TicTacToe(), {}) == {0: 131_184, 1: 77_904, None: 46_080}


def test_three_player_game_has_345600_known_games():
    known = {0: 17_280, 1: 31_968, 2: 31_968, None: 264_384}
    assert results(TicTacToe(num_players=3), {}) == known


# Any board


def free_cells(state, stones):
    """Return the free cell that each action takes: of a column of Connect Four the lowest one."""
    cells = [(row, col) for row in range(state.rows) for col in range(state.cols)]
    free = {number: cell for number, cell in enumerate(cells) if cell not in stones}
    return free if isinstance(state, TicTacToe) else {col: (row, col) for row, col in free.values()}


@given(BOARDS, RANDOMS)
def test_mine_and_taken_equal_stones_of_players(state, rng):
    while not state.is_terminal():
        state = state.successor(rng.choice(list(state.legal_actions())))
        stones = [state.stones(player) for player in range(state.num_players)]
        assert state.mine_and_taken() == (stones[state.current_player], reduce(or_, stones))


@given(BOARDS, RANDOMS)
def test_random_games_equal_naive_program(state, rng):
    players, stones, winner = state.num_players, {}, None
    while winner is None and (free := free_cells(state, stones)):
        assert list(state.legal_actions()) == list(free)
        assert (state.is_terminal(), state.current_player) == (False, len(stones) % players)
        action = rng.choice(list(free))
        stones[free[action]] = state.current_player
        state, winner = state.successor(action), naive_winner(stones, state.k)
        assert all(state.cell(*cell) == stones.get(cell) for cell in [*stones, *free.values()])
    won = tuple((1 if player == winner else -1) * (winner is not None) for player in range(players))
    assert (state.is_terminal(), list(state.legal_actions())) == (True, [])
    assert (state.winner, state.utilities()) == (winner, won)


@given(BOARDS, RANDOMS)
def test_winning_line_has_k_equal_cells(final, rng):
    while not final.is_terminal():
        final = final.successor(rng.choice(final.legal_actions()))
    line = [divmod(cell, final.cols) for cell in final.winning_line()]
    if final.winner is None:
        assert line == []
    else:
        assert naive_winner(dict.fromkeys(line, final.winner), final.k) == final.winner
        assert len(line) == final.k
        assert {final.cell(*cell) for cell in line} == {final.winner}


def test_largest_board_finds_long_diagonal():
    start = TicTacToe(50, 50, 50)
    diagonal, others = [51 * i for i in range(50)], [51 * i + 1 for i in range(49)]
    moves = [move for pair in zip(diagonal, others, strict=False) for move in pair]
    assert start.play(*moves, diagonal[-1]).winning_line() == tuple(diagonal)


def test_lookup_table_computes_once_until_full():
    asked = []
    table = lookup_table(lambda stones: asked.append(stones) or -stones, 13, max_entries=2)
    assert [table[stones] for stones in (1, 2, 1, 2, 3, 1)] == [-1, -2, -1, -2, -3, -1]
    assert asked == [1, 2, 3, 1]


# Equality


def test_subclass_positions_are_unequal():
    class Misere(TicTacToe):
        def utilities(self):
            return tuple(-payoff for payoff in super().utilities())

    assert Misere() != TicTacToe()
    assert type(Misere().play(4)) is Misere


def test_symmetry_key_is_equal_only_for_images():
    rng, keys = random.Random(0), {}
    for _ in range(20):
        state = ConnectFour(4, 5, 3)
        while not state.is_terminal():
            state = state.successor(rng.choice(state.legal_actions()))
            rows = str(state).replace(" ", "").splitlines()
            mirrored = [row[::-1] for row in rows]
            keys.setdefault(state.symmetry_key(), set()).add("/".join(min(rows, mirrored)))
    assert all(len(boards) == 1 for boards in keys.values())
    assert len(keys) == len({board for boards in keys.values() for board in boards})
