import math
import random
import tracemalloc
from collections import Counter
from itertools import permutations

import pytest
from random_trees import InOrder

from gamelib import IllegalActionError
from gamelib.games import Chance, ConnectFour, GameTree, Nim, TicTacToe
from gamelib.search import SearchTree, mcts, minimax, random_rollout, take_a_win
from gamelib.search.mcts import backpropagate, expand, roll_out, select
from gamelib.state import random_playout
from tests.messages import names

WIN_OR_NOT = GameTree([[1, -1], [-1, -1], 0])


def started(state, c=1.0, **options):
    tree = SearchTree()
    settings = {"solver": False, "share": False, "priors": None} | options
    tree.set_root(state, c=c, **settings)
    return tree


def one_simulation(tree, utilities, rng=None):
    tree.rng = rng or InOrder()
    path = select(tree)
    leaf = expand(tree, path)
    backpropagate(tree, path, utilities)
    return leaf


# The four phases


def test_expand_draws_uniformly_from_untried_actions():
    counts = Counter()
    for seed in range(1200):
        tree, rng = started(WIN_OR_NOT), random.Random(seed)
        counts[tuple(one_simulation(tree, (0, 0), rng).state.path[0] for _ in range(3))] += 1
    assert set(counts) == set(permutations(range(3)))
    assert all(150 < count < 250 for count in counts.values())


def test_edges_keep_legal_actions_order():
    for order in permutations(range(3)):
        tree = started(WIN_OR_NOT)
        for action in order:
            left = [a for a in range(3) if a not in {edge.action for edge in tree.root.edges}]
            rng, drawn = InOrder(), left.index(action) / len(left)
            rng.random = lambda drawn=drawn: drawn
            assert one_simulation(tree, (0, 0), rng).state.path == (action,)
            actions = [edge.action for edge in tree.root.edges]
            assert actions == sorted(actions)


@pytest.mark.parametrize(("best", "rewards"), [(1, (0, 1, -1)), (0, (0, 0, 0))])
def test_select_takes_first_highest_score(best, rewards):
    tree = started(WIN_OR_NOT)
    for reward in rewards:
        one_simulation(tree, (reward, -reward))
    assert [edge.action for edge in select(tree)] == [None, best]


def test_ucb_terms_equal_known_values():
    tree = started(WIN_OR_NOT, c=2)
    for utilities in ((0, 0), (1, -1), (-1, 1), (1, -1)):
        one_simulation(tree, utilities)
    row = tree.table()[1]
    assert (row.visits, row.mean) == (2, 1)
    assert row.exploration == pytest.approx(2 * math.sqrt(math.log(4) / 2))


def test_untried_action_has_infinite_score():
    tree = started(WIN_OR_NOT)
    one_simulation(tree, (0, 0))
    assert [row.score for row in tree.table()] == [0.5, math.inf, math.inf]


def test_heuristic_rollout_estimates_each_player():
    def evaluate(state, player):
        return (0.1, -0.5, 0.3)[player]

    tree = started(TicTacToe(num_players=3))
    tree.evaluate = evaluate
    assert roll_out(tree, tree.root.state) == (0.1, -0.5, 0.3)


def test_backpropagate_rewards_the_player_who_moved():
    tree = started(TicTacToe())
    tree.rng, path = InOrder(), select(tree)
    expand(tree, path)
    backpropagate(tree, path, (1, -1))
    for _ in range(9):
        one_simulation(tree, (1, -1))
    reply = tree.node(0).edges[0]
    assert (tree.root.edges[0].mean, reply.player, reply.mean) == (1, 1, 0)


def test_three_players_get_separate_rewards():
    tree = started(GameTree([[[(-1, 1, 0)]]]))
    for _ in range(3):
        one_simulation(tree, (-1, 1, 0))
    means = [tree.node(*path).edges[0].mean for path in [(), (0,), (0, 0)]]
    assert means == [0, 1, 0.5]


# What it returns


def test_value_is_mean_reward_as_payoff():
    tree = SearchTree()
    result = mcts(TicTacToe(), simulations=100, rng=0, tree=tree)
    mean = next(row.mean for row in tree.table() if row.action == result.action)
    assert result.value == 2 * mean - 1
    assert repr(result.values[result.action]).startswith("~")


def test_few_simulations_leave_actions_untried():
    for seed in range(20):
        result = mcts(TicTacToe(), simulations=2, rng=seed)
        tried = [action for action, visits in result.visits.items() if visits == 1]
        assert list(result.visits) == list(range(9))
        assert tried == list(result.values) == sorted(tried)
        assert (len(tried), sum(result.visits.values()), result.action) == (2, 2, tried[0])


def test_stats_count_tree_nodes_and_simulations():
    tree = SearchTree()
    result = mcts(ConnectFour(), simulations=50, rng=0, tree=tree)
    assert result.stats.tree_nodes == len(tree) == 51
    assert sum(result.visits.values()) == result.stats.simulations == 50


def test_shared_rng_continues_its_sequence():
    rng = random.Random(5)
    one, two = (mcts(ConnectFour(), simulations=200, rng=rng).visits for _ in range(2))
    assert one == mcts(ConnectFour(), simulations=200, rng=5).visits != two


# Reuse, sharing


def test_other_root_starts_a_new_tree():
    tree = SearchTree()
    mcts(TicTacToe(), simulations=50, rng=0, tree=tree)
    mcts(TicTacToe().play(4), simulations=20, rng=0, tree=tree)
    assert (tree.root.visits, len(tree)) == (20, 21)


FOLLOWED = [{}, {"solver": True}, {"share": True}, {"solver": True, "share": True}]
FOLLOWED += [{"priors": lambda state: dict.fromkeys(state.legal_actions(), 0.5)}]


def rows_below(tree, *actions, plies=2):
    """Return the UCB tables of a node and of those below it, by the actions that lead there."""
    rows = {actions: tree.table(*actions)}
    for edge in tree.node(*actions).edges if plies else ():
        if edge.node is not None:
            rows |= rows_below(tree, *actions, edge.action, plies=plies - 1)
    return rows


@pytest.mark.parametrize("options", FOLLOWED, ids=lambda options: "-".join(options) or "plain")
def test_after_keeps_subtree(options):
    tree, state = SearchTree(), TicTacToe().play(0, 3, 1)
    mcts(state, simulations=400, rng=0, tree=tree, **options)
    for action in (edge.action for edge in tree.root.edges if edge.node):
        below = tree.after(action)
        expected = {path[1:]: rows for path, rows in rows_below(tree, action).items()}
        assert rows_below(below) == expected
        assert below.root.state == state.successor(action)


@pytest.mark.parametrize("options", FOLLOWED, ids=lambda options: "-".join(options) or "plain")
def test_search_of_tree_after_action_leaves_old_tree(options):
    tree, state = SearchTree(), TicTacToe().play(0, 3, 1)
    mcts(state, simulations=400, rng=0, tree=tree, **options)
    action = max(tree.root.edges, key=lambda edge: edge.visits).action
    before, below = rows_below(tree), tree.after(action)
    visits, size = below.root.visits, len(below)
    result = mcts(state.successor(action), simulations=50, rng=1, tree=below, **options)
    assert below.root.visits == visits + result.stats.simulations
    assert size <= result.stats.tree_nodes == len(below)
    assert rows_below(tree) == before


def test_tree_follows_game_with_true_proofs():
    tree, state = SearchTree(), TicTacToe()
    while not state.is_terminal():
        options = {"simulations": 2000, "rng": 0, "solver": True, "share": True}
        result = mcts(state, tree=tree, **options)
        if result.utilities is not None:
            assert result.value == minimax(state).value
        state, tree = state.successor(result.action), tree.after(result.action)
    assert state.utilities() == (0, 0)


def test_tree_follows_game_with_dice():
    state = GameTree([Chance((0.5, [[1, 0], -1]), (0.5, [-1, 1])), 0])
    tree = SearchTree()
    mcts(state, simulations=60, rng=0, tree=tree)
    rolled = tree.after(0).after(1)
    assert rolled.root.state == state.play(0, 1)
    assert rolled.root.visits == tree.node(0, 1).visits > 0
    assert mcts(rolled.root.state, simulations=9, rng=0, tree=rolled).action == 0


def test_after_untried_action_raises():
    tree = SearchTree()
    with pytest.raises(ValueError, match="empty"):
        tree.after(0)
    mcts(TicTacToe(), simulations=5, tree=tree, rng=InOrder())
    for action in (8, "none"):
        with pytest.raises(KeyError, match=names(f"{action!r} was not tried")):
            tree.after(action)


def test_tree_with_other_options_raises():
    tree = SearchTree()
    mcts(TicTacToe(), simulations=5, tree=tree)
    with pytest.raises(ValueError, match=r"tree .* with"):
        mcts(TicTacToe(), simulations=5, tree=tree, solver=True)


def test_missing_node_raises_key_error():
    tree = SearchTree()
    with pytest.raises(ValueError, match="empty"):
        tree.table()
    mcts(TicTacToe(), simulations=5, tree=tree, rng=InOrder())
    with pytest.raises(KeyError, match=names("8 was not tried")):
        tree.node(8)


def test_share_merges_equal_positions():
    tree = SearchTree()
    mcts(TicTacToe(), simulations=3000, rng=0, tree=tree, share=True)
    assert tree.node(0, 4, 8) is tree.node(8, 4, 0)
    assert tree.node(0).edges[4].visits + tree.node(8).edges[4].visits <= 3000


# Rollouts, evaluations, priors


@pytest.mark.parametrize(
    "state",
    [
        ConnectFour(),
        ConnectFour(4, 5, 3).play(0, 0),
        ConnectFour().play(0, 1, 0, 1, 0, 1, 0),
        TicTacToe(),
        TicTacToe(4, 5, 3, num_players=3).play(7),
        TicTacToe(2, 2, 1).play(3),
    ],
)
def test_own_playout_equals_random_playout(state):
    for seed in range(100):
        own, plain = random.Random(seed), random.Random(seed)
        assert state.playout(own) == random_playout(state, plain)
        assert own.random() == plain.random()


def test_subclass_does_not_inherit_playout():
    class Misere(TicTacToe):
        def utilities(self):
            return tuple(-payoff for payoff in super().utilities())

    ends_it = Misere.parse("XX. / OO. / ..X", current_player=1)
    assert mcts(ends_it, simulations=300, rng=0).action != 5


def test_random_rollouts_are_uniform():
    rng = random.Random(0)
    counts = Counter(random_rollout(TicTacToe().play(4), rng) for _ in range(8000))
    assert set(counts) == set(range(9)) - {4}
    assert all(880 < count < 1120 for count in counts.values())


def test_take_a_win_prefers_first_win():
    rng = random.Random(0)
    assert take_a_win(TicTacToe.parse("XX. / OO. / X.O", current_player=0), rng) == 2
    assert len({take_a_win(TicTacToe(), rng) for _ in range(200)}) == 9


def test_illegal_action_of_policy_raises():
    with pytest.raises(IllegalActionError, match="99"):
        mcts(TicTacToe(), simulations=20, rollout=lambda state, rng: 99)


def prefers_seven(state):
    return {action: 0.9 if action == 7 else 0.01 for action in state.legal_actions()}


def test_puct_terms_equal_known_values():
    tree = SearchTree()
    mcts(TicTacToe(), simulations=3, priors=prefers_seven, rng=0, tree=tree, c=2)
    row = tree.table()[7]
    assert row.visits == 3
    assert row.exploration == pytest.approx(2 * 0.9 * math.sqrt(1 + 3) / (1 + 3))


def random_numbers(rng):
    """Return random priors and a random evaluation for the nodes of any tree."""
    priors, values = {}, {}

    def priors_of(state):
        return priors.setdefault(state, {action: rng.random() for action in state.legal_actions()})

    def value_of(state, player):
        value = values.setdefault(state, rng.uniform(-0.99, 0.99))
        return value if player == 0 else -value

    return priors_of, value_of


def textbook_puct(state, simulations, c, priors, evaluate):
    """Return {node: visits of its actions}, from tables: sqrt(1 + their sum) is all they share."""
    visits, sums = {state: [0] * len(state.legal_actions())}, Counter()
    for _ in range(simulations):
        node, path = state, []
        while node in visits:
            n, prior = visits[node], priors(node)
            shared = c * math.sqrt(1 + sum(n))
            scores = [
                (sums[node, a] / n[a] if n[a] else 0.5) + shared * prior[a] / (1 + n[a])
                for a in range(len(n))
            ]
            path.append((node, scores.index(max(scores))))
            node = node.successor(path[-1][1])
        over = node.is_terminal()
        if not over:
            visits[node] = [0] * len(node.legal_actions())
        for above, action in path:
            mover = above.current_player
            payoff = node.utility(mover) if over else evaluate(node, mover)
            visits[above][action] += 1
            sums[above, action] += (payoff + 1) / 2
    return visits


def test_puct_formula_holds_at_root_and_inside():
    for seed in range(200):
        rng, tree = random.Random(seed), SearchTree()
        state = GameTree(small_branches(rng, 4), rng.choice([(0, 1), (0, 0, 1), (1, 0)]))
        priors, evaluate = random_numbers(rng)
        c = rng.choice((0.3, 1, 2.5))
        mcts(state, simulations=40, priors=priors, evaluate=evaluate, c=c, tree=tree, rng=0)
        for node, visits in textbook_puct(state, 40, c, priors, evaluate).items():
            edges = tree.node(*node.path).edges
            assert [edge.visits for edge in edges] == (visits if edges else [])


def small_branches(rng, depth):
    """Return the branches of a random tree with payoffs inside those of rewards."""
    few = range(rng.randint(1, 3))
    return [small_branches(rng, depth - 1) if depth > 1 else rng.uniform(-1, 1) for _ in few]


# Budgets, stopping, bad arguments


@pytest.mark.parametrize("seconds", [0, 0.02])
def test_time_limit_returns_legal_action(seconds):
    result = mcts(TicTacToe(20, 20, 5), seconds=seconds, rng=0)
    assert result.action in TicTacToe(20, 20, 5).legal_actions()
    assert not result.stopped


def test_first_exhausted_limit_ends_search():
    assert mcts(TicTacToe(), simulations=10, seconds=60).stats.simulations == 10
    assert mcts(TicTacToe(), simulations=10, seconds=0).stats.simulations == 0


def test_progress_grows_and_has_legal_actions():
    told = []
    mcts(ConnectFour(), simulations=5000, rng=0, progress=lambda *news: told.append(news))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert all(0 <= share < 1 and action in range(7) for share, action in told)


def test_long_game_is_searched_without_recursion():
    result = mcts(Nim((1000,), max_take=1), simulations=1001, rng=0)
    assert len(result.line) == 1000


@pytest.mark.parametrize("state", [ConnectFour(), TicTacToe()], ids=repr)
def test_tree_node_takes_half_a_kilobyte(state):
    mcts(state, simulations=2000, rng=0)  # fills what the game remembers
    tree = SearchTree()
    tracemalloc.start()
    mcts(state, simulations=2000, rng=0, tree=tree)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken / len(tree) < 500


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs a budget"),
        ({"simulations": 0}, "simulations must be an int, 1 or more, or None; got 0"),
        ({"seconds": -1}, "seconds must be a number, 0 or more, or None; got -1"),
        ({"simulations": 5, "c": math.nan}, "c must be a number, 0 or more; got nan"),
        ({"simulations": 5, "c": "1"}, "c must be a number, 0 or more; got '1'"),
    ],
)
def test_invalid_options_raise(options, message):
    with pytest.raises(ValueError, match=names(message)):
        mcts(TicTacToe(), **options)


def test_payoffs_beyond_one_raise():
    with pytest.raises(ValueError, match=r"-1 to \+1.*\(3, -3\)"):
        mcts(GameTree([3, 12, 8]), simulations=20, rng=InOrder())


def test_nested_chance_nodes_reward_player_who_moved_first():
    tree, certain = SearchTree(), Chance((0.5, 1), (0.5, 1))
    state = GameTree([Chance((0.5, certain), (0.5, 1)), -1])
    result = mcts(state, simulations=100, tree=tree, rng=0)
    assert tree.node(0, 0).parent_player == 0
    assert [edge.mean for edge in tree.node(0, 0).edges] == [1.0, 1.0]
    assert result.values[0].value == pytest.approx(1)
