"""Every search at any depth prints proven values with "=", "<=" or ">=", and others with "~".

The truth is a full search, which is tested against independent programs and theory elsewhere.
"""

import random
from functools import cache, partial

import pytest
from random_trees import check_claims as check
from random_trees import random_position, random_tree

from gamelib import (
    ConnectFour,
    GameTree,
    Nim,
    Table,
    TicTacToe,
    alphabeta,
    best_reply,
    iterative_deepening,
    maxn,
    mcts,
    minimax,
    negamax,
    open_lines,
    paranoid,
    solve,
)

STARTS = [TicTacToe(), ConnectFour(3, 4, 3), Nim((2, 3)), Nim((1, 2, 2), misere=True)]


def bold(state, player):
    """A heuristic that is nearly sure, and often wrong."""
    return random.Random(hash((state, player))).choice((-0.999, 0.0, 0.999))


# Every search is compared at the same positions, so each of these is solved once.
truth, tree_truth = cache(solve), cache(minimax)


def positions(seed, starts=STARTS):
    """Return a dozen random positions."""
    rng = random.Random(seed)
    return [random_position(starts[n % len(starts)], rng, 2, 4) for n in range(12)]


SEARCHES = {
    "minimax": minimax,
    "negamax": negamax,
    "alphabeta": alphabeta,
    "strict": partial(alphabeta, strict=True),
    "all_best": partial(alphabeta, all_best=True),
    "table": partial(alphabeta, table=True),
    "backwards": partial(alphabeta, order=lambda state, actions: list(actions)[::-1]),
    "few nodes": partial(alphabeta, nodes=30),
    "deepening": iterative_deepening,
    "paranoid": paranoid,
    "every reply": partial(paranoid, prune=False),
    "maxn": maxn,
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_exact_values_in_games_are_true(search, depth):
    for state in positions(depth):
        for evaluate in (None, bold):
            check(search(state, depth=depth, evaluate=evaluate), truth(state))


@pytest.mark.parametrize("name", ["minimax", "negamax", "alphabeta", "table", "backwards"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_exact_values_in_random_trees_are_true(name, depth):
    rng = random.Random(depth)
    for _ in range(100):
        state = random_tree(rng)
        check(SEARCHES[name](state, depth=depth, evaluate=bold), tree_truth(state))


@pytest.mark.parametrize("search", [minimax, alphabeta])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_exact_quick_wins_are_the_soonest(search, depth):
    for state in positions(depth):
        found = search(state, depth=depth, evaluate=bold, quick_wins=True)
        check(found, tree_truth(state, quick_wins=True))


@pytest.mark.parametrize("search", [maxn, paranoid])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_exact_values_of_three_players_are_true(search, depth):
    for state in positions(depth, [TicTacToe(2, 4, 2, num_players=3)]):
        for prune in (False, True):
            evaluate = None if prune else bold  # pruning refuses estimates of too large a sum
            found = search(state, depth=depth, evaluate=evaluate, prune=prune)
            check(found, search(state, prune=False))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_table_marks_estimates(depth):
    for state in positions(depth, [TicTacToe()]):
        table = Table()
        for limit in (depth, depth, depth + 1):
            check(alphabeta(state, depth=limit, evaluate=bold, table=table), solve(state))


def test_values_beyond_depth_limit_are_estimates():
    # Action 0 ends after two plies, action 1 after three: a search of two plies guesses there.
    result = minimax(GameTree([[1, 2], [3, [4, 5]]]), depth=2)
    assert repr(result.values) == "{0: = 1, 1: ~ 0}"
    assert (result.value, result.kind, result.best_actions) == (1, "estimate", ())


@pytest.mark.parametrize("search", [minimax, negamax, alphabeta, paranoid])
def test_forced_win_is_exact_at_any_depth(search):
    won = search(TicTacToe.parse("XX. / OO. / ..."), depth=2)
    assert (won.value, won.kind, won.values[2].kind) == (1, "exact", "exact")
    assert won.best_actions == (2,)
    lost = search(TicTacToe.parse("XX. / X.. / O.O", current_player=0), depth=1)
    assert lost.kind == "exact"


def test_best_reply_uses_max_utility_of_game():
    tree = GameTree([[(1, 0, 0), [(7, 0, 0)]], [(0, 0, 0)]])
    assert repr(best_reply(tree, depth=2, prune=False).values) == "{0: ~ 0, 1: = 0}"


def test_only_max_utility_is_exact_at_depth_limit():
    tree = GameTree([[1, [7]], [0, 0]])
    assert tree.max_utility == 7
    assert repr(minimax(tree, depth=2).values) == "{0: ~ 0, 1: = 0}"
    assert repr(minimax(GameTree([[7, [7]], [0, 0]]), depth=2).values) == "{0: ~ 0, 1: = 0}"
    assert repr(minimax(GameTree([[-7, [7]], [0, 0]]), depth=2).values) == "{0: = -7, 1: = 0}"


def test_bounds_of_estimates_have_own_signs():
    state = TicTacToe().play(0, 4)
    values = alphabeta(state, depth=3, evaluate=open_lines).values
    assert {bound.kind for bound in values.values()} == {"estimate", "upper estimate"}
    assert "<~ " in repr(values)


def test_vector_of_estimates_has_no_utilities():
    result = maxn(TicTacToe(num_players=3), depth=2)
    assert "value ~ 0," in repr(result)
    assert "utilities" not in repr(result)
    assert (result.utilities, result.vectors[0]) == (None, (0, 0, 0))


def test_stopped_search_value_is_lower_bound():
    state = TicTacToe.parse("XX. / OO. / ...", current_player=1)
    nodes = alphabeta(state).stats.nodes - 1
    result = alphabeta(state, nodes=nodes)
    assert (result.stopped, result.value, result.kind) == (True, 1, "exact")
    quick = alphabeta(state, nodes=nodes, quick_wins=True)
    assert (quick.stopped, quick.kind) == (True, "lower")
    assert f"value >= {quick.value}," in repr(quick)
    assert quick.best_actions == ()


def test_mcts_values_are_estimates_until_proven():
    state = TicTacToe.parse("XX. / OO. / ...")
    assert "value ~ " in repr(mcts(state, simulations=20, rng=1))
    proven = mcts(state, simulations=200, solver=True, rng=1)
    assert (proven.kind, proven.best_actions) == ("exact", (2,))
