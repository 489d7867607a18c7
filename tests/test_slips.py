"""The usual slips of a student: each error names the argument, what it was, and what is allowed."""

from functools import reduce
from pathlib import Path

import pytest

import gamelib
from arena import match_up
from course import PlayBoard, Playground
from course.tracing import record
from gamefast import fast
from gamefast.fast import is_available
from gamelib import SearchAgent, check_game, play_game, random_agent
from gamelib.games import ConnectFour, GameTree, TicTacToe, from_json
from gamelib.games.game_tree import TOO_DEEP
from gamelib.search import SEARCHES, alphabeta, maxn, mcts, minimax, solve, winning_actions
from gamelib.search.registry import register_search
from tests.messages import names

ROOT = Path(gamelib.__file__).parents[1]
T = TicTacToe()
CLASS = "got the class TicTacToe; write TicTacToe() with brackets"
A = random_agent(1)
OVER = GameTree([1]).play(0)

SLIPS = {
    "in winning_actions": (lambda: winning_actions(TicTacToe), CLASS),
    "in play_game": (lambda: play_game(A, A, state=TicTacToe), CLASS),
    "in match_up": (lambda: match_up(A, A, state=TicTacToe, games=2), CLASS),
    "in record": (lambda: record(minimax, TicTacToe), CLASS),
    "in PlayBoard": (lambda: PlayBoard(TicTacToe), CLASS),
    "in Playground": (lambda: Playground(TicTacToe), CLASS),
    "a name for a board": (lambda: Playground("tictactoe"), "got 'tictactoe'"),
    "no name": (lambda: minimax(T, 3), "its options by name, as in minimax(state, depth=3); got 3"),
    "nobody's payoff": (lambda: OVER.utility(2), "player must be an int from 0 to 1; got 2"),
    "True for 1": (lambda: OVER.utility(True), "player must be an int from 0 to 1; got True"),
    "no data": (
        lambda: from_json(None),
        "data must be a dict that a position's to_json() returned; got None",
    ),
    "no text": (
        lambda: from_json({"game": "Nim"}),
        "data must be a dict from to_json(); got {'game': 'Nim'}",
    ),
    "a tower": (lambda: GameTree(reduce(lambda tree, _: [tree], range(2000))), TOO_DEEP),
    "a tall text": (lambda: GameTree.parse("[" * 2000 + "1" + "]" * 2000), TOO_DEEP),
    "a number as heuristic": (
        lambda: minimax(T, depth=1, evaluate=0.5),
        "evaluate must be a function of (state, player); got 0.5",
    ),
    "a list as order": (
        lambda: alphabeta(T, order=[4, 0]),
        "order must be a function of (state, actions); got [4, 0]",
    ),
    "a name as rollout": (
        lambda: mcts(T, simulations=1, rollout="random"),
        "rollout must be a function of (state, rng); got 'random'",
    ),
    "a table as priors": (
        lambda: mcts(T, simulations=1, priors={0: 1}),
        "priors must be a function of (state); got {0: 1}",
    ),
    "a list of priors": (
        lambda: mcts(T, simulations=1, priors=lambda state: [1] * 9),
        "must return a probability, 0 to 1, for every legal action",
    ),
    "a bool as stop": (lambda: solve(T, stop=True), "stop must be a function of (); got True"),
    "True as ties": (lambda: maxn(T, ties=True), "ties must be a function of (vector, player)"),
    "True as tree": (lambda: mcts(T, simulations=1, tree=True), "tree must be a SearchTree() or"),
    "a list as text": (lambda: GameTree.parse([1]), "a tree is text like "),
    "names for agents": (
        lambda: play_game("random", "random", state=T),
        "agents must be functions of a state; got 'random'",
    ),
    "an agent's brackets": (
        lambda: play_game(random_agent, random_agent, state=T),
        "rng must be a random.Random, an int (a seed) or None; got TicTacToe",
    ),
    "a result for a search": (
        lambda: SearchAgent(minimax(T.play(0, 1, 2, 3))),
        "search must be a function such as minimax; got SearchResult",
    ),
    "a word for a switch": (
        lambda: minimax(T, depth=1, quick_wins="no"),
        "quick_wins must be True or False; got 'no'",
    ),
    "a word for prune": (lambda: maxn(T, prune="off"), "prune must be True or False; got 'off'"),
    "a depth without a name": (
        lambda: SearchAgent(minimax, 3),
        "name must be a str; options need names, as in SearchAgent(minimax, depth=3); got 3",
    ),
    "a search for an agent": (
        lambda: match_up(minimax, A, state=T, games=2),
        "minimax is a search; the agent that plays it is SearchAgent(minimax)",
    ),
    "a search that answers all": (
        lambda: play_game(minimax, A, state=T.play(0, 1, 2, 3)),
        "an agent must return an action, not a SearchResult; return its `.action`",
    ),
    "a search misspelt": (lambda: Playground().run("minmax"), "must be one of minimax, negamax"),
    "return forgotten": (
        lambda: SearchAgent(lambda state: None, "mine")(T),
        "mine must return a SearchResult; it returned None",
    ),
    "a decorator": (
        lambda: register_search(lambda state: None),
        "write @register_search() above the search",
    ),
}


@pytest.mark.parametrize(("slip", "said"), SLIPS.values(), ids=SLIPS)
def test_slip_error_names_the_argument(slip, said) -> None:
    with pytest.raises((TypeError, ValueError), match=names(said)):
        slip()


@pytest.mark.skipif(not is_available(), reason="Numba is not installed")
def test_compiled_searches_name_slips_too() -> None:
    with pytest.raises(TypeError, match=names(CLASS)):
        fast(minimax)(TicTacToe)
    for search, switch in ((minimax, "quick_wins"), (solve, "only_value"), (mcts, "share")):
        with pytest.raises(TypeError, match=names(f"{switch} must be True or False; got 'no'")):
            fast(search)(ConnectFour(4, 4), **{switch: "no"})


def test_numpy_bool_is_accepted_as_switch() -> None:
    numpy = pytest.importorskip("numpy")
    position = T.play(0, 1, 2, 3)
    for value in (True, False):
        ours = minimax(position, quick_wins=numpy.bool_(value))
        assert ours == minimax(position, quick_wins=value)


async def in_a_while(state):
    return state.legal_actions()[0]


def one_by_one(state):
    yield from state.legal_actions()


@pytest.mark.parametrize("agent", [in_a_while, one_by_one])
def test_coroutine_or_generator_agent_raises(agent) -> None:
    with pytest.raises(TypeError, match=names("a plain function with `return`")):
        play_game(agent, A, state=T)


def test_check_game_accepts_numpy_numbers() -> None:
    numpy = pytest.importorskip("numpy")

    class Counts(TicTacToe):
        def is_terminal(self):
            return numpy.bool_(super().is_terminal())

    assert check_game(Counts(), games=numpy.int64(20))


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_searches_reject_non_states(search) -> None:
    for thing, said in ((3, "such as TicTacToe(); got 3"), (TicTacToe, CLASS)):
        with pytest.raises(TypeError, match=names(said)):
            search(thing)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("minmax", "minimax"), ("alpha_beta", "alphabeta"), ("MCTS", "mcts"), ("Tictactoe", "TicT")],
)
def test_misspelt_name_suggests_the_correct_one(name, meant) -> None:
    with pytest.raises(AttributeError, match=f"'{name}'.*Did you mean {meant}"):
        getattr(gamelib, name)
    with pytest.raises(ImportError, match=f"'{name}' from 'gamelib'"):
        exec(f"from gamelib import {name}")


def test_unknown_name_is_not_an_attribute() -> None:
    assert not hasattr(gamelib, "xyzzy")
    assert not hasattr(gamelib, "minmax")
