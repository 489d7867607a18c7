"""The results of compiled searches, whose fields are read when somebody looks at one."""

from dataclasses import replace

import pytest
from positions import random_positions

import gamefast
from gamelib import ConnectFour, Stats, TicTacToe
from tests.messages import names

SEARCHES = {
    "minimax": lambda state: gamefast.minimax(state, depth=3),
    "alphabeta": lambda state: gamefast.alphabeta(state, depth=12),  # longer than a stored line
    "mcts": lambda state: gamefast.mcts(state, simulations=60, rng=1),
    "proofs": lambda state: gamefast.mcts(state, simulations=60, solver=True, share=True, rng=1),
    "solve": gamefast.solve,
}


@pytest.mark.parametrize("start", [ConnectFour(4, 5, 3), TicTacToe()], ids=repr)
@pytest.mark.parametrize("name", SEARCHES)
def test_result_that_is_read_late_is_unchanged(name, start):
    search, positions = SEARCHES[name], list(random_positions(20, 16, 1, [start]))
    read_at_once = [repr(replace(search(state), stats=Stats())) for state in positions]
    results = [search(state) for state in positions]
    actions = [result.action for result in results]  # known before the rest is read
    assert [repr(result).split(",")[0] for result in results] == [
        f"SearchResult(action={action!r}" for action in actions
    ]
    assert [repr(replace(result, stats=Stats())) for result in results] == read_at_once


@pytest.mark.parametrize("name", ["progress", "stop"])
@pytest.mark.parametrize(
    "search", [gamefast.minimax, gamefast.alphabeta, gamefast.mcts, gamefast.solve]
)
def test_callback_that_is_no_function_raises(search, name):
    budget = {"simulations": 5} if search is gamefast.mcts else {}
    with pytest.raises(TypeError, match=names(f"{name} must be a function; got 3")):
        search(TicTacToe(), **budget, **{name: 3})
