"""The compiled MCTS makes the same choices as in gamelib, as often, with the same proofs."""

import warnings
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
    with warnings.catch_warnings(action="error"):
        gamefast.mcts(ConnectFour(), simulations=30, rng=1)  # uses the same arrays again


def test_unsound_payoffs_raise_with_solver():
    with pytest.raises(ValueError, match=names("no two sum to more than 0")):
        gamefast.mcts(Nim((2, 2), None, True, 3), simulations=5, solver=True)


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize("solver", [False, True])
@pytest.mark.parametrize("state", [ConnectFour(4, 5, 3), TicTacToe(num_players=3), Nim((2, 3, 4))])
def test_tree_follows_game_as_in_gamelib(state, solver, share):
    trees = {gamefast.mcts: gamefast.SearchTree(), same_chance.mcts: gamelib.SearchTree()}
    options = {"solver": solver, "share": share, "simulations": 300}
    for seed in range(4):
        results = [search(state, tree=tree, rng=seed, **options) for search, tree in trees.items()]
        assert results[0] == results[1]
        action = max(results[0].visits, key=results[0].visits.get)
        state = state.successor(action)
        if state.is_terminal():
            break
        trees = {search: tree.after(action) for search, tree in trees.items()}
        sizes = [len(tree) for tree in trees.values()]
        assert sizes[0] == sizes[1]


def test_tree_after_action_leaves_old_tree_unchanged():
    state, tree = TicTacToe(), gamefast.SearchTree()
    gamefast.mcts(state, simulations=200, tree=tree, rng=1)
    size, after = len(tree), tree.after(4)
    gamefast.mcts(state.successor(4), simulations=500, tree=after, rng=1)
    assert len(after) > size == len(tree)
    continued = gamefast.mcts(state, simulations=1, tree=tree, rng=2)
    assert sum(continued.visits.values()) == 201


def test_tree_of_another_position_begins_anew():
    tree = gamefast.SearchTree()
    for state in (TicTacToe(), TicTacToe(4, 4, 4), ConnectFour()):
        result = gamefast.mcts(state, simulations=30, tree=tree, rng=1)
        assert result == gamefast.mcts(state, simulations=30, rng=1)


def test_tree_without_the_action_raises():
    tree = gamefast.SearchTree()
    with pytest.raises(ValueError, match=names("tree=tree")):
        tree.after(4)
    gamefast.mcts(TicTacToe(), simulations=3, tree=tree, rng=1)
    with pytest.raises(KeyError, match=names("(9,)")):
        tree.after(9)
    with pytest.raises(ValueError, match=names("solver=True")):
        gamefast.mcts(TicTacToe(), simulations=3, tree=tree, solver=True)
    with pytest.raises(TypeError, match=names("gamefast.SearchTree()")):
        gamefast.mcts(TicTacToe(), simulations=3, tree=gamelib.SearchTree())
