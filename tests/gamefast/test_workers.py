"""MCTS and random games on several threads: the same for the same seed, and nothing left behind."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from random import Random

import pytest

import gamefast
import gamelib
from gamefast import fast
from gamefast.machine import check_workers
from gamelib import ConnectFour, Nim, TicTacToe

sampling = import_module("gamefast.sampling")

STATES = [ConnectFour().play(3, 3), TicTacToe(num_players=3), Nim((2, 3, 4))]


@pytest.mark.parametrize("state", STATES, ids=repr)
def test_one_worker_is_the_search_without_workers(state):
    options = {"simulations": 3000, "rng": 5, "solver": isinstance(state, ConnectFour)}
    assert gamefast.mcts(state, workers=1, **options) == gamefast.mcts(state, **options)


@pytest.mark.parametrize("state", STATES, ids=repr)
def test_two_workers_answer_with_the_sums_of_their_trees(state):
    chance = Random(7)
    alone = [gamefast.mcts(state, simulations=n, rng=chance) for n in (1501, 1500)]
    both = gamefast.mcts(state, simulations=3001, rng=Random(7), workers=2)
    first, second = (result.visits for result in alone)
    assert both.visits == {action: first[action] + second[action] for action in first}
    assert both.stats.tree_nodes == sum(result.stats.tree_nodes for result in alone)
    for action, value in both.values.items():
        means = [(r.values[action].value, r.visits[action]) for r in alone if r.visits[action]]
        mean = sum(mean * visits for mean, visits in means) / both.visits[action]
        assert value.value == pytest.approx(mean)
    assert both == gamefast.mcts(state, simulations=3001, rng=7, workers=2)


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize(
    "state",
    [
        TicTacToe.parse("X.. / .O. / ..X"),
        TicTacToe.parse("XO. / ... / ..."),
        Nim((1, 2, 3)),
        Nim((1, 1, 2), misere=True),
        ConnectFour(3, 4, 3),
    ],
    ids=repr,
)
def test_what_several_workers_prove_is_the_truth(state, share):
    solved = gamelib.solve(state)
    best = [action for action, value in solved.values.items() if value.value == solved.value]
    options = {"simulations": 200_000, "solver": True, "share": share}
    for workers in (2, 3):
        result = gamefast.mcts(state, workers=workers, rng=workers, **options)
        assert result.utilities is not None
        assert (result.value, result.action in best) == (solved.value, True)
        for action, value in result.values.items():
            if value.kind == "exact":
                assert value.value == solved.values[action].value


def test_more_workers_than_simulations_are_no_mistake():
    result = gamefast.mcts(ConnectFour(), simulations=2, workers=5, rng=0)
    assert sum(result.visits.values()) == 2


def test_random_games_of_workers_end_as_theory_says():
    games = 200_001
    counts = gamefast.playouts(TicTacToe(), games=games, workers=3, rng=1)
    assert counts.total() == games
    assert counts == gamefast.playouts(TicTacToe(), games=games, workers=3, rng=1)
    for payoffs, share in {(1, -1): 737 / 1260, (-1, 1): 121 / 420, (0, 0): 8 / 63}.items():
        assert counts[payoffs] / games == pytest.approx(share, abs=0.006)


def test_workers_stop_when_told():
    before = threading.active_count()
    looks = iter([False, True])
    result = gamefast.mcts(ConnectFour(), seconds=60, workers=3, stop=lambda: next(looks, True))
    assert result.stopped
    assert result.seconds < 30
    assert threading.active_count() == before


def test_an_interrupt_leaves_no_thread_behind():
    def interrupted():
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        gamefast.mcts(ConnectFour(), seconds=60, workers=3, stop=interrupted)
    assert threading.active_count() == before


def test_an_interrupt_ends_random_games_with_their_step(monkeypatch):
    calls = []

    def count_games(*_):
        calls.append(threading.current_thread())
        if len(calls) > 6 and calls[-1] is threading.main_thread():
            raise KeyboardInterrupt
        return 1

    before = threading.active_count()
    monkeypatch.setattr(sampling.uct, "count_games", count_games)
    monkeypatch.setattr(sampling, "GAMES", 10)
    with pytest.raises(KeyboardInterrupt):
        gamefast.playouts(ConnectFour(), games=3000, workers=3)
    assert len(calls) <= 9
    assert threading.active_count() == before


def test_random_games_in_steps_are_the_same(monkeypatch):
    whole = gamefast.playouts(Nim((2, 3, 4)), games=1001, workers=2, rng=1)
    monkeypatch.setattr(sampling, "GAMES", 100)
    assert gamefast.playouts(Nim((2, 3, 4)), games=1001, workers=2, rng=1) == whole


def test_two_searches_at_once_are_those_one_after_the_other():
    def search(seed):
        return gamefast.mcts(ConnectFour(), simulations=40_000, workers=2, rng=seed)

    with ThreadPoolExecutor(2) as threads:
        at_once = list(threads.map(search, (1, 2)))
    assert at_once == [search(1), search(2)]


@pytest.mark.parametrize("workers", [0, -1, 1.5, None, True])
def test_a_wrong_number_of_workers_is_refused(workers):
    with pytest.raises((ValueError, TypeError), match="workers must be"):
        gamefast.mcts(TicTacToe(), simulations=5, workers=workers)


def test_a_browser_tab_says_that_it_has_no_threads(monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    with pytest.raises(ValueError, match="a browser tab, which has no threads; got 2"):
        check_workers(2)
    assert check_workers(1) == 1


def test_the_machine_code_of_mcts_takes_workers_and_the_readable_one_says_that_it_does_not():
    assert fast(gamelib.mcts)(Nim((1, 2)), simulations=20, workers=2, rng=0).action == (1, 1)
    with pytest.raises(TypeError, match="workers"):
        gamelib.mcts(Nim((1, 2)), simulations=20, workers=2, rng=0)
