import inspect
import subprocess
import sys
from functools import partial

import pytest

from gamelib import (
    ConnectFour,
    GameTree,
    Nim,
    SearchAgent,
    TicTacToe,
    alphabeta,
    centre_first,
    engines,
    iterative_deepening,
    lines_heuristic,
    mcts,
    minimax,
    nim_sum_rollout,
    solve,
    take_a_win,
)
from gamelib.engines import best_engine, in_engine, options_in

STATES = (TicTacToe(), ConnectFour(4, 4, 3), Nim((1, 2)))
SEARCHES = (minimax, alphabeta, mcts, solve)

compiled = pytest.mark.skipif(not engines.installed(), reason="Numba is not installed")


class Variant(TicTacToe):
    """A game that machine code does not know."""


@pytest.fixture
def no_numba(monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("gamelib.compiled", "numba"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(engines, "_failed", False)


# Which engine there is


@compiled
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("search", SEARCHES)
def test_the_best_engine_is_the_compiled_one_where_it_is_there(state, search) -> None:
    assert best_engine(state, search) == "compiled"


@pytest.mark.parametrize(
    "state", [GameTree([1, 2]), Variant(), TicTacToe(8, 8, 5), ConnectFour(8, 8), Nim((1,) * 17)]
)
def test_other_games_have_the_readable_one_alone(state) -> None:
    assert best_engine(state) == "readable"


@pytest.mark.parametrize("search", [iterative_deepening, lambda state: 0, partial(max)])
def test_other_searches_have_the_readable_one_alone(search) -> None:
    assert best_engine(TicTacToe(), search) == "readable"


@compiled
@pytest.mark.parametrize(
    ("search", "state", "options", "engine"),
    [
        (mcts, TicTacToe(), {"rollout": None, "simulations": 5, "solver": True}, "compiled"),
        (mcts, TicTacToe(), {"rollout": take_a_win, "simulations": 5}, "readable"),
        (mcts, Nim((1, 2)), {"rollout": nim_sum_rollout}, "readable"),
        (alphabeta, TicTacToe(), {"table": None, "order": centre_first}, "compiled"),
        (alphabeta, TicTacToe(), {"table": True}, "readable"),
        (alphabeta, TicTacToe(), {"order": lambda state, actions: actions}, "readable"),
        (alphabeta, Nim((1, 2)), {"order": centre_first}, "readable"),
        (minimax, TicTacToe(), {"evaluate": lines_heuristic(), "depth": 2}, "compiled"),
        (minimax, TicTacToe(), {"evaluate": max, "depth": 2}, "readable"),
        (minimax, Nim((1, 2)), {"evaluate": lines_heuristic()}, "readable"),
        (partial(alphabeta, order=centre_first), TicTacToe(), {}, "compiled"),
        (partial(alphabeta, table=True), TicTacToe(), {}, "readable"),
    ],
)
def test_options_decide_too_and_the_search_takes_them(search, state, options, engine) -> None:
    assert best_engine(state, search, options) == engine
    if engine == "compiled" and search is not mcts:
        assert in_engine(search, engine)(state, **options_in(engine, search, options)).values


@compiled
@pytest.mark.parametrize("search", SEARCHES)
def test_the_options_are_those_of_the_signature(search) -> None:
    known = set(inspect.signature(in_engine(search, "compiled")).parameters)
    assert engines._OPTIONS[search] == known - {"state", "progress", "stop"}


# A search in an engine


def test_the_readable_engine_is_the_search_itself() -> None:
    assert in_engine(minimax, "readable") is minimax
    assert in_engine(max, "readable") is max


@compiled
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("search", [minimax, alphabeta, partial(alphabeta, all_best=True)])
def test_both_engines_agree(state, search) -> None:
    assert in_engine(search, "compiled")(state) == search(state)


def test_an_engine_that_there_is_not_is_an_error() -> None:
    with pytest.raises(ValueError, match="engine must be 'readable' or 'compiled'; got 'fast'"):
        in_engine(minimax, "fast")


def test_a_search_that_is_not_compiled_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"there for minimax, .*; got iterative_deepening"):
        in_engine(iterative_deepening, "compiled")


# An agent


@compiled
def test_an_agent_says_that_it_is_compiled() -> None:
    agent = SearchAgent(minimax, depth=3, engine="compiled")
    assert (agent.name, agent.engine) == ("minimax(depth=3, engine=compiled)", "compiled")
    assert SearchAgent(minimax, depth=3, engine="readable").name == "minimax(depth=3)"


@compiled
@pytest.mark.parametrize("state", STATES)
def test_a_compiled_agent_plays_what_the_readable_one_plays(state) -> None:
    options = {"depth": 3, "quick_wins": True}
    agents = [SearchAgent(alphabeta, engine=engine, **options) for engine in engines.ENGINES]
    assert agents[0].search_result(state) == agents[1].search_result(state)


@compiled
def test_a_compiled_agent_can_be_watched_and_stopped() -> None:
    agent = SearchAgent(mcts, simulations=10_000_000, engine="compiled")
    assert agent.search_result(ConnectFour(), stop=lambda: True).stopped


@compiled
def test_a_game_that_is_not_compiled_is_an_error_of_the_agent() -> None:
    with pytest.raises(TypeError, match=r"gamelib.compiled plays ConnectFour .* got Variant"):
        SearchAgent(minimax, engine="compiled")(Variant())


@compiled
def test_an_option_that_only_the_readable_engine_has_is_an_error_at_once() -> None:
    with pytest.raises(TypeError, match="mcts with engine='compiled' has no option rollout; it ha"):
        SearchAgent(mcts, engine="compiled", simulations=5, rollout=take_a_win)


@pytest.mark.parametrize("engine", ["fast", None, 1])
def test_an_agent_needs_an_engine_that_there_is(engine) -> None:
    with pytest.raises(ValueError, match="engine must be 'readable' or 'compiled'; got "):
        SearchAgent(minimax, engine=engine)


# Without Numba


def test_without_numba_the_best_engine_is_the_readable_one(no_numba) -> None:
    assert best_engine(TicTacToe(), minimax) == "readable"


def test_without_numba_an_agent_says_at_once_what_is_missing(no_numba) -> None:
    with pytest.raises(ImportError, match=r"needs Numba.*gamelib\[fast\].*works without it"):
        SearchAgent(minimax, engine="compiled")


def test_a_numba_that_does_not_work_is_not_chosen_again(no_numba, monkeypatch) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda name: "found, but it cannot be imported")
    assert best_engine(TicTacToe(), minimax) == "compiled"
    with pytest.raises(ImportError):
        in_engine(minimax, "compiled")
    assert best_engine(TicTacToe(), minimax) == "readable"


def test_asking_for_the_engine_loads_no_compiler() -> None:
    program = (
        "import sys; from gamelib import SearchAgent, TicTacToe, mcts\n"
        "from gamelib.engines import best_engine, installed\n"
        "if best_engine(TicTacToe(), mcts) == 'compiled':\n"
        "    SearchAgent(mcts, simulations=5, engine='compiled')\n"
        "print('numba' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False"], done.stderr


def test_without_numba_there_is_nothing_to_warm(no_numba) -> None:
    engines.warm()
    assert "gamelib.compiled" not in sys.modules
