"""What is read off each of our searches: tables by hand, and what each search counts itself."""

from collections import Counter
from itertools import pairwise
from math import inf

import pytest
from random_trees import InOrder, arbitrary
from textbook import BINARY, TREE

from course.draw.source_listing import source_listing
from course.lessons.multiplayer.check import TREES
from course.tracing import record
from course.tracing.events import (
    Cut,
    Enter,
    Improve,
    Leaf,
    Proof,
    Return,
    Select,
    TableHit,
)
from gamelib import (
    SEARCHES,
    Chance,
    ConnectFour,
    GameTree,
    Nim,
    PayoffBounds,
    TicTacToe,
    alphabeta,
    best_reply,
    expectiminimax,
    hurt_the_leader,
    iterative_deepening,
    lookahead,
    maxn,
    mcts,
    minimax,
    negamax,
    paranoid,
    random_choice,
    solve,
    star1,
    take_a_win,
)
from gamelib.search.registry import supported_options

TIE = GameTree([[10], [10, 0]])
MIN_FIRST = GameTree([[-3, -12, -8], [-2, -4, -6]], players=(1, 0))
TWICE = GameTree([[[5, 3], [7, 6]], [[2, 9], 4]], players=(0, 1, 1))
BOARD = TicTacToe.parse("X.O / .X. / ..O")
CROSSED = TicTacToe.parse("XO. / .X. / O..")
ONE_BLOCK = TicTacToe.parse("X.. / .O. / .OX", current_player=0)  # only 1 draws, the others lose
NIM = Nim((2, 2), num_players=3)
THREE = TREES[0]
TEN = GameTree.parse("[(5 4 1)(5 3 2)] [(3 6 1)(9 1 0)]")  # coins for three
OF_TEN = PayoffBounds.of_sum(10, least=0, num_players=3)
DICE = GameTree([[3, 5], Chance((0.5, -5), (0.5, [1, 2])), Chance((0.5, 9), (0.5, [0, 2]))])

# Depth-first searches, every kind of option and game among them.
DEPTH_FIRST = [
    (minimax, TREE, {}),
    (minimax, BOARD, {"depth": 2}),
    (minimax, MIN_FIRST, {}),
    (negamax, BOARD, {"quick_wins": True}),
    (negamax, TWICE, {"depth": 3}),
    (alphabeta, BINARY, {}),
    (alphabeta, BOARD, {"table": True}),
    (alphabeta, BOARD, {"depth": 3, "evaluate": arbitrary, "table": True}),
    (alphabeta, BOARD, {"strict": True, "table": True}),
    (alphabeta, CROSSED, {"all_best": True, "order": lambda state, actions: actions[::-1]}),
    (iterative_deepening, BOARD, {"depth": 3}),
    (maxn, THREE, {"ties": hurt_the_leader}),
    (maxn, THREE, {"depth": 2}),
    (maxn, TEN, {"prune": OF_TEN}),
    (maxn, NIM, {"prune": True}),
    (paranoid, THREE, {}),
    (paranoid, THREE, {"prune": False}),
    (best_reply, THREE, {}),
    (best_reply, NIM, {"prune": False}),
    (expectiminimax, DICE, {}),
    (expectiminimax, DICE, {"table": True}),
    (star1, DICE, {}),
    (star1, DICE, {"depth": 2}),
]
OTHERS = [
    (solve, BOARD, {}),
    (solve, BOARD, {"only_value": True}),
    (lookahead, BOARD, {"rng": 1}),
    (random_choice, BOARD, {"rng": 1}),
    (mcts, BOARD, {"simulations": 50, "rng": 1}),
    (mcts, NIM, {"simulations": 50, "rng": 1, "solver": True, "share": True}),
    (mcts, ConnectFour(), {"simulations": 20, "rng": 1, "evaluate": lambda state, player: 0}),
    (mcts, GameTree([Chance((0.5, [1, 0]), (0.5, -1)), 0]), {"simulations": 30, "rng": 1}),
    (mcts, BOARD, {"simulations": 9, "rng": 1, "rollout": take_a_win}),
]
# A search that somebody adds is recorded, too.
SHOWN = {search for search, _, _ in DEPTH_FIRST + OTHERS}
ADDED = [
    (s, BOARD, supported_options(s, depth=3, rng=1)) for s in SEARCHES.values() if s not in SHOWN
]


@pytest.mark.parametrize(("search", "state", "options"), DEPTH_FIRST + OTHERS + ADDED)
def test_recording_does_not_change_result(search, state, options):
    assert record(search, state, **options).result == search(state, **options)


@pytest.mark.parametrize(("search", "state", "options"), DEPTH_FIRST)
def test_event_counts_equal_search_statistics(search, state, options):
    trace = record(search, state, **options)
    count, stats = Counter(map(type, trace)), trace.result.stats
    assert count[Enter] == count[Return] == stats.nodes
    assert (count[Cut], count[TableHit]) == (stats.cutoffs, stats.table_hits)
    reasons = Counter(event.reason for event in trace if isinstance(event, Leaf))
    assert (reasons["game over"], reasons["depth limit"]) == (stats.leaves, stats.evaluations)


@pytest.mark.parametrize(("search", "state", "options"), [*DEPTH_FIRST, (solve, BOARD, {})])
def test_every_enter_has_parent_and_return(search, state, options):
    open_nodes = []
    for event in record(search, state, **options):
        if isinstance(event, Enter):
            above = open_nodes[-1].successor(event.action) if open_nodes else state
            assert event.state == above  # of the game itself, in `best_reply` too
            open_nodes.append(event.state)
        elif isinstance(event, Return):
            open_nodes.pop()
    assert open_nodes == []


# By hand


def test_events_of_small_tree():
    tree = GameTree([[3, 5], [4]])
    left, right = tree.play(0), tree.play(1)
    assert list(record(minimax, tree)) == [
        Enter(tree, None, perspective=0),
        Enter(left, 0, perspective=0),
        *(Enter(left.play(0), 0, perspective=0), Leaf(3, "game over"), Return(3), Improve(0, 3)),
        *(Enter(left.play(1), 1, perspective=0), Leaf(5, "game over"), Return(5)),
        Return(3),
        Improve(0, 3),
        Enter(right, 1, perspective=0),
        *(Enter(right.play(0), 0, perspective=0), Leaf(4, "game over"), Return(4), Improve(0, 4)),
        Return(4),
        Improve(1, 4),
        Return(4),
    ]


ALL, LOW, HIGH = (-inf, inf), (3, inf), (9, inf)
WINDOWS = [
    (TREE, [ALL, ALL, ALL, (-inf, 3), (-inf, 3), LOW, LOW, LOW, LOW, (3, 14), (3, 5)]),
    (BINARY, [ALL, ALL, ALL, ALL, LOW, (-inf, 9), (-inf, 9), HIGH, HIGH, HIGH, HIGH]),
    (MIN_FIRST, [ALL, ALL, ALL, (-inf, 3), (-inf, 3), LOW, LOW]),
]


@pytest.mark.parametrize(("tree", "windows"), WINDOWS)
def test_windows_equal_hand_computation(tree, windows):
    entered = [event for event in record(alphabeta, tree) if isinstance(event, Enter)]
    assert [event.window for event in entered] == windows


CUTS = [  # the node, the last action tried, its value, the limit, what is skipped, and why
    (alphabeta, TREE, {}, [
        ((1,), Cut(0, 2, 3, (1, 2), "this node is at most 2, and max already has 3 elsewhere")),
        ((2,), Cut(2, 2, 3, (), "this node is at most 2, and max already has 3 elsewhere")),
    ]),
    (alphabeta, BINARY, {}, [
        ((0, 1), Cut(0, 10, 9, (1,), "this node is at least 10, and min already has 9 elsewhere")),
        ((1,), Cut(0, 7, 9, (1,), "this node is at most 7, and max already has 9 elsewhere")),
    ]),
    (alphabeta, TIE, {}, [
        ((1,), Cut(0, 10, 10, (1,), "this node is at most 10, and max already has 10 elsewhere")),
    ]),
    (alphabeta, TIE, {"strict": True}, [
        ((1,), Cut(1, 0, 10, (), "this node is at most 0, and max already has 10 elsewhere")),
    ]),
    (paranoid, GameTree.parse("[(2 0 0)(3 0 0)] [(1 0 0)(9 0 0)]"), {}, [
        ((1,), Cut(0, 1, 2, (1,), "this node is at most 1, and player 0 has 2 elsewhere")),
    ]),
    (maxn, TEN, {"prune": OF_TEN}, [
        ((1,), Cut(0, (3, 6, 1), 5, (1,), "player 1 can have 6 here, which leaves the player "
                   "before at most 4: no more than an earlier action gives")),
    ]),
    (maxn, GameTree([(1, -1, -1), (0, 0, 0)]), {"prune": True}, [
        ((), Cut(0, (1, -1, -1), 1, (1,), "nobody can get more than 1")),
    ]),
    (star1, GameTree([1, Chance((0.5, -2), (0.5, [2, 4]))]), {}, [
        ((1,), Cut(0, 1, 1, (1,), "whatever else may come, the mean is at most 1")),
    ]),
    (star1, GameTree([[0, Chance((0.5, 4), (0.5, [2, 3]))], 1]), {}, [
        ((0, 1), Cut(0, 0, 0, (1,), "whatever else may come, the mean is at least 0")),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("search", "state", "options", "cuts"), CUTS)
def test_cuts_equal_hand_computation(search, state, options, cuts):
    assert [*record(search, state, **options).cuts().items()] == cuts


def test_final_line_of_solve_is_not_traced():
    trace = record(solve, TREE)
    assert len(trace.visits) == 14
    assert [trace.visit_of(i).path for i, e in enumerate(trace) if type(e) is TableHit] == [(0,)]


BESTS = [
    (minimax, GameTree([1, 3, 2, 3, 4]), [(0, 1), (1, 3), (4, 4)]),
    (negamax, GameTree([[3, 5], [4]]), [(0, -3), (0, 3), (0, -4), (1, 4)]),
    (paranoid, CUTS[4][1], [(0, 2), (0, 2), (0, 1)]),
    (maxn, GameTree([[(0, 0, 0), (-1, 1, -1)], (1, -1, -1)]),
     [(0, (0, 0, 0)), (1, (-1, 1, -1)), (0, (-1, 1, -1)), (1, (1, -1, -1))]),
]  # fmt: skip


@pytest.mark.parametrize(("search", "state", "bests"), BESTS)
def test_every_improvement_has_event(search, state, bests):
    told = [event for event in record(search, state) if isinstance(event, Improve)]
    assert [(event.action, event.value) for event in told] == bests


# The lit line is the one that did it


LEAF = "return self.leaf(state, ply, self.root_player)"
BEST = "best, line = child, (action, rest)"
ONE = {
    "enter the root": "def search_root(self, state):",
    "enter": "def value(self, state, ply):",
    "leaf": LEAF,
    "return of a leaf": LEAF,
    "best": BEST,
    "return": "return best, line",
}
OWN = "return self.leaf(state, ply, mover)"
NEGAMAX = ONE | {"leaf": OWN, "return of a leaf": OWN}
ALPHA_BETA = ONE | {
    "enter the root": "def search_root(self, state, alpha, beta):",
    "enter": "def value(self, state, ply, alpha, beta):",
    "alpha rises": "alpha = max(alpha, best)",
    "beta falls": "beta = min(beta, best)",
    "cut": "break",
}
ANY = "return self.leaf(state, ply, None)"
VECTOR = {"best": "vector, line = child, (action, rest)", "return": "return vector, line"}
MAXN = ONE | VECTOR | {"leaf": ANY, "return of a leaf": ANY}
PRUNED = MAXN | {
    "enter the root": "def search_root(self, state, limit):",
    "enter": "def value(self, state, ply, limit):",
    "best": "best, vector, line = child[mover], child, (action, rest)",
    "cut": "break",
}
EARLY = "return min(upper, alpha) if child <= low else max(lower, beta)"
UCT = {
    "select": "path.append(edge)",
    "expand": "node = edge.node = tree.add_node(parent.state.successor(edge.action), parent)",
    "rollout": "return tree.playout(state, tree.rng)",
    "backpropagate": "edge.count(rewards[edge.player])",
}
LIT = [
    *((search, tree, {}, lines)
      for search, lines in [(minimax, ONE), (negamax, NEGAMAX), (alphabeta, ALPHA_BETA),
                            (iterative_deepening, ALPHA_BETA), (maxn, MAXN)]
      for tree in (TREE, TIE, BINARY, TWICE)),
    (alphabeta, TREE, {"strict": True}, ALPHA_BETA),
    (alphabeta, BOARD, {"table": True}, ALPHA_BETA | {
        "recall": "child, rest = self.value(state.successor(action), ply + 1, alpha, beta)"}),
    (maxn, TEN, {"prune": OF_TEN}, PRUNED),
    *((search, tree, {}, ALPHA_BETA)
      for search in (paranoid, best_reply) for tree in (TREE, TIE, BINARY, THREE)),
    (paranoid, THREE, {"prune": False}, ONE),
    (expectiminimax, DICE, {}, ONE | {
        "enter at chance": ONE["enter"],
        "return at chance": "return expected_value(values, outcome_probabilities(state)), ()"}),
    (star1, DICE, {}, ALPHA_BETA | {
        "enter at chance": "def chance_value(self, state, ply, alpha, beta):",
        "cut at chance": EARLY, "return with a cut": EARLY,
        "return at chance": "return expected_value(values, outcome_probabilities(state))"}),
    (mcts, ONE_BLOCK, {"simulations": 20, "rng": 0}, UCT),
    (mcts, ONE_BLOCK, {"simulations": 300, "rng": 0, "solver": True}, UCT | {
        "proof of a leaf": "changed = [node]", "proof": "parent.bounds = bounds_of(parent)"}),
]  # fmt: skip


def what_it_does(trace, step):
    """Return in words what an event does, so that one line of a text can do it."""
    event, visit = trace[step], trace.visit_of(step)
    word = type(event).__name__.lower()
    if visit.table:
        return "recall"
    if isinstance(event, Enter) and visit.parent is None and not trace.is_mcts:
        return "enter the root"
    if isinstance(event, Improve):
        before = trace.at(step).node(visit.path).window
        if len(before) < 2 or event.window == before:
            return "best"
        return "alpha rises" if event.window[0] > before[0] else "beta falls"
    if trace.role(visit.state) == "chance":
        return word + (" with a cut" if visit.cut and word == "return" else " at chance")
    first = isinstance(event, Proof) and not isinstance(trace[step - 1], Proof)
    return word + " of a leaf" if first or (isinstance(event, Return) and visit.leaf) else word


@pytest.mark.parametrize(("search", "state", "options", "lines"), LIT)
def test_location_is_line_causing_event(search, state, options, lines):
    trace = record(search, state, **options)
    assert len(trace.locations) == len(trace)
    for step, place in enumerate(trace.locations):
        code, word = source_listing(place.code), what_it_does(trace, step)
        assert place.code in trace.programs
        assert (step, word, code.lines[code.numbers.index(place.line)].strip()) == (
            step,
            word,
            lines[word],
        )


# The phases of MCTS


def recorded(state, simulations, **options):
    return record(mcts, state, simulations=simulations, **{"rng": 0} | options)


def test_simulation_has_phases_in_order():
    trace = recorded(ConnectFour(), 60)
    names = " ".join(type(event).__name__ for event in trace)
    for simulation in names.split("Backpropagate")[:-1]:
        selected = simulation.count("Select")
        assert simulation.split() == [*["Select"] * selected, "Expand", "Rollout"]
    for event in (event for event in trace if isinstance(event, Select)):
        assert [row.action for row in event.table] == list(range(7))
        assert event.action == max(event.table, key=lambda row: row.score).action


def test_proof_has_event_when_found():
    trace = recorded(GameTree([-1, 0]), 50, solver=True, rng=InOrder())
    told = [
        (type(one).__name__, one.path, one.bounds.low, type(after).__name__)
        for one, after in pairwise(trace)
        if isinstance(one, Proof)
    ]
    assert told == [
        ("Proof", (0,), (-1, 1), "Backpropagate"),
        ("Proof", (1,), (0, 0), "Proof"),
        ("Proof", (), (0, 0), "Backpropagate"),
    ]
