"""Searches accept numbers, seeds and arrays of numpy."""

import numpy as np
import pytest

from gamelib import ConnectFour, TicTacToe, alphabeta, mcts, minimax
from tests.messages import names


@pytest.mark.parametrize("tier", ["gamelib", "gamefast"])
def test_numpy_generator_draws_the_seed(tier):
    search = mcts if tier == "gamelib" else pytest.importorskip("gamefast").fast(mcts)
    first, again, other = (np.random.default_rng(seed) for seed in (0, 0, 1))
    results = [
        search(ConnectFour(), simulations=200, rng=rng).visits
        for rng in (first, again, other, first)
    ]
    assert results[0] == results[1]
    assert results[0] not in results[2:]


def test_priors_accept_array_in_action_order():
    state = TicTacToe().play(4)

    def table(state):
        actions = state.legal_actions()
        return dict(zip(actions, np.arange(len(actions)) / 36, strict=True))

    def array(state):
        return np.arange(len(state.legal_actions())) / 36

    one, other = (mcts(state, simulations=100, priors=p, rng=0) for p in (table, array))
    assert one == other


def test_short_array_of_priors_raises():
    with pytest.raises(ValueError, match=names("for every legal action; for 8 it returned None")):
        mcts(TicTacToe(), simulations=9, priors=lambda state: np.full(8, 0.1), rng=0)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_estimate_accepts_array_of_one_number(shape):
    def plain(state, player):
        return len(state.legal_actions()) / 10

    def array(state, player):
        return np.full(shape, plain(state, player))

    for search in (minimax, alphabeta):
        found = [search(TicTacToe(), depth=2, evaluate=each) for each in (plain, array)]
        assert found[0] == found[1]
    for wrong in (np.array([0.1, 0.2]), np.bool_(True), np.float32(1), np.nan):
        with pytest.raises(ValueError, match=names("a heuristic must stay inside")):
            minimax(TicTacToe(), depth=2, evaluate=lambda state, player, n=wrong: n)


def test_options_accept_numpy_numbers():
    def priors(state):
        return {action: np.float32(0.25) for action in state.legal_actions()}

    options = {"simulations": np.int64(10), "c": np.float32(1), "rng": np.int64(10)}
    plain = mcts(
        TicTacToe(), simulations=10, c=1, rng=10, priors=lambda s: dict.fromkeys(range(9), 0.25)
    )
    assert mcts(TicTacToe(), priors=priors, **options) == plain
    assert minimax(TicTacToe(), depth=np.int64(2)) == minimax(TicTacToe(), depth=2)
    result = alphabeta(TicTacToe(), depth=2, order=lambda state, actions: np.array(actions)[::-1])
    assert all(type(action) is int for action in result.values)
