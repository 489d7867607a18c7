"""The compiled MCTS makes the same choices as in gamelib, as often, with the same proofs."""

from importlib import import_module

import pytest
import same_chance
from random_trees import security_value

import gamefast
import gamelib
from gamelib import ConnectFour, Nim, TicTacToe
from tests.messages import names

PROVEN = [
    TicTacToe.parse("X.. / .O. / ..X"),
    TicTacToe.parse("XO. / ... / ..."),
    Nim((2, 3)),
    Nim((1, 2, 3)),
    Nim((3, 4), max_take=2),
    Nim((1, 1, 2), misere=True),
    ConnectFour(3, 4, 3),
    TicTacToe(2, 2, 2, num_players=3),
    Nim((1, 2), num_players=3),
]


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize("state", PROVEN, ids=repr)
def test_proofs_are_true(state, share):
    for seed in range(5):
        result = gamefast.mcts(state, simulations=200_000, solver=True, share=share, rng=seed)
        if result.utilities is not None:
            mover = state.current_player
            assert result.utilities[mover] >= security_value(state, mover)
            if state.num_players == 2:
                solved = gamelib.solve(state)
                assert result.value == solved.value
                assert solved.values[result.action].value == solved.value


@pytest.mark.parametrize(
    ("solver", "share"), [(False, False), (True, False), (False, True), (True, True)]
)
@pytest.mark.parametrize(
    "state",
    [
        # Of three a node can be settled while nothing is known of its value.
        Nim((3, 4, 5), num_players=3),
        Nim((1, 2, 1), max_take=1, num_players=4),
        TicTacToe(num_players=3),
        TicTacToe(4, 2, 3, num_players=6),
        TicTacToe().play(0),
        ConnectFour(4, 5, 3).play(2, 2),
        Nim((2, 3, 2), misere=True),
    ],
    ids=repr,
)
def test_same_random_numbers_build_tree_of_gamelib(state, solver, share):
    options = {"solver": solver, "share": share}
    for seed, (c, simulations) in enumerate([(2**0.5, 1500), (0.2, 300), (0, 40), (1e40, 99)]):
        options |= {"simulations": simulations, "c": c, "rng": seed}
        assert gamefast.mcts(state, **options) == same_chance.mcts(state, **options), options


def test_node_without_selectable_action_raises(monkeypatch):
    module = import_module("gamefast.mcts_search")

    class Closed(module.KernelTree):
        def run_slice(self, *arguments):
            self.terms[:] = -float("inf")  # as if all were proven, and nobody had noticed
            return super().run_slice(*arguments)

    monkeypatch.setattr(module, "KernelTree", Closed)
    with pytest.raises(RuntimeError, match="no action"):
        gamefast.mcts(Nim((1, 2)), simulations=10**6, rng=1, stop=lambda: False)


@pytest.mark.parametrize(
    "state",
    [TicTacToe(2, 2, 2, num_players=3), Nim((1, 2, 3)), Nim((2, 3), num_players=3)],
    ids=repr,
)
def test_shared_tree_has_one_node_per_position(state):
    positions = level = {state}
    while level:
        level = {node.successor(action) for node in level for action in node.legal_actions()}
        positions = positions | level
    result = gamefast.mcts(state, simulations=20_000, share=True, rng=1)
    assert result.stats.tree_nodes == len(positions)


def test_shared_tree_in_slices_is_equal(monkeypatch):
    options = {"simulations": 4000, "share": True, "rng": 1}
    whole = [gamefast.mcts(TicTacToe(), solver=solver, **options) for solver in (False, True)]
    monkeypatch.setattr(import_module("gamefast.mcts_search"), "FIRST_NODES", 64)
    grown = [gamefast.mcts(TicTacToe(), solver=solver, **options) for solver in (False, True)]
    assert grown == whole
    assert whole[0].stats.tree_nodes < 2500


def test_tree_in_slices_is_equal():
    whole = gamefast.mcts(ConnectFour(), simulations=150_000, rng=1)
    watched = gamefast.mcts(ConnectFour(), simulations=150_000, rng=1, stop=lambda: False)
    assert watched == whole
    assert sum(whole.visits.values()) == 150_000
    assert 100_000 < whole.stats.tree_nodes <= 150_001


def test_full_tree_warns_and_continues(monkeypatch):
    module = import_module("gamefast.mcts_search")
    monkeypatch.setattr(module, "FIRST_NODES", 64)
    monkeypatch.setattr(module, "MAX_TREE_BYTES", 128 * 28)  # the bytes of a node without proofs
    with pytest.warns(RuntimeWarning, match=r"was full after \d+ nodes"):
        result = gamefast.mcts(ConnectFour(), simulations=5000, rng=1)
    assert sum(result.visits.values()) == 5000
    assert result.stats.tree_nodes <= 128
    assert result.action == 3


def test_unsound_payoffs_raise_with_solver():
    with pytest.raises(ValueError, match=names("no two sum to more than 0")):
        gamefast.mcts(Nim((2, 2), None, True, 3), simulations=5, solver=True)
