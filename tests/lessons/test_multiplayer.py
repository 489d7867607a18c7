"""References against theory and the library, and what checks say beyond the table of mutants."""

import random
from itertools import permutations, product

import pytest
from random_trees import all_backed_up

from course import against, maxn_outcomes
from course.exercises.answer_key import use_seed
from course.exercises.lesson_data import load_tables
from course.lessons.multiplayer import reference
from course.lessons.multiplayer.check import (
    best_first,
    check_limited_maxn,
    check_tie_rule,
    played_positions,
    sharing_tree,
)
from gamelib import SearchAgent, play_game
from gamelib.games import GameTree, Nim, TicTacToe
from gamelib.search import PayoffBounds, hurt_the_leader, maxn, mcts, paranoid

THREE = TicTacToe(3, 4, 3, num_players=3)


# Positions and trees


def test_played_positions_open_distinct_and_reproducible():
    positions = played_positions(THREE, 7, 50)
    assert len(set(positions)) == 50
    assert all(len(state.legal_actions()) == 5 for state in positions)
    assert positions == played_positions(THREE, 7, 50)
    assert positions != played_positions(THREE, 7, 50, seed=1)


def test_too_many_played_positions_raises():
    with pytest.raises(ValueError, match="number"):
        played_positions(TicTacToe(), 1, 10)


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_leaves_of_sharing_tree_share_all_coins(num_players):
    tree = sharing_tree(0, num_players, branching=2, depth=3, coins=7)
    leaves = [tree.play(*path).utilities() for path in product((0, 1), repeat=3)]
    assert all(len(leaf) == num_players and sum(leaf) == 7 for leaf in leaves)
    assert all(min(leaf) >= 0 for leaf in leaves)
    assert maxn(tree, prune=PayoffBounds.of_sum(7, least=0, num_players=num_players))


@pytest.mark.parametrize("num_players", [2, 3, 4, 6])
def test_paranoid_in_best_order_visits_theoretical_minimum(num_players):
    # Without ties: b^m + b^(d - m) - 1 leaves, m of the d plies those of the player at the root
    # (Knuth and Moore 1975 for two players; Sturtevant and Korf 2000 for more).
    tree = sharing_tree(0, num_players, branching=2, depth=12, coins=10**6)
    mine = 12 // num_players
    leaves = paranoid(best_first(tree, against=0)).stats.leaves
    assert leaves == 2**mine + 2 ** (12 - mine) - 1


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_best_first_keeps_values_of_tree(num_players):
    tree = sharing_tree(1, num_players, depth=4)
    assert maxn(best_first(tree)).value == maxn(tree).value
    assert paranoid(best_first(tree, against=0)).value == paranoid(tree).value
    result = maxn(best_first(tree))
    assert set(result.line) == {0}


def test_loser_of_three_player_nim_chooses_winner():
    assert maxn_outcomes(Nim((1, 2), num_players=3)) == {(-1, 1, -1), (-1, -1, 1)}
    for player in (1, 2):
        chosen = maxn(Nim((1, 2), num_players=3), ties=against(player)).utilities
        assert chosen[player] == -1


@pytest.mark.parametrize("seed", range(50))
def test_maxn_outcomes_equal_results_of_tie_rules(seed):
    rng = random.Random(seed)
    leaves = [[tuple(rng.randint(-1, 1) for _ in range(3)) for _ in range(3)] for _ in range(6)]
    tree = GameTree([leaves[:3], leaves[3:]])
    assert maxn_outcomes(tree) == all_backed_up(tree)


# Lab 6D

SEATED = {
    "maxn": SearchAgent(maxn, depth=4),
    "paranoid": SearchAgent(paranoid, depth=4),
    "mcts": SearchAgent(mcts, simulations=200, rng=1),
}


@pytest.mark.parametrize("seating", list(permutations(SEATED)))
def test_first_stored_games_are_reproducible(seating):
    stored = load_tables("multiplayer", "seats")[" ".join(seating)]
    agents = [SEATED[name] for name in seating]
    openings = played_positions(THREE, 3, len(stored))[:5]
    games = [play_game(*agents, state=opening).utilities for opening in openings]
    assert "".join("XOA"[g.index(1)] if 1 in g else "-" for g in games) == stored[:5]


@pytest.mark.parametrize("seed", ["spring", "autumn"])
def test_tie_test_by_order_or_name_fails(seed):
    asked = []

    def by_order(rule):
        asked.append(rule)
        return len(asked) == 1

    def by_name(rule):
        return rule is hurt_the_leader or rule.__name__ == "hurt_the_leader"

    with use_seed(seed):
        assert not check_tie_rule(hurt_the_leader, by_order)
        assert not check_tie_rule(hurt_the_leader, by_name)
        assert check_tie_rule(hurt_the_leader, reference.tie_test)


def test_tied_leader_counts_as_leader():
    def by_payoff(vector, mover):
        return -max([payoff for payoff in vector if payoff != vector[mover]] or [vector[mover]])

    assert "by number, not by payoff" in check_tie_rule(by_payoff, reference.tie_test).message

    def blind(rule):
        """Tell all wrong rules from the right one but this."""
        return (
            rule((9, 4, 4), 0) > rule((9, 6, 1), 0)
            and rule((3, 5, 8), 1) > rule((9, 5, 0), 1)
            and rule((5, 2, 9), 2) == rule((1, 5, 9), 2)
        )

    message = check_tie_rule(hurt_the_leader, blind).message
    assert "says True for a wrong rule. What is wrong with it: Leave out the player" in message


@pytest.mark.parametrize("rule", ["-sum(payoffs)", "sum(payoffs)", "payoffs", "payoffs[::-1]"])
def test_maxn_with_another_tie_rule_fails(rule):
    def limited_maxn(state, depth):
        if state.is_terminal() or depth == 0:
            return state.utilities() if state.is_terminal() else (0,) * state.num_players
        mover = state.current_player
        found = [limited_maxn(state.successor(a), depth - 1) for a in state.legal_actions()]
        return max(found, key=lambda payoffs: (payoffs[mover], eval(rule, {"payoffs": payoffs})))

    assert not check_limited_maxn(limited_maxn)
