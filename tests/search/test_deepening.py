import random
from itertools import count
from math import inf
from types import SimpleNamespace

import pytest
from random_trees import arbitrary, random_position, random_tree, visited

from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.search import Table, alphabeta, centre_first, deepening, iterative_deepening, minimax


@pytest.fixture
def clock(monkeypatch):
    """Give the search a clock that moves on by a second a look, and let it look at every node."""
    monkeypatch.setattr("gamelib.search.callbacks.Poller.SECONDS_PER_POLL", 0)
    clock = SimpleNamespace(perf_counter=count(1).__next__)
    monkeypatch.setattr(deepening, "time", clock)


def test_unlimited_search_solves_random_trees():
    rng = random.Random(1)
    for _ in range(300):
        state = random_tree(rng)
        full, result = minimax(state), iterative_deepening(state)
        assert result.value == full.value == full.values[result.action].value
        assert result.utilities == full.utilities
        assert result.line[0] == result.action
        assert not result.stopped


@pytest.mark.parametrize("game", [Nim((3, 2, 2)), TicTacToe(), ConnectFour(4, 4)], ids=repr)
@pytest.mark.parametrize("quick_wins", [False, True])
def test_value_at_each_depth_equals_minimax(game, quick_wins):
    rng = random.Random(3)
    for _ in range(5):
        state = random_position(game, rng, 1, 4)
        for depth in range(1, 5):
            options = {"depth": depth, "evaluate": arbitrary, "quick_wins": quick_wins}
            full, result = minimax(state, **options), iterative_deepening(state, **options)
            assert result.value == full.value == full.values[result.action].value
            assert result.stats.depth <= depth


def test_stats_add_up_all_depths():
    state = ConnectFour().play(3)
    result = iterative_deepening(state, depth=4)
    table, nodes = Table(), 0
    for depth in range(1, 5):
        nodes += alphabeta(
            state, depth=depth, table=table, order=deepening.table_move_first(table)
        ).stats.nodes
    assert result.stats.nodes == nodes
    assert result.stats.depth == 4


def test_best_action_of_previous_depth_comes_first():
    state = TicTacToe.parse("OO. / XX. / ...")
    action_to = {state.successor(action): action for action in state.legal_actions()}
    made = visited(iterative_deepening, state, depth=3)
    tried = [action_to[child] for child in made if child in action_to]
    assert [tried[:5], tried[5::5]] == [[2, 5, 6, 7, 8], [5, 5]]


def test_order_applies_to_actions_after_table_move():
    table = Table()
    state = ConnectFour()
    order = deepening.table_move_first(table, centre_first)
    assert order(state, state.legal_actions()) == [3, 2, 4, 1, 5, 0, 6]
    alphabeta(state, depth=1, table=table, order=lambda state, actions: actions[::-1])
    assert order(state, state.legal_actions()) == [6, 3, 2, 4, 1, 5, 0]


def test_zero_seconds_finish_depth_1():
    state = TicTacToe.parse("XX. / OO. / ...")
    result = iterative_deepening(state, seconds=0)
    assert result.stats.depth == 1
    assert result.action == 2
    assert not result.stopped


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("most", [1, 10, 100, 1_000])
@pytest.mark.parametrize("budget", ["seconds", "nodes"])
def test_exhausted_budget_returns_last_finished_depth(budget, most):
    result = iterative_deepening(ConnectFour(), evaluate=arbitrary, **{budget: most})
    finished = iterative_deepening(ConnectFour(), depth=result.stats.depth, evaluate=arbitrary)
    for name in ("action", "value", "values", "line"):
        assert getattr(result, name) == getattr(finished, name)
    # Except for the children of the last node; depth 1 is always finished.
    most_nodes = max(8, most + 7) if budget == "nodes" else inf
    assert finished.stats.nodes <= result.stats.nodes <= most_nodes
    assert not result.stopped  # a budget that is used up is no stop


@pytest.mark.parametrize("questions", [1, 2, 10, 300])
def test_stopped_search_returns_last_finished_depth(monkeypatch, questions):
    monkeypatch.setattr("gamelib.search.callbacks.Poller.SECONDS_PER_POLL", 0)
    asked = []

    def stop():
        asked.append(1)
        return len(asked) >= questions

    state = ConnectFour()
    result = iterative_deepening(state, stop=stop)
    assert len(asked) == questions
    assert result.stopped
    assert result.action in state.legal_actions()
    depth = result.stats.depth
    if depth:
        assert result.values == iterative_deepening(state, depth=depth).values
    else:
        assert questions == 1


@pytest.mark.parametrize("limits", [{"depth": 4}, {"seconds": 400}, {"depth": 3, "seconds": 1e9}])
@pytest.mark.usefixtures("clock")
def test_progress_grows_and_has_legal_actions(limits):
    reports = []
    state = ConnectFour()
    iterative_deepening(state, progress=lambda *report: reports.append(report), **limits)
    shares = [share for share, _ in reports]
    assert shares == sorted(shares)
    assert 0 <= shares[0] < shares[-1] <= 1
    assert reports[0][1] is None
    assert {best for _, best in reports[1:]} <= set(state.legal_actions())


def test_reused_table_shortens_next_search():
    table = Table()
    first = iterative_deepening(ConnectFour(), depth=6, table=table)
    again = iterative_deepening(ConnectFour(), depth=6, table=table)
    assert again.value == first.value
    assert again.stats.nodes < first.stats.nodes


def test_last_line_comes_first_without_table():
    state, options = ConnectFour(4, 5), {"evaluate": arbitrary, "depth": 5}
    result = iterative_deepening(state, table=False, **options)
    nodes, line = 0, ()
    for depth in range(1, 6):
        along = {}
        for ply, action in enumerate(line):
            along[state.play(*line[:ply])] = action
        found = alphabeta(
            state,
            depth=depth,
            evaluate=arbitrary,
            order=lambda s, actions, along=along: sorted(actions, key=lambda a: a != along.get(s)),
        )
        nodes, line = nodes + found.stats.nodes, found.line
    assert result.stats.nodes == nodes
    assert result.value == minimax(state, **options).value
    assert nodes > iterative_deepening(state, **options).stats.nodes
