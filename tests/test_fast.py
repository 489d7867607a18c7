import copy
import inspect
import pickle
import sys
from functools import partial
from importlib import import_module

import pytest

from gamefast import fast
from gamefast.fast import OPTIONS, fastest
from gamelib import (
    ConnectFour,
    GameTree,
    Nim,
    Table,
    TicTacToe,
    alphabeta,
    centre_first,
    iterative_deepening,
    lines_heuristic,
    mcts,
    minimax,
    nim_sum_rollout,
    solve,
    take_a_win,
)
from tests.fresh import fresh

tier = import_module("gamefast.fast")  # whose name is that of its function

BOARDS = (TicTacToe(), ConnectFour(4, 4, 3))
NIM = Nim((1, 2))
SEARCHES = (minimax, alphabeta, mcts, solve)

compiled = pytest.mark.skipif(not tier.is_available(), reason="Numba is not installed")


class Variant(TicTacToe):
    """A game that machine code does not know."""


@pytest.fixture
def no_numba(monkeypatch):
    kept = ("gamefast.fast", "gamefast.build_info", "gamefast")
    for name in [name for name in sys.modules if name.startswith(("gamefast", "numba"))]:
        if name not in kept:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(tier, "_failed", "")


# Which search is the fastest


@compiled
@pytest.mark.parametrize(
    ("search", "state"),
    [(search, state) for search in SEARCHES for state in BOARDS] + [(mcts, NIM)],
)
def test_the_fastest_is_machine_code_where_it_is_there(search, state) -> None:
    assert fastest(search, state).compiled is fast(search).compiled


@pytest.mark.parametrize("search", [minimax, mcts])
@pytest.mark.parametrize(
    "state", [GameTree([1, 2]), Variant(), TicTacToe(8, 8, 5), ConnectFour(8, 8), Nim((1,) * 17)]
)
def test_other_games_have_the_readable_search_alone(search, state) -> None:
    assert fastest(search, state) is search


@pytest.mark.parametrize("search", [iterative_deepening, lambda state: 0, partial(max)])
def test_other_searches_are_readable_alone(search) -> None:
    assert fastest(search, TicTacToe()) is search


@compiled
@pytest.mark.parametrize(
    ("search", "state", "options", "there"),
    [
        (mcts, TicTacToe(), {"rollout": None, "simulations": 5, "solver": True}, True),
        (mcts, TicTacToe(), {"rollout": take_a_win, "simulations": 5}, False),
        (mcts, NIM, {"rollout": nim_sum_rollout}, False),
        (alphabeta, TicTacToe(), {"table": None, "order": centre_first}, True),
        (alphabeta, TicTacToe(), {"table": True}, False),
        (alphabeta, TicTacToe(), {"order": lambda state, actions: actions}, False),
        (alphabeta, NIM, {}, False),
        (minimax, TicTacToe(), {"evaluate": lines_heuristic(), "depth": 2}, True),
        (minimax, TicTacToe(), {"evaluate": max, "depth": 2}, False),
        (minimax, NIM, {}, False),
        (solve, NIM, {}, False),
    ],
)
def test_options_decide_too_and_the_search_takes_them(search, state, options, there) -> None:
    found = fastest(search, state, **options)
    assert (found is not search) == there
    if there and search is not mcts:
        assert found(state, **options) == search(state, **options)


# What `fast` returns


@compiled
@pytest.mark.parametrize("search", SEARCHES)
def test_the_options_are_those_of_the_signature(search) -> None:
    known = set(inspect.signature(fast(search).compiled).parameters)
    assert OPTIONS[search] == known - {"state", "progress", "stop"}
    assert set(inspect.signature(fast(search)).parameters) == known


@compiled
def test_it_says_what_it_is() -> None:
    assert (fast(minimax).__name__, repr(fast(minimax))) == ("fast(minimax)", "fast(minimax)")
    assert fast(minimax).__doc__.startswith("Return the best action")
    assert fast(minimax).__doc__.endswith("takes depth, evaluate, quick_wins, progress, stop.")


@compiled
def test_it_is_one_and_the_same_also_as_a_copy() -> None:
    for one in (fast(mcts), fastest(mcts, NIM)):
        again = (copy.deepcopy(one), pickle.loads(pickle.dumps(one)))
        assert all(each is one for each in again)


@compiled
@pytest.mark.parametrize("options", [{"table": Table()}, {"tables": None}])
def test_an_option_that_it_has_not_is_an_error(options) -> None:
    with pytest.raises(TypeError, match=rf"fast\(alphabeta\) .*\b{next(iter(options))}\b.*depth"):
        fast(alphabeta)(TicTacToe(), **options)


def test_a_search_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"minimax, .* iterative_deepening"):
        fast(iterative_deepening)


# Without Numba


def test_without_numba_the_fastest_is_the_readable_search(no_numba) -> None:
    assert fastest(minimax, TicTacToe()) is minimax


def test_without_numba_it_is_said_at_once_what_is_missing(no_numba) -> None:
    missing = r"needs Numba.*adversarial-search-course\[fast\].*works without it"
    with pytest.raises(ImportError, match=missing):
        fast(minimax)


@pytest.mark.parametrize("search", [minimax, alphabeta])
def test_where_numba_does_not_work_the_readable_search_answers(
    no_numba, monkeypatch, search
) -> None:
    monkeypatch.setattr(tier, "find_spec", lambda name: "found, but it cannot be imported")
    found = fastest(search, TicTacToe())
    assert found is not search
    assert tier.failure_reason() == ""
    assert found(TicTacToe()) == search(TicTacToe())
    assert "import of numba halted" in tier.failure_reason()
    assert fastest(search, TicTacToe()) is search


def test_who_asks_for_machine_code_gets_no_other(no_numba, monkeypatch) -> None:
    monkeypatch.setattr(tier, "find_spec", lambda name: "found, but it cannot be imported")
    with pytest.raises(ImportError, match="import of numba halted"):
        fast(minimax)(TicTacToe())


def test_asking_for_machine_code_loads_no_compiler() -> None:
    program = (
        "import sys; from gamelib import SearchAgent, TicTacToe, mcts\n"
        "from gamefast import fast\n"
        "from gamefast.fast import fastest\n"
        "if fastest(mcts, TicTacToe()) is not mcts:\n"
        "    SearchAgent(fast(mcts), simulations=5)\n"
        "print('numba' in sys.modules, 'numpy' in sys.modules)"
    )
    assert fresh("-c", program).stdout.split() == ["False", "False"]
