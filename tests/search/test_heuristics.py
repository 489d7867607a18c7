import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import lines_from
from random_trees import positions_of

from gamelib import ConnectFour, TicTacToe, lines_heuristic, open_windows, windows_heuristic
from tests.messages import names

BOARDS = [
    TicTacToe(),
    TicTacToe(4, 5, 4),
    TicTacToe(5, 3, 2),
    ConnectFour(),
    ConnectFour(4, 5, 3),
    TicTacToe(3, 3, 3, num_players=3),
]
WEIGHTS = st.lists(st.integers(-50, 50) | st.floats(-50, 50), min_size=1, max_size=4)

POSITIONS = positions_of(BOARDS, most_plies=20)


def naive_lead(state, player, weights):
    """Return the points for the open lines of `player` less those of the others, cell by cell."""
    cells = {(r, c): state.cell(r, c) for r in range(state.rows) for c in range(state.cols)}
    lead = 0
    for cell in cells:
        for line in lines_from(*cell, state.k):
            owners = [cells.get(place, "edge") for place in line]
            owners = [owner for owner in owners if owner is not None]
            if len({owner == player for owner in owners}) == 1 and "edge" not in owners:
                points = weights[min(len(owners), len(weights)) - 1]
                lead += points if owners[0] == player else -points
    return lead


@given(POSITIONS, st.lists(st.integers(-50, 50), min_size=1, max_size=4))
def test_estimate_equals_naive_count_of_open_lines(state, weights):
    for player in range(state.num_players):
        lead = naive_lead(state, player, weights)
        value = lines_heuristic(weights=weights, scale=7)(state, player)
        assert value == lead / (7 + abs(lead))


@given(POSITIONS, WEIGHTS, st.floats(1e-3, 1e3))
def test_estimates_stay_inside_win_and_loss(state, weights, scale):
    evaluate = lines_heuristic(weights=weights, scale=scale)
    assert all(-1 < evaluate(state, player) < 1 for player in range(state.num_players))
    if state.num_players == 2:
        assert evaluate(state, 0) == -evaluate(state, 1)


def test_different_weights_keep_separate_tables():
    state = ConnectFour().play(3)
    first = windows_heuristic(weights=(1,))(state, 0)
    assert windows_heuristic(weights=(2,))(state, 0) > first
    assert windows_heuristic(weights=(1,))(state, 0) == first


def test_heuristics_can_be_pickled():
    assert pickle.loads(pickle.dumps(open_windows)) == open_windows


def test_repr_shows_weights():
    assert "weights=(1, 3), scale=2" in repr(lines_heuristic(weights=[1, 3], scale=2))


@pytest.mark.parametrize("weights", [(), (1, "3"), (1, None), (float("nan"),), (True,)])
def test_invalid_weights_raise(weights):
    with pytest.raises(ValueError, match=names("weights must be one or more finite numbers; got")):
        lines_heuristic(weights=weights)


@pytest.mark.parametrize("scale", [0, -1, float("inf"), "1", None])
def test_invalid_scale_raises(scale):
    with pytest.raises(ValueError, match=names("scale must be a finite number above 0; got")):
        windows_heuristic(scale=scale)
