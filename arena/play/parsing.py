"""Parsers of agents and games, as they are written on a command line and in files of results.

Examples are `mcts(simulations=500, rollout=nim_sum_rollout)`, `fast(mcts)(simulations=500)`,
`random` and `Nim(3, 4, 5)`.  They consist of names from fixed tables and of plain values, and no
other code is run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, cast

from gamefast.fast import fast
from gamelib import search
from gamelib.agents import SearchAgent
from gamelib.games import GAMES
from gamelib.search import SEARCHES, random_choice
from gamelib.search.checks import check_count, check_seconds
from gamelib.state import GameState

# The values of options that can be written as text, in addition to plain values: these functions,
# and the results of those.
_VALUE_NAMES = "centre_first hurt_the_leader random_rollout take_a_win"
_MAKER_NAMES = "OpenLines lines_heuristic windows_heuristic preferred"
NAMED_VALUES = {name: getattr(search, name) for name in _VALUE_NAMES.split()}
VALUE_MAKERS = {name: getattr(search, name) for name in _MAKER_NAMES.split()}
COMPILED_SEARCH = re.compile(r"\s*fast\(\s*(\w+)\s*\)(.*)", re.DOTALL)


def searches_by_name() -> dict[str, Callable[..., Any]]:
    """Return every search by its name in text, where `random_choice` is called "random"."""
    others = {name: search for name, search in SEARCHES.items() if search is not random_choice}
    return {"random": random_choice, **others}


def values_by_name() -> dict[str, Any]:
    """Return the values of options that are written as a name."""
    return NAMED_VALUES | {f.__name__: f for game in GAMES.values() for f in game.rollouts.values()}


def parse_agent(text: str) -> SearchAgent:
    """Return the agent of a text such as "random", "mcts(simulations=500)" or "fast(minimax)".

    ValueError or TypeError if there is no such search, or if it has no such option; ImportError for
    a compiled search without Numba.
    """
    compiled = COMPILED_SEARCH.fullmatch(text)
    call = "".join(compiled.groups()) if compiled else text
    name, arguments, options = _parse_call(call, "an agent", "mcts(simulations=500)")
    plain = _look_up(name, searches_by_name(), "an agent")
    chosen = fast(plain) if compiled else plain
    if arguments:
        raise ValueError(f"options need names, as in mcts(simulations=500); got {text!r}")
    for option, value in options.items():
        if option in ("simulations", "depth"):
            check_count(option, value)
        elif option == "seconds":
            check_seconds(value)
    return SearchAgent(chosen, "random" if chosen is random_choice else None, **options)


def parse_game(text: str) -> GameState:
    """Return the position of a text such as "Nim(3, 4, 5)" or "TicTacToe.parse('X../.O./...')".

    ValueError or TypeError if there is no such game, or if its rules do not allow the position.
    """
    name, arguments, options = _parse_call(text, "a game", "Nim(3, 4, 5)")
    kind, _, method = name.partition(".")
    game = _look_up(kind, GAMES, "a game")
    if method not in ("", "parse"):
        raise ValueError(f"a game is written like Nim(3, 4, 5); got {text!r}")
    parameters = signature(game).parameters.values()
    default = next((parameter.default for parameter in parameters), None)
    if not method and isinstance(default, tuple) and set(map(type, arguments)) == {int}:
        arguments = [tuple(arguments)]  # for a game whose first argument is a tuple, such as Nim
    return cast(GameState, (game.parse if method else game)(*arguments, **options))


def _parse_call(text: str, label: str, example: str) -> tuple[str, list[Any], dict[str, Any]]:
    """Return the name, the arguments and the options of a name or a call.

    ValueError for other text; it calls the text `label`, and shows an example.
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
        call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
        return ast.unparse(call.func), *_arguments(call)
    except SyntaxError:
        reason = "this is not a name with options in brackets"
    except ValueError as error:
        reason = str(error)
    raise ValueError(f"{label} is written like {example}; got {text!r}: {reason}")


def _arguments(call: ast.Call) -> tuple[list[Any], dict[str, Any]]:
    if any(keyword.arg is None for keyword in call.keywords):
        raise ValueError("** is not allowed")
    options = {str(keyword.arg): _value(keyword.value) for keyword in call.keywords}
    return list(map(_value, call.args)), options


def _value(node: ast.expr) -> Any:
    """Return a plain value, a function of the tables, or the result of a maker."""
    if isinstance(node, ast.Name):
        return _look_up(node.id, values_by_name(), "a value with a name")
    if isinstance(node, ast.Call):
        maker = _look_up(ast.unparse(node.func), VALUE_MAKERS, "a value with brackets")
        arguments, options = _arguments(node)
        return maker(*arguments, **options)
    try:
        return ast.literal_eval(node)
    except ValueError as error:
        raise ValueError(f"{ast.unparse(node)} is not a plain value") from error


def _look_up(name: str, table: Mapping[str, Any], label: str) -> Any:
    if name not in table:
        raise ValueError(f"{label} must be one of {', '.join(table)}; got {name!r}")
    return table[name]
