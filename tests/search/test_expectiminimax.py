"""Expectiminimax and Star1 against each other and brute force."""

from fractions import Fraction
from math import isclose
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import NO_CHANCE, check_claims

from gamelib import (
    CHANCE,
    EinStein,
    GameTree,
    Nim,
    SearchTree,
    TicTacToe,
    alphabeta,
    check_game,
    expectiminimax,
    mcts,
    minimax,
    random_choice,
    star1,
    take_a_win,
)
from gamelib.games.game_tree import Chance
from gamelib.state import BrokenRuleError

HALF = Fraction(1, 2)


def brute_force(node, me):
    """Return the expected payoff of `me`: a second program, without windows and without order."""
    if node.is_terminal():
        return Fraction(node.utility(me))
    if node.current_player == CHANCE:
        return sum(
            Fraction(chance) * brute_force(node.successor(action), me)
            for action, chance in node.chance_outcomes()
        )
    values = [brute_force(node.successor(action), me) for action in node.legal_actions()]
    return max(values) if node.current_player == me else min(values)


@st.composite
def trees(draw, depth=4):
    """Draw a tree of numbers with chance nodes anywhere below the root, one in another, too."""
    kind = draw(st.sampled_from(["leaf", "node", "node", "chance", "chance"])) if depth else "leaf"
    if kind == "leaf":
        return draw(st.integers(-3, 3))
    branches = draw(st.lists(trees(depth=depth - 1), min_size=1, max_size=3))
    if kind == "node":
        return branches
    weights = [draw(st.integers(1, 4)) for _ in branches]
    chances = [Fraction(weight, sum(weights)) for weight in weights]
    return Chance(*zip(chances, branches, strict=True))


roots = st.lists(trees(), min_size=1, max_size=3).map(GameTree)


@given(roots)
@settings(max_examples=40, deadline=None)
def test_values_equal_brute_force(root):
    found = expectiminimax(root)
    exact = {a: brute_force(root.successor(a), 0) for a in root.legal_actions()}
    assert {action: bound.value for action, bound in found.values.items()} == exact
    assert found.action == max(exact, key=exact.__getitem__)
    assert expectiminimax(root, table=True).values == found.values


def test_table_keeps_values_of_transpositions():
    start = EinStein(3, 2)
    state = start.successor(start.legal_actions()[0])
    plain, found = (expectiminimax(state, depth=6, table=table) for table in (False, True))
    assert found.values == plain.values
    assert found.stats.nodes < plain.stats.nodes


def test_table_keeps_what_is_proven():
    start = TicTacToe.parse("XO. / ... / ...")
    proven = expectiminimax(start, table=True)
    assert proven.values == minimax(start).values
    plain, found = (expectiminimax(Nim((1, 1, 2)), depth=3, table=table) for table in (False, True))
    assert found.values == plain.values
    assert {bound.kind for bound in found.values.values()} == {"exact", "estimate"}


@given(root=roots)
@settings(max_examples=40, deadline=None)
def test_star1_keeps_value_and_action_with_valid_bounds(root):
    exact, found = expectiminimax(root), star1(root)
    assert (found.value, found.action) == (exact.value, exact.action)
    check_claims(found, exact)


@given(root=roots, depth=st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_star1_equals_expectiminimax_at_depth_limit(root, depth):
    def evaluate(state, player):
        return (hash(state.path) % 19 - 9) / 10 * (1 if player == 0 else -1)

    exact, found = (each(root, depth=depth, evaluate=evaluate) for each in (expectiminimax, star1))
    assert isclose(found.value, exact.value, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("root", "value", "action"),
    [
        # One reply tells the worst payoff, and must leave no empty window.
        (GameTree.parse("[{1: [[[2 1 -3]]]}]"), -3, 0),
        # With alpha at the best payoff no window is left for an outcome.
        (GameTree([3, [Chance((HALF, [3, -3]), (HALF, 1))]]), 3, 0),
        # Plain alpha-beta would cut the second branch after the 0: it is less than the 1 before.
        (GameTree([1, Chance((HALF, [0, 4]), (HALF, 8))]), 4, 1),
    ],
)
def test_star1_windows_keep_value_and_action(root, value, action):
    found = star1(root)
    assert (found.value, found.action) == (value, action)


def test_outcome_reaching_a_bound_is_cut():
    assert star1(GameTree([2, Chance((HALF, 0), (HALF, 4))])).stats.cutoffs == 1


def late_positions(count):
    """Return `count` positions with a choice: at most three stones on a board of 3 x 3."""
    rng, found = Random(1), {}
    while len(found) < count:
        state = EinStein(3, 2)
        while not state.is_terminal():
            if state.current_player != CHANCE and str(state).count(".") >= 6:
                found[state] = None
            state = state.successor(random_choice(state, rng=rng).action)
    return list(found)[:count]


def test_small_board_values_equal_brute_force():
    nodes = dict.fromkeys((expectiminimax, star1), 0)
    for state in late_positions(40):
        exact = brute_force(state, state.current_player)
        for search in nodes:
            found = search(state)
            assert found.value == exact
            nodes[search] += found.stats.nodes
    assert nodes[star1] < nodes[expectiminimax] / 2


@pytest.mark.parametrize(
    ("outcomes", "value"),
    [
        ([(Fraction(1, 3), 2), (Fraction(2, 3), 2)], "2"),  # a sure thing is no fraction
        ([(Fraction(1, 3), 1), (Fraction(2, 3), -1)], "-1/3"),
        ([(0.1, 1)] * 10, "1"),
    ],
)
def test_small_probabilities_are_summed_exactly(outcomes, value):
    result = expectiminimax(GameTree([Chance(*outcomes)]))
    assert repr(result).startswith(f"SearchResult(action=0, value={value}, values={{0: = {value}}}")


def test_line_ends_at_chance_node():
    assert expectiminimax(GameTree([[Chance((HALF, 1), (HALF, 3))], 0])).line == (0, 0)


def test_depth_counts_a_roll_as_ply():
    root = GameTree([Chance((HALF, [9, 1]), (HALF, 5)), 3])
    found = expectiminimax(root, depth=2, evaluate=lambda state, player: 7)
    assert repr(found.values) == "{0: ~ 6, 1: = 3}"


@pytest.mark.parametrize("search", NO_CHANCE)
def test_searches_without_chance_support_raise(search):
    root = GameTree([2, Chance((HALF, [1, 7]), (HALF, 5))])
    with pytest.raises(ValueError, match=r"chance.*expectiminimax(.|\n)*1/2: \[1 7\]"):
        search(root)


@pytest.mark.parametrize("search", [minimax, alphabeta])
def test_chance_node_at_depth_limit_raises(search):
    with pytest.raises(ValueError, match="chance"):
        search(GameTree([Chance((HALF, [1, 7]), (HALF, 5)), 2]), depth=1)


@pytest.mark.parametrize("search", [*NO_CHANCE, expectiminimax, star1, mcts])
def test_chance_node_as_root_raises(search):
    budget = {"simulations": 5} if search is mcts else {}
    with pytest.raises(ValueError, match="chance"):
        search(EinStein(3, 3), **budget)


def two_coins(chances):
    """Return a position before two coins; `chances` are those of the second."""

    class Coins(GameTree):
        def chance_outcomes(self):
            return chances if len(self.path) == 2 else super().chance_outcomes()

    second = Chance((HALF, 1), (HALF, 1))
    return Coins([Chance((HALF, second), (HALF, second))])


BROKEN = {
    "no outcomes": (),
    "nothing": None,
    "no pairs": (0, 1),
    "a sum above 1": ((0, 0.5), (1, 0.6)),
    "a sum below 1": ((0, 0.5), (1, 0.4)),
    "a probability of 0": ((0, 0), (1, 1)),
    "a negative one": ((0, -0.5), (1, 1.5)),
    "not a number": ((0, float("nan")), (1, 0.5)),
    "words": ((0, "half"), (1, "half")),
    "another order": ((1, 0.5), (0, 0.5)),
    "an outcome too few": ((0, 1.0),),
}


@pytest.mark.parametrize("chances", BROKEN.values(), ids=BROKEN)
def test_invalid_probabilities_raise_in_every_search(chances):
    game = two_coins(chances)
    assert "chance_outcomes" in check_game(game).broken_rule
    for search in (expectiminimax, star1):
        with pytest.raises(BrokenRuleError, match=r"chance_outcomes.*\n{1/2: 1 1/2: 1}"):
            search(game)
    with pytest.raises(BrokenRuleError, match="chance_outcomes"):
        mcts(game, simulations=20, rng=0)


@pytest.mark.parametrize("options", [{}, {"share": True}, {"rollout": take_a_win}])
def test_mcts_estimates_approach_expected_values(options):
    state = EinStein.parse(". X1 . / . X2 . / O2 . O1", die=1)
    exact = expectiminimax(state)
    found = mcts(state, simulations=4000, rng=1, **options)
    assert found.action == exact.action
    assert abs(found.value - exact.value) < 0.05
    assert found.line == exact.line == ((1, 5),)


def test_mcts_samples_outcomes_by_probability():
    root = GameTree([Chance((0.9, [1, 0]), (0.1, [-1, 0])), -1])
    visits = SearchTree()
    mcts(root, simulations=3000, rng=2, tree=visits)
    often, seldom = (edge.visits for edge in visits.node(0).edges)
    assert 0.88 < often / (often + seldom) < 0.92
    assert {edge.player for edge in visits.node(0).edges} == {0}


def test_star1_bound_includes_very_unlikely_outcome():
    state = GameTree([0, Chance((1.0, -1e-9), (1e-17, 1e7))])
    bound = star1(state).values[1]
    assert bound.kind == "upper"
    assert isclose(bound.value, brute_force(state.successor(1), 0))  # without it, it is -1e-9
