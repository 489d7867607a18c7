"""References against theory and the library; what checks say is in the tables of test_mutants."""

from math import inf, sqrt

import pytest

from course.lessons.mcts import check as exercises
from course.lessons.mcts import reference
from course.lessons.mcts.nim_runs import NIM_RUNS, nim_runs
from course.tracing import record
from course.tracing.events import Backpropagate
from gamefast import fast
from gamelib import Nim, SearchTree, TicTacToe, mcts


def backups(state, **options):
    """Return what each simulation of a recorded search passes up."""
    return [event for event in record(mcts, state, **options) if isinstance(event, Backpropagate)]


SHORT = [row for row in NIM_RUNS if row.simulations <= 3_000]
LONG = [row for row in NIM_RUNS if 3_000 < row.simulations <= 30_000]


@pytest.mark.parametrize("row", SHORT, ids=str)
def test_stored_nim_runs_are_reproducible(row):
    pytest.importorskip("numba")
    asked = row.heaps, row.simulations, row.runs
    assert nim_runs(*asked, solver=row.solver, search=fast(mcts)) == row


@pytest.mark.parametrize("row", LONG, ids=str)
def test_long_stored_nim_runs_agree_with_sample(row):
    """The short rows show that each run is the same; these, that no row belongs elsewhere."""
    pytest.importorskip("numba")
    runs, share = 60, row.optimal / row.runs
    found = nim_runs(row.heaps, row.simulations, runs, solver=row.solver, search=fast(mcts))
    margin = 3 * sqrt(runs * share * (1 - share))  # three standard deviations
    assert abs(found.optimal - runs * share) <= margin
    assert found.proven == row.proven == 0


def test_long_stored_nim_run_with_proofs_is_reproducible():
    pytest.importorskip("numba")
    row = next(row for row in NIM_RUNS if row.solver and row.simulations == 100_000)
    assert row.optimal == row.proven == row.runs
    found = nim_runs(row.heaps, 100_000, 20, solver=True, search=fast(mcts))
    assert found == row._replace(runs=20, optimal=20, proven=20)


def test_reference_backpropagation_equals_mcts():
    tree, nodes = SearchTree(), {}
    for event in backups(TicTacToe(), simulations=200, rng=0, tree=tree):
        path = [event.path[:length] for length in range(len(event.path) + 1)]
        mover = TicTacToe().play(*event.path).current_player
        visited = [nodes.setdefault(node, exercises.PathNode()) for node in path]
        reference.backpropagate(visited, 2 * event.rewards[mover] - 1)
    for row in tree.table():
        assert nodes[(row.action,)].visits == row.visits
        assert nodes[(row.action,)].total / row.visits == pytest.approx(row.mean)


def test_select_with_infinite_urgency_equals_mcts():
    # all but the last action: mcts draws which untried one it is, the exercise takes the first
    root = exercises.TreeNode(TicTacToe())
    for event in backups(TicTacToe(), simulations=120, rng=0):
        walk = reference.select_and_expand(exercises._copy(root), 2**0.5, inf)
        assert len(walk) == len(event.path) + 1
        path = [root]
        for action in event.path:
            children = path[-1].children
            path.append(children[action] if action in children else path[-1].add(action))
        new = not path[-1].visits
        upper = len(path) - new
        assert [node.state for node in walk][:upper] == [node.state for node in path][:upper]
        movers = [0, *[node.state.current_player for node in path[:-1]]]
        for mover, node in zip(movers, path, strict=True):
            node.visits += 1
            node.total += event.rewards[mover]


def test_low_urgency_repeats_action_before_others_tried():
    root = exercises.TreeNode(TicTacToe())
    for _ in range(50):
        for node in reference.select_and_expand(root, 0, 0.1):
            node.visits += 1
            node.total += 0.5
    assert len(root.children) < 9


def test_reference_rewards_equal_those_of_mcts():
    state = Nim((2, 2), num_players=3)
    for event in backups(state, simulations=50, rng=1):
        path = [state.play(*event.path[:n]) for n in range(len(event.path) + 1)]
        utilities = [2 * reward - 1 for reward in event.rewards]
        expected = reference.rewards_along([node.current_player for node in path], utilities)
        assert list(event.added) == pytest.approx(expected)


def test_wrong_path_is_shown_on_small_tree():
    def stays(root, c, first):
        """Descend as the reference does, but never below the first child."""
        return reference.select_and_expand(root, c, first)[:2]

    feedback = exercises.check_select_and_expand(stays)
    rows = str(feedback.state).splitlines()
    assert not feedback
    assert rows[0].startswith("root")
    assert 1 < len(rows) < 8
    assert "    action" in str(feedback.state)
