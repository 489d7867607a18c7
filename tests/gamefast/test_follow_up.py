"""The bounds of the follow-up strategy against exact scores."""

import random
from math import copysign

from positions import random_position, score

import gamefast
from gamefast.follow_up import NO_BOUND, follow_up, upper_cells
from gamelib import ConnectFour
from gamelib.games.k_in_a_row import has_line
from gamelib.search.checks import WIN_SCORE

BOARDS = [(4, 4, 3), (4, 5, 4), (5, 4, 4), (5, 5, 4), (3, 6, 4), (6, 4, 4), (3, 7, 3), (7, 3, 4)]
BOARDS += [(6, 7, 4)]


def cells_that_complete(stones, free, state):
    """Return the free cells where one stone more makes a line."""
    cells = [cell for i in range(64) if (cell := 1 << i) & free]
    return sum(cell for cell in cells if has_line(stones | cell, state.k, state.rows + 1))


def bounds_of(state, alphas):
    """Return alpha -> the bound for the player to move; {} where the strategy is not asked."""
    leader, follower = (
        state.stones(player) for player in (state.current_player, 1 - state.current_player)
    )
    taken, stride = leader | follower, state.rows + 1
    bottom = sum(1 << c * stride for c in range(state.cols))
    free = bottom * ((1 << state.rows) - 1) & ~taken
    if cells_that_complete(leader, free, state) & taken + bottom:
        return {}
    danger = cells_that_complete(follower, free, state)
    upper = upper_cells(state.rows, bottom)
    return {
        alpha: follow_up(leader, taken, danger, alpha, upper, bottom, state.rows, state.k)
        for alpha in alphas
    }


def exact_score(state):
    """Return the score that compiled alpha-beta finds, which does not use the strategy."""
    value = gamefast.alphabeta(state, quick_wins=True).value
    return score(state, int(copysign(1, value)), WIN_SCORE - abs(value)) if value else 0


def test_bound_is_never_below_score():
    rng, bounds = random.Random(1), 0
    for i in range(400):
        state = random_position(ConnectFour(*BOARDS[i % len(BOARDS)]), rng.randint(4, 12), rng)
        found = bounds_of(state, range(-4, 3))
        found = {alpha: bound for alpha, bound in found.items() if bound != NO_BOUND}
        exact = exact_score(state) if found else 0
        for alpha, bound in found.items():
            assert exact <= bound <= alpha, state
        bounds += len(found)
    assert bounds > 100


def test_three_columns_give_bound_zero():
    assert bounds_of(ConnectFour(4, 3, 4), [0]) == {0: 0}


def test_move_below_threat_gives_losing_bound():
    state = ConnectFour.parse("OOO. / XXO. / OOXX / XXOO", current_player=0)
    assert bounds_of(state, [-1, -2]) == {-1: -1, -2: NO_BOUND}
