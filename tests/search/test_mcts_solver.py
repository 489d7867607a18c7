import random

import pytest
from random_trees import InOrder, all_backed_up, random_position, reachable

from gamelib import Bound, GameTree, Nim, SearchTree, TicTacToe, maxn, mcts, nim_winning_actions
from gamelib.search.mcts import final_action
from gamelib.search.mcts_tree import Edge, Node
from gamelib.search.proofs import Bounds
from tests.messages import names


def grown(state, **options):
    tree = SearchTree()
    result = mcts(state, solver=True, tree=tree, **{"simulations": 20_000, "rng": 0} | options)
    return tree, result


def nodes_of(tree):
    waiting, seen = [tree.root], {}
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen[id(node)] = node
            waiting += [edge.node for edge in node.edges]
    return list(seen.values())


# The final choice, on tables made by hand: (visits, mean, low, high) of each action


def table(*rows):
    state = GameTree([[0] for _ in rows])
    node = Node(state)
    for action, (visits, mean, low, high) in enumerate(rows):
        edge = Edge(action, 0)
        edge.visits, edge.mean, edge.node = visits, mean, Node(state.successor(action))
        edge.node.bounds = Bounds((low, -high), (high, -low))
        node.add_edge(action, edge)
    lows, highs = zip(*((low, high) for _, _, low, high in rows), strict=True)
    node.bounds = Bounds((max(lows), -max(highs)), (max(highs), -max(lows)))
    node.open_edges = [
        e for e, (_, _, low, high) in zip(node.edges, rows, strict=True) if low < high
    ]
    return node


OPEN, WIN, DRAW, LOSS = (-1, 1), (1, 1), (0, 0), (-1, -1)


@pytest.mark.parametrize(
    ("rows", "chosen"),
    [
        ([(5, 0.9, *OPEN), (9, 0.5, *OPEN)], 1),  # by visits, not by the mean
        ([(9, 0.5, *OPEN), (9, 0.9, *OPEN)], 0),  # the first of equals
        ([(90, 0.9, *OPEN), (2, 0.1, *WIN)], 1),  # a proven win before all
        ([(90, 0.9, *LOSS), (2, 0.1, *OPEN)], 1),  # anything before a proven loss
        ([(90, 0.0, *OPEN), (99, 0.9, *LOSS)], 0),  # even what looks lost
        ([(90, 0.4, *OPEN), (2, 0.1, *DRAW)], 1),  # a draw before what looks worse
        ([(90, 0.6, *OPEN), (95, 0.9, *DRAW)], 0),  # and not before what looks better
        ([(90, 0.5, *OPEN), (2, 0.1, *DRAW)], 1),  # what is proven, if both look the same
        ([(90, 0.9, *LOSS), (2, 0.1, *DRAW), (50, 0.9, *LOSS)], 1),  # all proven: the best
        ([(3, 0.9, *LOSS), (8, 0.1, *LOSS), (5, 0.5, *LOSS)], 1),  # all lost: the hardest proof
        ([(90, 0.3, *OPEN), (5, 0.4, 0, 1), (3, 0.9, *LOSS)], 1),  # at least a draw
    ],
)
def test_final_choice_follows_its_rule(rows, chosen):
    assert final_action(table(*rows)) == chosen


def test_untried_action_precedes_proven_loss():
    assert mcts(GameTree([-1, -1, 1]), simulations=2, solver=True, rng=0).action == 2


# Never wrong


def between(low, value, high):
    return low <= value <= high


def check_every_tie_rule(tree):
    """Compare all bounds with the vectors that can be backed up: of two players that is one."""
    for node in nodes_of(tree):
        for payoffs in () if node.state.is_terminal() else all_backed_up(node.state):
            assert all(map(between, node.bounds.low, payoffs, node.bounds.high))


@pytest.mark.parametrize("share", [False, True])
def test_tic_tac_toe_proofs_are_true(share):
    positions = random.Random(1).sample(reachable(TicTacToe()), 300)
    for i, state in enumerate(positions):
        tree, _ = grown(state, simulations=60, rng=i, share=share)
        check_every_tie_rule(tree)


@pytest.mark.parametrize("misere", [False, True])
def test_nim_proofs_equal_theory(misere):
    for heaps in [(a, b, c) for a in range(4) for b in range(a + 1) for c in range(b + 1)][1:]:
        state = Nim(heaps, misere=misere)
        winning = nim_winning_actions(state)
        result = mcts(state, simulations=20_000, solver=True, share=True, rng=0)
        assert result.value == (1 if winning else -1)
        assert result.action in (winning or state.legal_actions())


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize(
    "start", [TicTacToe(num_players=3), Nim((2, 3), num_players=3), Nim((1, 1, 2), num_players=4)]
)
def test_proofs_hold_for_any_tie_rule(start, share):
    rng = random.Random(5)
    for _ in range(12):
        low, high = (4, 6) if isinstance(start, TicTacToe) else (0, 2)
        tree, _ = grown(random_position(start, rng, low, high), simulations=80, share=share)
        check_every_tie_rule(tree)


LEAVES = [(1, -1, -1), (-1, 1, -1), (-1, -1, 1), (0, 0, 0), (0, -1, 0), (0, 0, -1), (-1, 0, 0)]


@pytest.mark.parametrize("seed", range(60))
def test_proofs_hold_on_random_three_player_trees(seed):
    rng = random.Random(seed)
    state = GameTree([random_branch(rng, 4, LEAVES) for _ in range(3)])
    for simulations in range(1, 30, 4):
        tree, _ = grown(state, simulations=simulations, rng=seed)
        check_every_tie_rule(tree)


# What it proves


def test_kingmaker_position_proves_no_winner():
    tree, result = grown(Nim((1, 2), num_players=3))
    assert all_backed_up(Nim((1, 2), num_players=3)) == {(-1, 1, -1), (-1, -1, 1)}
    assert tree.root.bounds == ((-1, -1, -1), (-1, 1, 1))
    assert (result.value, result.utilities) == (-1, None)
    assert tree.root.is_resolved


def test_proven_root_stops_the_search():
    result = mcts(GameTree([1, -1]), simulations=100, solver=True, rng=InOrder())
    assert (result.stats.simulations, result.utilities) == (1, (1, -1))


def test_closed_action_has_upper_bound():
    result = mcts(GameTree([0, [-0.5, [1, -1]]]), simulations=100, solver=True, rng=0)
    assert result.values == {0: Bound(0), 1: Bound(-0.5, "upper")}


@pytest.mark.parametrize("seed", range(30))
def test_random_trees_are_proven_exactly(seed):
    rng = random.Random(seed)
    tree = GameTree([random_branch(rng, 4, [-1, -0.5, 0, 0, 0.5, 1]) for _ in range(3)])
    result = mcts(tree, simulations=5000, solver=True, rng=seed)
    assert result.utilities == maxn(tree).utilities


def random_branch(rng, depth, leaves):
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(leaves)
    return [random_branch(rng, depth - 1, leaves) for _ in range(rng.randint(1, 3))]


def test_closed_actions_keep_the_mean_unbiased():
    # The first reply draws and the others lose.  Once it is proven only the others are searched;
    # still the position must look like the draw that it is, not like a win of the other player.
    def full(depth, leaves):
        return next(leaves) if depth == 0 else [full(depth - 1, leaves) for _ in range(2)]

    lost = [full(7, iter([0.9, 1] * 64)) for _ in range(3)]
    state, tree = GameTree([[0, *lost], [-1, *lost]]), SearchTree()
    mcts(state, simulations=100, solver=True, rng=0, tree=tree)
    draw = tree.table()[0]
    assert draw.open
    assert draw.mean < 0.75


# Reasons


@pytest.mark.parametrize(
    ("state", "actions", "reason"),
    [
        (GameTree([1, 0]), (), "the reply 0 wins at once"),
        (GameTree([1, 0]), (0,), "the game is over"),
        (GameTree([[1, 1], -1]), (), "the reply 0 wins"),
        (GameTree([-1, -1]), (), "all replies lose"),
        (GameTree([[1, 1], -1]), (0,), "all replies lose"),
        (GameTree([-1, 0]), (), "the reply 1 draws, and no reply does better"),
        (GameTree([-1, 0.5]), (), "the reply 1 gets 0.5, and no reply does better"),
    ],
)
def test_why_explains_proven_nodes(state, actions, reason):
    tree, _ = grown(state)
    assert tree.node(*actions).why() == reason


def test_why_explains_bounds_and_unproven_nodes():
    tree, _ = grown(GameTree([0, [1, 1], [1, 1]]), simulations=1, rng=InOrder())
    assert tree.root.why() == "the reply 0 draws at least"
    tree, _ = grown(TicTacToe(), simulations=5)
    assert tree.root.why() == "nothing is proven"


# Refused


@pytest.mark.parametrize("leaf", [(1, 0, -1), (0.5, 0.5, -1)])
def test_unsound_payoffs_raise(leaf):
    with pytest.raises(ValueError, match=names("no two sum to more than 0")):
        mcts(GameTree([leaf]), simulations=5, solver=True)
