"""The code of each search is as short as in a book, and uses names that the lessons explain."""

import ast
import inspect
import textwrap
from importlib import import_module

import pytest

from gamelib.search.alphabeta import AlphaBeta
from gamelib.search.expectiminimax import Expectiminimax, Star1
from gamelib.search.lookahead import _ForcedWins
from gamelib.search.maxn import MaxN, PrunedMaxN
from gamelib.search.minimax import Minimax, Negamax
from gamelib.search.paranoid import Paranoid, ParanoidMinimax
from gamelib.search.solver import _SolverSearch
from tests.messages import broken

mcts = import_module("gamelib.search.mcts")
# The statements that each may have, without its docstring.
TEXTS = {
    Minimax.value: 10,
    Negamax.value: 13,
    AlphaBeta.value: 16,
    MaxN.value: 10,
    PrunedMaxN.value: 15,
    Expectiminimax.value: 14,
    Star1.value: 3,
    Star1.chance_value: 18,
    _ForcedWins.wins_within: 9,
    _SolverSearch.score: 10,
    mcts.grow: 5,
    mcts.select: 14,
    mcts.expand: 8,
    mcts.roll_out: 3,
    mcts.backpropagate: 3,
}
# What the book's programs say: a game, its players and values, a window, and Python.
THE_BOOKS = {
    *("state", "actions", "action", "successor", "is_terminal", "current_player", "legal_actions"),
    *("utilities", "chance", "value", "child", "children", "best", "mover", "maximizing", "alpha"),
    *(
        "beta",
        "depth",
        "ply",
        "inf",
        "max",
        "min",
        "expected_value",
        "low",
        "high",
        "limit",
        "turns",
    ),
    *("player", "any", "all", "abs", "window", "values", "pair", "append", "most"),
    *("super", "_"),
}
# What ours say besides; the lessons explain each.
OURS = {
    *(
        "self",
        "root_player",
        "nodes",
        "leaf",
        "cutoffs",
        "line",
        "rest",
        "vector",
        "prefers",
        "bounds",
        "strict",
    ),
    *(
        "bound",
        "outcomes",
        "outcome_probabilities",
        "chance_value",
        "known",
        "left",
        "upper",
        "lower",
        "CHANCE",
    ),
    *("no_actions_error", "wins_within", "mine", "score", "child_score", "final_score"),
    "max_payoff",
}


def tree_of(text):
    return ast.parse(textwrap.dedent(inspect.getsource(text))).body[0]


def by_name(text):
    return text.__qualname__


def statements(text):
    function = tree_of(text)
    inside = [node for node in ast.walk(function) if isinstance(node, ast.stmt)]
    return len(inside) - 1 - bool(ast.get_docstring(function))


@pytest.mark.parametrize(("text", "most"), TEXTS.items(), ids=map(by_name, TEXTS))
def test_searches_have_at_most_textbook_statements(text, most):
    count = statements(text)
    rule = f"A search has at most {most} statements, as in the book: move the rest to DepthFirst"
    assert count <= most, broken(rule, [f"{by_name(text)}: {count} statements"])


OF_TREES = [text for text in TEXTS if text.__module__ != "gamelib.search.mcts"]


@pytest.mark.parametrize("text", OF_TREES, ids=by_name)
def test_searches_use_only_explained_names(text):
    function = tree_of(text)
    function.returns, function.args = None, ast.arguments([], [], None, [], [], None, [])
    for node in ast.walk(function):
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    words = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    words |= {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
    unknown = sorted(words - THE_BOOKS - OURS)
    rule = "A search uses only names that a lesson explains: use one, or explain the new one"
    assert not unknown, broken(rule, unknown)


def test_paranoid_reuses_alpha_beta():
    assert Paranoid.value is AlphaBeta.value
    assert ParanoidMinimax.value is Minimax.value
