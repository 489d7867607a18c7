"""Errors and callbacks that all searches share."""

from math import inf, nan

import pytest

from gamelib import SEARCHES, GameTree, TicTacToe, mcts
from gamelib.search.callbacks import Poller
from gamelib.search.registry import parameters
from tests.messages import names

START = TicTacToe.parse("XO. / .X. / ..O")
OF_TWO = "minimax negamax alphabeta iterative_deepening solve expectiminimax star1"


def run(name, state, **options):
    """Return what a search finds, in a few simulations if it needs so many."""
    search = SEARCHES[name]
    return search(state, **({"simulations": 40, "rng": 1} if search is mcts else {}), **options)


def that_take(option):
    names = [name for name, search in SEARCHES.items() if option in parameters(search)]
    return pytest.mark.parametrize("name", names)


@pytest.mark.parametrize("name", SEARCHES)
def test_terminal_root_raises(name):
    with pytest.raises(ValueError, match="game is over"):
        run(name, TicTacToe.parse("XXX/OO./..."))


@pytest.mark.parametrize("name", OF_TWO.split())
def test_three_players_raise_in_two_player_searches(name):
    with pytest.raises(ValueError, match=names("needs a game of two players; this one has 3")):
        run(name, TicTacToe(num_players=3))


@pytest.mark.parametrize("name", OF_TWO.split())
def test_payoffs_not_zero_sum_raise(name):
    with pytest.raises(ValueError, match=r"zero-sum .*\(1, 1\)"):
        run(name, GameTree([[(1, 1), (0, 0)]]))


@that_take("depth")
@pytest.mark.parametrize("depth", [0, -1, 2.5, 3.0, "3", True, inf])
def test_invalid_depth_raises(name, depth):
    with pytest.raises(ValueError, match=names("depth must be an int, 1 or more, or None; got ")):
        run(name, START, depth=depth)


def guess(name, evaluate):
    """Let a search ask a heuristic."""
    run(name, START, evaluate=evaluate, **({} if SEARCHES[name] is mcts else {"depth": 1}))


@that_take("evaluate")
@pytest.mark.parametrize("estimate", [1, -1, 1.5, -40, nan, inf, None, "0", 1j])
def test_estimate_outside_limits_raises(name, estimate):
    def my_heuristic(state, player):
        return estimate

    with pytest.raises(ValueError, match=r"my_heuristic\(.*\(-1, 1\)") as caught:
        guess(name, my_heuristic)
    assert "X O " in str(caught.value)


@that_take("evaluate")
def test_error_of_heuristic_propagates(name):
    def my_heuristic(state, player):
        return {}["missing"]

    with pytest.raises(KeyError, match="missing") as caught:
        guess(name, my_heuristic)
    assert caught.traceback[-1].name == "my_heuristic"


@that_take("stop")
def test_immediate_stop_returns_legal_action(name):
    result = run(name, START, stop=lambda: True)
    assert result.stopped
    assert result.action in START.legal_actions()


@that_take("stop")
def test_callbacks_do_not_change_results(name):
    watched = run(name, START, progress=lambda share, best: None, stop=lambda: False)
    assert watched == run(name, START)


@pytest.fixture
def clock(monkeypatch):
    """Return a list of one number, the time."""
    now = [100.0]
    monkeypatch.setattr("gamelib.search.callbacks.time.perf_counter", lambda: now[0])
    return now


def test_poller_limits_progress_calls(clock):
    shares = []
    watch = Poller(lambda share, best: shares.append(share), None)
    for step in range(1000):
        clock[0] += 0.001
        watch(step / 1000, None)
    assert 30 <= len(shares) <= 34  # in one second


def test_poller_calls_stop_with_progress(clock):
    calls = []
    watch = Poller(lambda share, best: calls.append("progress"), lambda: calls.append("stop"))
    for _ in range(3):
        clock[0] += 1
        watch(0, None)
    assert calls == ["progress", "stop"] * 3
