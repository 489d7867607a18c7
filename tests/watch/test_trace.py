"""Recorded searches against hand results, and against what the searches themselves report."""

import gc
import random
from functools import partial
from math import inf

import pytest
from trees import random_tree

from course.draw.program import listing
from course.draw.words import why_cut
from course.watch import record
from course.watch.events import Backpropagate, Cut, Enter, Improve, Leaf, Return, TableHit
from gamelib import (
    Chance,
    GameTree,
    Nim,
    PayoffBounds,
    TicTacToe,
    alphabeta,
    best_reply,
    expectiminimax,
    iterative_deepening,
    maxn,
    mcts,
    minimax,
    negamax,
    paranoid,
    star1,
)
from gamelib.search.tree import SearchTree

TREE = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
ORDERED = GameTree([[3, 12, 8], [5, 4, 6], [14, 1, 11]])
TIED = GameTree([[10], [10, 0]])
BINARY = GameTree([[[3, 9], [10, 6]], [[4, 7], [0, 5]]])
THREE = GameTree(
    [
        [[(1, 2, 3), (4, 2, 1)], [(6, 1, 2), (7, 4, -1)]],
        [[(5, -1, -1), (-1, 5, 2)], [(7, 7, -1), (5, 4, 5)]],
    ]
)

WITH_CHANCE = GameTree([[3, 5], Chance((0.5, -5), (0.5, [1, 2])), Chance((0.5, 9), (0.5, [0, 2]))])

# By hand: the branches that are skipped, and the last window of every inner node that is visited.
BY_HAND = [
    (
        TREE,
        11,
        {(1, 1), (1, 2)},
        {(): (3, inf), (0,): (-inf, 3), (1,): (3, 2), (2,): (3, 2)},
    ),
    (ORDERED, 12, {(2, 2)}, {(): (4, inf), (0,): (-inf, 3), (1,): (3, 4), (2,): (4, 1)}),
    (TIED, 5, {(1, 1)}, {(): (10, inf), (0,): (-inf, 10), (1,): (10, 10)}),
    (
        BINARY,
        11,
        {(0, 1, 1), (1, 1)},
        {
            (): (9, inf),
            (0,): (-inf, 9),
            (0, 0): (9, inf),
            (0, 1): (10, 9),
            (1,): (9, 7),
            (1, 0): (9, inf),
        },
    ),
]


def count(trace, kind):
    """Return the number of events of one class."""
    return sum(isinstance(event, kind) for event in trace)


@pytest.mark.parametrize(("tree", "nodes", "pruned", "windows"), BY_HAND)
def test_alphabeta_visits_what_it_visits_by_hand(tree, nodes, pruned, windows) -> None:
    assert len(record(alphabeta, tree).visited()) == nodes


@pytest.mark.parametrize(("tree", "nodes", "pruned", "windows"), BY_HAND)
def test_alphabeta_cuts_what_it_cuts_by_hand(tree, nodes, pruned, windows) -> None:
    assert set(record(alphabeta, tree).pruned()) == pruned


@pytest.mark.parametrize(("tree", "nodes", "pruned", "windows"), BY_HAND)
def test_windows_are_those_by_hand(tree, nodes, pruned, windows) -> None:
    trace = record(alphabeta, tree)
    end = trace.at(len(trace))
    inner = [path for path in trace.visited() if not end.node(path).state.is_terminal()]
    assert {path: end.node(path).window for path in inner} == windows


def test_a_strict_search_does_not_cut_a_tie() -> None:
    assert record(alphabeta, TIED, strict=True).pruned() == ()


def test_the_value_of_a_cut_node_is_a_bound() -> None:
    trace = record(alphabeta, BINARY)
    end = trace.at(len(trace))
    assert (end.node((0, 1)).kind, end.node((0, 1)).value) == ("lower", 10)
    assert (end.node((1,)).kind, end.node((1,)).value) == ("upper", 7)
    assert (end.node(()).kind, end.node(()).value) == ("exact", 9)


def test_why_a_node_was_cut_in_words() -> None:
    trace = record(alphabeta, TREE)
    assert why_cut(trace, (1, 2)) == (
        "Cut at node 1: this node is at most 2, and max already has 3 elsewhere.\n"
        "  Not visited: 1, 2."
    )
    assert max(map(len, why_cut(record(alphabeta, BINARY), (0, 1, 1)).split("\n"))) < 84
    assert why_cut(trace, (1,)) == why_cut(trace, (1, 1))
    assert why_cut(trace, (0, 1)).startswith("Not cut: the search visited node 0 → 1")


def test_below_a_cut_the_reason_is_that_cut() -> None:
    trace = record(alphabeta, BINARY)
    assert why_cut(trace, (1, 1, 0)) == why_cut(trace, (1, 1))


def test_a_path_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\(7,\) is not a path"):
        why_cut(record(alphabeta, TREE), (7,))


def test_counts_of_events() -> None:
    trace = record(alphabeta, TREE)
    assert (
        count(trace, Enter),
        count(trace, Return),
        count(trace, Leaf),
    ) == (11, 11, 7)
    assert count(trace, Cut) == trace.result.stats.cutoffs


def test_a_slice_has_the_events() -> None:
    trace = record(minimax, TREE)
    assert trace[:2] == trace.events[:2]
    assert isinstance(trace[0], Enter)


@pytest.mark.parametrize("search", [minimax, negamax, alphabeta, iterative_deepening])
def test_as_many_nodes_as_the_search_counts(search) -> None:
    state = TicTacToe.parse("O.X/.X./O..", current_player=0)
    trace = record(search, state, **({"depth": 3} if search is iterative_deepening else {}))
    assert count(trace, Enter) == trace.result.stats.nodes


def test_each_step_shows_the_nodes_entered_so_far() -> None:
    trace = record(alphabeta, BINARY)
    entered = []
    for step, event in enumerate(trace, start=1):
        if isinstance(event, Enter):
            entered.append(trace.visit_of(step - 1).path)
        moment = trace.at(step)
        assert [path for path in trace.visited() if moment.visits_of(path)] == entered


def test_going_back_shows_what_was_there() -> None:
    trace = record(alphabeta, TREE)
    before = [trace.at(5).node(path) for path in trace.at(5).stack]
    trace.at(30).node(())
    assert [trace.at(5).node(path) for path in trace.at(5).stack] == before


def test_a_node_is_open_from_its_entry_to_its_return() -> None:
    trace = record(minimax, TREE)
    assert trace.at(3).stack == ((), (0,), (0, 0))
    assert trace.at(3).node((0,)).status == "open"
    assert trace.at(len(trace)).node((0,)).status == "done"


def test_the_line_is_the_one_of_the_result() -> None:
    for search in (minimax, alphabeta):
        trace = record(search, BINARY)
        assert trace.at(len(trace)).line() == trace.result.line


def test_negamax_values_are_of_the_player_to_move() -> None:
    trace = record(negamax, TREE)
    assert trace.at(len(trace)).node((0,)).value == -3


def test_iterative_deepening_shows_its_last_round() -> None:
    trace = record(iterative_deepening, BINARY)
    end = trace.at(len(trace))
    assert end.node(()).value == 9
    assert end.size(()) < count(trace, Enter)


def test_a_table_hit_is_seen() -> None:
    state = TicTacToe.parse("X.O/.X./O..", current_player=0)
    trace = record(alphabeta, state, table=True)
    hits = [visit for visit in trace.visits if visit.table]
    assert len(hits) == count(trace, TableHit) == trace.result.stats.table_hits > 0
    assert all(not visit.children for visit in hits)


def test_maxn_and_paranoid_on_the_tree_of_three_players() -> None:
    ends = [record(search, THREE) for search in (maxn, paranoid)]
    assert [end.at(len(end)).node(()).value for end in ends] == [(1, 2, 3), 1]


@pytest.mark.parametrize("solver", [False, True])
@pytest.mark.parametrize(
    "state",
    [TicTacToe.parse("X../.O./..."), Nim([1, 2]), Nim([2, 2], num_players=3)],
    ids=["tic-tac-toe", "nim", "nim for three"],
)
def test_mcts_has_the_visits_and_means_of_its_tree(state, solver) -> None:
    tree = SearchTree()
    trace = record(mcts, state, simulations=150, rng=5, solver=solver, tree=tree)
    end = trace.at(len(trace))
    assert len(trace.visits) == len(tree)
    for path in trace.visited():
        for row in tree.table(*path) if not end.node(path).state.is_terminal() else ():
            if row.visits:
                node = end.node((*path, row.action))
                assert (node.visits, node.mean) == (row.visits, pytest.approx(row.mean))


@pytest.mark.parametrize("state", [TicTacToe.parse("X.O/.../..."), Nim([3, 2]), Nim([2, 2, 1])])
def test_mcts_would_play_what_the_result_plays(state) -> None:
    for seed in range(20):
        for simulations in (3, 10, 40, 90):
            options = {"simulations": simulations, "rng": seed, "solver": seed % 2 == 0}
            trace = record(mcts, state, **options)
            assert trace.at(len(trace)).node(()).best == trace.result.action


def test_each_simulation_counts_once() -> None:
    trace = record(mcts, TicTacToe(), simulations=30, rng=0)
    for step in range(len(trace) + 1):
        done = sum(isinstance(event, Backpropagate) for event in trace[:step])
        assert trace.at(step).node(()).visits == done


def test_a_proof_is_seen_from_its_step_on() -> None:
    trace = record(mcts, TicTacToe.parse("OX./XXO/O.."), simulations=100, rng=0, solver=True)
    proven = [visit for visit in trace.visits if visit.proof]
    assert proven
    step = proven[0].proof[0]
    assert trace.at(step - 1).node(proven[0].path).proof is None
    assert trace.at(step).node(proven[0].path).proof is not None


def test_a_record_ends_after_so_many_nodes() -> None:
    trace = record(minimax, TicTacToe(), most_nodes=1000)
    assert (count(trace, Enter), trace.result) == (1000, None)
    assert trace.ended == "minimax made 1,000 nodes, and the record ends there"


@pytest.mark.parametrize("step", [-1, 38, 1.5, "3", None])
def test_a_step_that_is_not_there_is_refused(step) -> None:
    with pytest.raises(ValueError, match="step must be an int from 0 to 37"):
        record(alphabeta, TREE).at(step)


def test_a_deep_trace_is_read() -> None:
    nested: object = [1, 2]
    for _ in range(200):
        nested = [nested, 0]
    assert len(record(minimax, GameTree(nested)).visited()) == 403


def test_random_trees_have_the_nodes_the_search_counts() -> None:
    rng = random.Random(3)
    for _ in range(50):
        tree = GameTree(
            [
                [rng.randint(0, 3) for _ in range(rng.randint(1, 3))]
                for _ in range(rng.randint(1, 4))
            ]
        )
        trace = record(alphabeta, tree)
        assert len(trace.visits) == trace.result.stats.nodes
        assert len(set(trace.visited()) & set(trace.pruned())) == 0


def test_the_garbage_collector_runs_again_afterwards() -> None:
    record(minimax, TREE)
    assert gc.isenabled()
    record(lambda state: 1 / 0, TREE)
    assert gc.isenabled()


def own_negamax(state):
    """Return the value for who moves, as a student might write it."""
    if state.is_terminal():
        return state.utility(state.current_player)
    return max(-own_negamax(state.successor(action)) for action in state.legal_actions())


@pytest.mark.parametrize(
    "search",
    [
        partial(negamax, depth=4),
        lambda state, **options: negamax(state, depth=4, **options),
        own_negamax,
    ],
    ids=["partial", "lambda", "own"],
)
def test_whose_values_they_are_is_found_out(search) -> None:
    trace = record(search, TREE)
    assert trace.mover_views
    assert trace.role(TREE) == ""
    values = [trace.at(len(trace)).node((action,)).value for action in TREE.legal_actions()]
    assert values == [-3, -2, -2]
    assert trace.at(len(trace)).node(()).value == 3


def test_a_partial_paranoid_has_its_roles() -> None:
    three = GameTree([[(1, 2, 3), (4, 2, 1)], [(6, 1, 2), (7, 4, -1)]])
    assert record(partial(paranoid, prune=False), three).role(three) == "max"
    assert record(maxn, three).role(three) == ""


def test_the_options_of_a_partial_search_are_known() -> None:
    trace = record(partial(alphabeta, depth=1), TREE, strict=True)
    assert (trace.search, trace.options) == ("alphabeta", {"depth": 1, "strict": True})


MCTS = TicTacToe.parse("O.X/XX./OO."), {"simulations": 9, "rng": 0}
SOLVED = MCTS[0], {**MCTS[1], "solver": True}
BOARD = TicTacToe.parse("X.O/.X./O..", current_player=0)
# Of every kind of event the lines that do it.
LEAF, BEST, CALL = (
    "return self.leaf",
    "best, line = child, (action, rest)",
    "child, rest = self.value",
)
LIMITS = {"alpha = max(alpha, best)", "beta = min(beta, best)"}
LIT = [
    (minimax, TREE, {}, {"Leaf": {LEAF}, "Improve": {BEST}, "Return": {LEAF, "return best"}}),
    (negamax, TREE, {}, {"Leaf": {LEAF}, "Improve": {BEST}, "Return": {LEAF, "return best"}}),
    (alphabeta, TREE, {}, {"Improve": LIMITS, "Cut": {"break"}, "Return": {LEAF, "return best"}}),
    (alphabeta, TREE, {"strict": True}, {"Improve": LIMITS, "Cut": {"break"}}),
    (iterative_deepening, TREE, {"depth": 2}, {"Improve": LIMITS, "Cut": {"break"}}),
    (paranoid, THREE, {}, {"Improve": {BEST, *LIMITS}, "Cut": {"break"}}),  # or none falls
    (paranoid, THREE, {"prune": False}, {"Improve": {BEST}}),
    (best_reply, THREE, {}, {"Improve": {BEST, *LIMITS}, "Cut": {"break"}}),
    (maxn, THREE, {}, {"Improve": {"vector, line = child, (action, rest)"}}),
    (maxn, THREE, {"prune": PayoffBounds(30, -30)}, {"Improve": {"best, vector, line = child"}}),
    (maxn, Nim([2, 2], num_players=3), {"prune": True}, {"Cut": {"break"}}),
    (alphabeta, BOARD, {"table": True}, {"TableHit": {"child, rest = self.value"}}),
    (expectiminimax, WITH_CHANCE, {}, {"Return": {LEAF, "return best", "return mean"}}),
    (star1, WITH_CHANCE, {}, {"Cut": {"return min(upper, alpha)"}}),
    (mcts, *MCTS, {"Select": {"path.append(edge)"}, "Rollout": {"return tree.playout"}}),
    (mcts, *MCTS, {"Expand": {"node = edge.node = tree.add"}, "Backpropagate": {"edge.count"}}),
    (mcts, *SOLVED, {"Proof": {"changed = [node]", "parent.bounds = bounds_of"}}),
]  # fmt: skip


@pytest.mark.parametrize(("search", "state", "options", "lines"), LIT)
def test_the_lit_line_is_the_one_that_did_it(search, state, options, lines) -> None:
    trace = record(search, state, **options)
    assert len(trace.places) == len(trace)
    lit = {kind: set() for kind in lines}
    for event, place in zip(trace, trace.places, strict=True):
        assert place.code in trace.programs
        code = listing(place.code)
        text = code.lines[code.numbers.index(place.line)].strip()
        if type(event).__name__ in lines:
            lit[type(event).__name__].add(text)
    for kind, wanted in lines.items():
        begins = {next((w for w in wanted if text.startswith(w)), text) for text in lit[kind]}
        assert begins == wanted


@pytest.mark.parametrize("search", [minimax, alphabeta, maxn, expectiminimax])
def test_a_node_begins_with_the_first_line_of_the_text(search) -> None:
    trace = record(search, TREE)
    for event, place in zip(trace, trace.places, strict=True):
        if isinstance(event, Enter):
            assert place == (trace.programs[0], trace.programs[0].co_firstlineno)


def test_what_a_step_changes() -> None:
    trace = record(alphabeta, TREE)
    falls = next(i for i, event in enumerate(trace, 1) if isinstance(event, Improve))
    changed = {name: pair for name, *pair in trace.changes(falls)}
    assert changed == {
        "child": [None, 3],
        "rest": [None, ()],
        "action": [None, 0],
        "maximizing": [None, False],
        "best": [None, 3],
        "line": [None, (0, ())],
        "beta": [inf, 3],
    }
    cut = next(i for i, event in enumerate(trace, 1) if isinstance(event, Cut))
    assert trace.changes(cut) == ()


def true_for_root(state, root, known):
    """Return the value of a state for the player to move at the root, by full search."""
    if state not in known:
        if state.is_terminal():
            known[state] = state.utilities()[root.current_player]
        else:
            best = max if state.current_player == root.current_player else min
            children = map(state.successor, state.legal_actions())
            known[state] = best(true_for_root(child, root, known) for child in children)
    return known[state]


@pytest.mark.parametrize("search", [minimax, alphabeta, partial(alphabeta, table=True)])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_no_node_says_more_than_is_proven(search, depth) -> None:
    rng = random.Random(depth)
    for _ in range(30):
        root = random_tree(rng)
        trace = record(search, root, depth=depth)
        end, known = trace.at(len(trace)), {}
        for path in trace.visited():
            node = end.node(path)
            truth = true_for_root(node.state, root, known)
            claims = {
                "exact": truth == node.value,
                "upper": truth <= node.value,
                "lower": truth >= node.value,
            }
            assert claims.get(node.kind, True), (path, node)
        assert end.node(()).kind == trace.result.kind


def test_a_node_that_is_open_has_an_estimate_only_once_it_has_met_one() -> None:
    tree = GameTree([[3, [4, 5]], [2, 1]])
    trace = record(minimax, tree, depth=2)
    step = next(i for i, event in enumerate(trace, 1) if isinstance(event, Improve))
    assert (trace.at(step).node((0,)).value, trace.at(step).node((0,)).kind) == (3, "exact")
    end = trace.at(len(trace))
    kinds = {path: end.node(path).kind for path in trace.visited()}
    assert [path for path, kind in kinds.items() if kind == "estimate"] == [(), (0,), (0, 1)]


def test_an_action_selected_by_its_prior_before_its_first_visit_is_one_node() -> None:
    """PUCT selects untried actions too: then the same step is told as Select and as Expand."""
    state = TicTacToe.parse("X../.O./..X")
    tree = SearchTree()

    def equal(state: TicTacToe) -> dict[int, float]:
        return dict.fromkeys(state.legal_actions(), 1 / len(state.legal_actions()))

    trace = record(mcts, state, simulations=30, priors=equal, tree=tree, rng=0)
    assert len(trace.visits) == len(tree) == 31
    for row in tree.table():
        assert trace.at(len(trace)).node((row.action,)).visits == row.visits
