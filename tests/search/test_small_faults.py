"""Former bugs of the searches, each with other cases of the same kind."""

import re
from dataclasses import dataclass

import pytest

from gamelib import (
    CHANCE,
    SEARCHES,
    Chance,
    ConnectFour,
    GameState,
    GameTree,
    Nim,
    SearchTree,
    TicTacToe,
    alphabeta,
    maxn,
    mcts,
    minimax,
    solve,
    take_a_win,
)
from gamelib.search import solver
from gamelib.search.registry import parameters
from gamelib.state import BrokenRuleError
from tests.messages import names

START = TicTacToe.parse("XO. / .X. / ..O")
REFUSED = [
    (lambda: solve(ConnectFour()), ConnectFour()),
    (lambda: minimax(TicTacToe(num_players=3)), TicTacToe(2, 2, 2, 3)),
    (lambda: minimax(GameTree([Chance((0.5, 1), (0.5, 0))])), GameTree([Chance((1, 1)), 0])),
    (lambda: minimax(Nim((1000,), max_take=1)), Nim((1000,), max_take=1)),
]


@pytest.mark.parametrize(("call", "state"), REFUSED, ids=range(len(REFUSED)))
def test_searches_named_in_errors_accept_the_game(monkeypatch, call, state):
    monkeypatch.setattr(solver, "FIRST_SIZE_CHECK", 100)
    with pytest.raises(ValueError, match="mcts") as refused:
        call()
    advice = str(refused.value).partition("\n")[0].rpartition(": ")[2]
    for name in set(re.findall(r"\w+", advice)) & set(SEARCHES) - {"minimax", "solve"}:
        taken = parameters(SEARCHES[name])
        few = {"simulations": 5} if "simulations" in taken else {"depth": 2}
        assert SEARCHES[name](state, **few).action in state.legal_actions()


def test_gamefast_solves_games_named_by_solve_error(monkeypatch):
    import gamefast  # only here: gamelib and its other tests work without it

    monkeypatch.setattr(solver, "FIRST_SIZE_CHECK", 100)
    with pytest.raises(ValueError, match="too large") as refused:
        solve(ConnectFour())
    assert "Nim" not in str(refused.value)  # `gamefast.solve` of Nim is this search itself
    assert "cols * (rows + 1) up to 64, and tic-tac-toe of up to 32 cells" in str(refused.value)
    late = ConnectFour(7, 8).play(*[0, 1] * 3 + [2, 3] * 3 + [4, 5, 6, 7])
    assert gamefast.fast(mcts)(late, simulations=5).action in late.legal_actions()


@dataclass(frozen=True)
class EndsByChance(GameState):
    """A game of one move, after which it says that chance moves."""

    moved: bool = False
    num_players = 2

    @property
    def current_player(self):
        return CHANCE if self.moved else 0

    def legal_actions(self):
        return [] if self.moved else [0]

    def successor(self, action):
        return EndsByChance(True)

    def is_terminal(self):
        return self.moved

    def utilities(self):
        return 1, -1


@pytest.mark.parametrize("name", SEARCHES)
def test_missing_player_at_terminal_state_raises(name):
    budget = {"simulations": 5} if "simulations" in parameters(SEARCHES[name]) else {}
    with pytest.raises(BrokenRuleError, match="`current_player` is -1 when the game is over"):
        SEARCHES[name](EndsByChance(), **budget)


def test_solve_is_exact_for_huge_payoffs():
    large = 2**60 + 1
    result = solve(GameTree([[large, large], [large]]))
    assert (result.value, result.distance) == (large, 2)


@pytest.mark.parametrize(
    "option",
    [
        {"evaluate": lambda state, player: 0},
        {"rollout": take_a_win},
        {"priors": lambda state: dict.fromkeys(state.legal_actions(), 0.5)},
        {"solver": True},
        {"share": True},
    ],
    ids=lambda option: next(iter(option)),
)
def test_tree_searched_with_another_option_is_refused(option):
    tree = SearchTree()
    mcts(START, simulations=20, tree=tree, rng=0)
    with pytest.raises(ValueError, match=next(iter(option))):
        mcts(START, simulations=20, tree=tree, rng=0, **option)


@pytest.mark.parametrize("data", [None, [], "x", {}, {"tree": 1}, {"tree": "[1]", "path": 1}])
def test_invalid_tree_data_raise(data):
    with pytest.raises(ValueError, match=names("data must be a dict that to_json() returned")):
        GameTree.from_json(data)


def test_boolean_option_accepts_none():
    import gamefast  # only here: gamelib and its other tests work without it

    for search in (alphabeta, gamefast.alphabeta):
        assert search(START, all_best=None) == search(START)


def test_tie_rule_returning_none_raises():
    def my_ties(vector, player):
        return None

    with pytest.raises(TypeError, match=r"my_ties\(vector, player\) must return a number.*None"):
        maxn(GameTree([(0, 1, 2), (0, 2, 1)]), ties=my_ties)


def test_solver_and_prune_with_large_payoffs_raise():
    tree = GameTree([[5, 5], -1, [-2, -5, -7]], players=(1, 0))
    with pytest.raises(ValueError, match=r"solver=True needs payoffs from -1 to \+1"):
        mcts(tree, simulations=10, solver=True)
    with pytest.raises(ValueError, match=r"prune is not sound here.*\(5, -5\)"):
        maxn(tree, prune=True)
    unseen = GameTree([(1, -1, -1), (5, -1, -1)])
    with pytest.raises(ValueError, match=r"prune=True is for win, draw and loss.*up to 5"):
        maxn(unseen, prune=True)
