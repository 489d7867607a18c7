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
OF_64_BITS = (TicTacToe(8, 7, 5), ConnectFour(7, 8))  # with one bit free between two lines
OF_65_BITS = (TicTacToe(5, 12, 5), ConnectFour(12, 5))
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
    [(search, state) for search in SEARCHES for state in BOARDS + OF_64_BITS] + [(mcts, NIM)],
)
def test_fastest_returns_compiled_search(search, state) -> None:
    assert fastest(search, state).compiled is fast(search).compiled


@pytest.mark.parametrize("search", [minimax, mcts])
@pytest.mark.parametrize("state", [GameTree([1, 2]), Variant(), *OF_65_BITS, Nim((1,) * 17)])
def test_fastest_returns_python_search_for_other_games(search, state) -> None:
    assert fastest(search, state) is search


@pytest.mark.parametrize("search", [iterative_deepening, lambda state: 0, partial(max)])
def test_fastest_returns_other_searches_unchanged(search) -> None:
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
def test_options_decide_whether_fastest_is_compiled(search, state, options, there) -> None:
    found = fastest(search, state, **options)
    assert (found is not search) == there
    if there and search is not mcts:
        assert found(state, **options) == search(state, **options)


# What `fast` returns


@compiled
@pytest.mark.parametrize("search", SEARCHES)
def test_listed_options_match_the_signature(search) -> None:
    known = set(inspect.signature(fast(search).compiled).parameters)
    assert OPTIONS[search] == known - {"state", "progress", "stop"}
    assert set(inspect.signature(fast(search)).parameters) == known


@compiled
def test_fast_search_has_name_and_docstring() -> None:
    assert (fast(minimax).__name__, repr(fast(minimax))) == ("fast(minimax)", "fast(minimax)")
    assert fast(minimax).__doc__.startswith("Return the best action")
    assert fast(minimax).__doc__.endswith("accepts depth, evaluate, quick_wins, progress, stop.")


@compiled
def test_copied_fast_search_is_the_same_object() -> None:
    for one in (fast(mcts), fastest(mcts, NIM)):
        again = (copy.deepcopy(one), pickle.loads(pickle.dumps(one)))
        assert all(each is one for each in again)


@compiled
@pytest.mark.parametrize("options", [{"table": Table()}, {"tables": None}])
def test_unsupported_option_raises(options) -> None:
    with pytest.raises(TypeError, match=rf"fast\(alphabeta\) .*\b{next(iter(options))}\b.*depth"):
        fast(alphabeta)(TicTacToe(), **options)


def test_search_without_compiled_code_raises() -> None:
    with pytest.raises(ValueError, match=r"minimax, .* iterative_deepening"):
        fast(iterative_deepening)


# Without Numba


def test_fastest_without_numba_returns_python_search(no_numba) -> None:
    assert fastest(minimax, TicTacToe()) is minimax


def test_fast_without_numba_raises(no_numba) -> None:
    missing = r"needs Numba.*adversarial-search-course\[fast\]"
    with pytest.raises(ImportError, match=missing):
        fast(minimax)


@pytest.mark.parametrize("search", [minimax, alphabeta])
def test_broken_numba_falls_back_to_python_search(no_numba, monkeypatch, search) -> None:
    monkeypatch.setattr(tier, "find_spec", lambda name: "found, but it cannot be imported")
    found = fastest(search, TicTacToe())
    assert found is not search
    assert tier.failure_reason() == ""
    assert found(TicTacToe()) == search(TicTacToe())
    assert "import of numba halted" in tier.failure_reason()
    assert fastest(search, TicTacToe()) is search


def test_fast_with_broken_numba_raises(no_numba, monkeypatch) -> None:
    monkeypatch.setattr(tier, "find_spec", lambda name: "found, but it cannot be imported")
    with pytest.raises(ImportError, match="import of numba halted"):
        fast(minimax)(TicTacToe())


def test_fast_does_not_import_numba() -> None:
    program = (
        "import sys; from gamelib import SearchAgent, TicTacToe, mcts\n"
        "from gamefast import fast\n"
        "from gamefast.fast import fastest\n"
        "if fastest(mcts, TicTacToe()) is not mcts:\n"
        "    SearchAgent(fast(mcts), simulations=5)\n"
        "print('numba' in sys.modules, 'numpy' in sys.modules)"
    )
    assert fresh("-c", program).stdout.split() == ["False", "False"]
