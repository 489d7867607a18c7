import pytest

from arena.play.parsing import parse_agent, parse_game
from gamefast import fast
from gamelib import SearchAgent
from gamelib.games import ConnectFour, GameTree, Nim, TicTacToe, nim_sum_rollout
from gamelib.search import (
    alphabeta,
    centre_first,
    iterative_deepening,
    lines_heuristic,
    maxn,
    mcts,
    minimax,
    paranoid,
    solve,
    windows_heuristic,
)
from tests.messages import names


@pytest.mark.parametrize(
    "agent",
    [
        SearchAgent(solve),
        SearchAgent(minimax, depth=3),
        SearchAgent(alphabeta, depth=2, evaluate=lines_heuristic(), order=centre_first),
        SearchAgent(iterative_deepening, depth=2, evaluate=windows_heuristic(weights=(1, 2, 3))),
        SearchAgent(mcts, simulations=500, rollout=nim_sum_rollout, solver=True, c=0.5),
        SearchAgent(mcts, seconds=0.1),
        SearchAgent(maxn, depth=2),
        SearchAgent(paranoid, prune=False),
    ],
)
def test_parse_agent_restores_agents(agent):
    again = parse_agent(agent.name)
    assert (again.search, again.options) == (agent.search, agent.options)


def test_parse_agent_restores_compiled_search():
    pytest.importorskip("numba")
    agent = SearchAgent(fast(mcts), simulations=50)
    assert agent.name == "fast(mcts)(simulations=50)"
    again = parse_agent(f" {agent.name}")
    assert (again.search, again.options) == (fast(mcts), {"simulations": 50})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an agent is written like"),
        ("mcts(", "an agent is written like"),
        ("mctss", "an agent must be one of random; got 'mctss'"),
        ("__import__('os')", "an agent must be one of random"),
        ("mcts(500)", "options need names"),
        ("mcts(simulations=open('file'))", "a value with brackets must be one of"),
        ("mcts(simulations=exit)", "a value with a name must be one of"),
        ("mcts(simulations=2**99)", "2 ** 99 is not a plain value"),
        ("mcts(simulations=[1 for x in y])", "is not a plain value"),
        ("mcts(**{'simulations': 5})", "**"),
    ],
)
def test_invalid_agent_text_raises(text, message):
    with pytest.raises(ValueError, match=names(message)):
        parse_agent(text)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Nim(3, 4, 5)", Nim((3, 4, 5))),
        ("Nim([3, 4], misere=True)", Nim((3, 4), misere=True)),
        ("Nim", Nim()),
        ("Nim(15, max_take=3)", Nim((15,), max_take=3)),
        (" ConnectFour(rows=5, cols=6) ", ConnectFour(5, 6)),
        ("TicTacToe(3, 3, 3, 3)", TicTacToe(3, 3, 3, 3)),
        ("TicTacToe.parse('X../.O./...')", TicTacToe.parse("X../.O./...")),
        ("Nim.parse('1 3 5', current_player=1)", Nim.parse("1 3 5", current_player=1)),
        ("GameTree([[3, -12], (2, 4)])", GameTree([[3, -12], (2, 4)])),
    ],
)
def test_parse_game_returns_positions(text, state):
    assert parse_game(text) == state


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("Chess()", ValueError, "a game must be one of TicTacToe, ConnectFour, Nim, GameTree"),
        ("Nim(3, 4, 5", ValueError, "a game is written like"),
        ("Nim(-1)", ValueError, "a heap"),
        ("TicTacToe(0)", ValueError, "rows"),
        ("Nim.mro()", ValueError, "a game is written like"),
        ("ConnectFour(depth=3)", TypeError, "depth"),
    ],
)
def test_invalid_game_text_raises(text, error, message):
    with pytest.raises(error, match=names(message)):
        parse_game(text)
