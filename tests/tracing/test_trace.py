"""Recorded searches against hand results, and against what the searches themselves report."""

import gc
import random
from functools import partial
from math import inf

import pytest
from programs import lambdas
from random_trees import random_tree
from textbook import BINARY, THREE, TREE

from course.draw.wording import why_cut
from course.lessons.chance.check import exact_value
from course.tracing import record
from course.tracing import trace as trace_module
from course.tracing.events import Cut, Enter, Improve
from gamelib.games import GameTree, Nim, TicTacToe
from gamelib.search import SearchTree, alphabeta, maxn, mcts, minimax, negamax, paranoid, star1
from tests.messages import names


def test_why_cut_explains_cut() -> None:
    trace = record(alphabeta, TREE)
    assert why_cut(trace, (1, 2)) == (
        "Cut at node 1: this node is at most 2, and max already has 3 elsewhere.\n"
        "  Not visited: 1, 2."
    )
    assert max(map(len, why_cut(record(alphabeta, BINARY), (0, 1, 1)).split("\n"))) < 84
    assert why_cut(trace, (1,)) == why_cut(trace, (1, 1))
    assert why_cut(trace, (0, 1)).startswith("Not cut: the search visited node 0 → 1")


def test_frame_shows_nodes_entered_so_far() -> None:
    trace = record(alphabeta, BINARY)
    entered = []
    for step, event in enumerate(trace, start=1):
        if isinstance(event, Enter):
            entered.append(trace.visit_of(step - 1).path)
        moment = trace.at(step)
        assert [path for path in trace.visited() if moment.visits_of(path)] == entered
    trace = record(minimax, TREE)
    assert trace.at(3).stack == ((), (0,), (0, 0))
    assert [trace.at(step).node((0,)).status for step in (3, len(trace))] == ["open", "done"]


@pytest.mark.parametrize("solver", [False, True])
@pytest.mark.parametrize(
    "state",
    [TicTacToe.parse("X../.O./..."), Nim([1, 2]), Nim([2, 2], num_players=3)],
    ids=["tic-tac-toe", "nim", "nim for three"],
)
def test_mcts_frame_has_visits_and_means(state, solver) -> None:
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
def test_last_mcts_frame_chooses_action_of_result(state) -> None:
    for seed, simulations in zip(range(16), (3, 10, 40, 90) * 4, strict=True):
        options = {"simulations": simulations, "rng": seed, "solver": seed % 8 < 4}
        trace = record(mcts, state, **options)
        assert trace.at(len(trace)).node(()).best == trace.result.action


def test_record_ends_at_node_limit(monkeypatch) -> None:
    monkeypatch.setattr(trace_module, "MAX_NODES", 1000)
    trace = record(minimax, TicTacToe())
    assert (sum(isinstance(event, Enter) for event in trace), trace.result) == (1000, None)
    assert gc.isenabled()
    assert trace.ended == "minimax made 1,000 nodes, and the record ends there"


@pytest.mark.parametrize("step", [-1, 38, 1.5, "3", None])
def test_unknown_step_raises(step) -> None:
    with pytest.raises(ValueError, match=names("step must be an int from 0 to 37")):
        record(alphabeta, TREE).at(step)


@pytest.mark.parametrize(
    "search", [partial(negamax, depth=4), lambda state: negamax(state, depth=4), lambdas]
)
def test_perspective_is_inferred(search) -> None:
    trace = record(search, TREE)
    assert trace.is_mover_relative
    assert trace.role(TREE) == ""
    values = [trace.at(len(trace)).node((action,)).value for action in TREE.legal_actions()]
    assert values == [-3, -2, -2]
    assert trace.at(len(trace)).node(()).value == 3


def test_options_of_partial_are_recorded() -> None:
    trace = record(partial(alphabeta, depth=1), TREE, strict=True)
    assert (trace.search, trace.options) == ("alphabeta", {"depth": 1, "strict": True})
    assert record(partial(paranoid, prune=False), THREE).role(THREE) == "max"
    assert record(maxn, THREE).role(THREE) == ""


def test_changes_of_step() -> None:
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


def check_claims(moment) -> None:
    """Compare what is said of the nodes that have returned with their true values."""
    trace = moment.trace
    for path in filter(moment.visits_of, trace.visited()):
        node = moment.node(path)
        if node.status != "open":
            truth = exact_value(node.state, trace.state.current_player)
            claims = {
                "exact": truth == node.value,
                "upper": truth <= node.value,
                "lower": truth >= node.value,
            }
            assert claims.get(node.kind, True), (path, node)


@pytest.mark.parametrize("search", [minimax, alphabeta, partial(alphabeta, table=True)])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_no_node_claims_more_than_proven(search, depth) -> None:
    rng = random.Random(depth)
    for _ in range(12):
        trace = record(search, random_tree(rng), depth=depth)
        check_claims(trace.at(len(trace)))
        assert trace.at(len(trace)).node(()).kind == trace.result.kind


ROLLS = GameTree.parse("{1/2: [2 4] 1/2: [-1 5]} {1/2: [1 0] 1/2: [0 3]}")


@pytest.mark.parametrize(("search", "tree"), [(alphabeta, BINARY), (star1, ROLLS)])
def test_no_step_claims_more_than_proven(search, tree) -> None:
    trace = record(search, tree)
    for step in range(len(trace) + 1):
        check_claims(trace.at(step))


def test_open_node_is_estimate_after_meeting_one() -> None:
    tree = GameTree([[3, [4, 5]], [2, 1]])
    trace = record(minimax, tree, depth=2)
    step = next(i for i, event in enumerate(trace, 1) if isinstance(event, Improve))
    assert (trace.at(step).node((0,)).value, trace.at(step).node((0,)).kind) == (3, "exact")
    end = trace.at(len(trace))
    kinds = {path: end.node(path).kind for path in trace.visited()}
    assert [path for path, kind in kinds.items() if kind == "estimate"] == [(), (0,), (0, 1)]


def test_action_selected_by_prior_is_one_node() -> None:
    """PUCT selects untried actions too: then the same step is told as Select and as Expand."""
    state = TicTacToe.parse("X../.O./..X")
    tree = SearchTree()

    def equal(state: TicTacToe) -> dict[int, float]:
        return dict.fromkeys(state.legal_actions(), 1 / len(state.legal_actions()))

    trace = record(mcts, state, simulations=30, priors=equal, tree=tree, rng=0)
    assert len(trace.visits) == len(tree) == 31
    for row in tree.table():
        assert trace.at(len(trace)).node((row.action,)).visits == row.visits
