"""Random positions to search."""

import random

from gamelib import ConnectFour, TicTacToe

BOARDS = [
    *(TicTacToe(*size) for size in [(3, 3, 3), (4, 4, 3), (4, 4, 4), (2, 5, 3), (1, 6, 2)]),
    *(TicTacToe(*size) for size in [(6, 3, 3), (7, 8, 5), (7, 8, 4)]),
    *(ConnectFour(*size) for size in [(6, 7, 4), (4, 4, 3), (4, 5, 4), (2, 6, 3), (7, 8, 4)]),
    *(ConnectFour(*size) for size in [(3, 3, 1), (30, 2, 8), (30, 2, 4), (1, 9, 3)]),
]


def from_columns(columns):
    """Return the position after the columns played, counted from 1, as the literature does."""
    return ConnectFour().play(*(int(digit) - 1 for digit in columns))


def random_columns(plies, rng):
    """Return a position after so many random plies that is not over, and the columns played."""
    state, columns = ConnectFour(), []
    while len(columns) < plies:
        columns.append(rng.choice(state.legal_actions()))
        state = state.successor(columns[-1])
        if state.is_terminal():
            state, columns = ConnectFour(), []
    return state, columns


def cells_left(state):
    taken = sum(state.stones(player).bit_count() for player in range(state.num_players))
    return state.rows * state.cols - taken


def score(state, value, distance):
    """Return half of the cells left at the end, rounded up: + for a win, 0 for a draw."""
    return 0 if distance is None else value * ((cells_left(state) - distance + 2) // 2)


def random_position(start, left, rng):
    """Return a position of a random game, not over, with about so many cells left or more."""
    while True:
        state = start
        while cells_left(state) > left and not state.is_terminal():
            state = state.successor(rng.choice(state.legal_actions()))
        if not state.is_terminal():
            return state
        left = min(left + 1, cells_left(start))


def random_positions(count, most_left, seed, starts=BOARDS):
    """Yield positions of all boards in turn, with 1 to about `most_left` cells left."""
    rng = random.Random(seed)
    for i in range(count):
        yield random_position(starts[i % len(starts)], rng.randint(1, most_left), rng)
