"""Agents and games as text, as they are written on a command line and in files of results.

`mcts(simulations=500, rollout=nim_sum_rollout)`, `fast(mcts)(simulations=500)`, `random`,
`Nim(3, 4, 5)`: names from fixed tables, and plain values.  Nothing is run but what the tables name.
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

# What an option may be that is written as text, besides a plain value: these, and what those make.
_VALUE_NAMES = "centre_first hurt_the_leader random_rollout take_a_win"
_MAKER_NAMES = "OpenLines lines_heuristic windows_heuristic preferred"
NAMED_VALUES, VALUE_MAKERS = (
    {n: getattr(search, n) for n in each.split()} for each in (_VALUE_NAMES, _MAKER_NAMES)
)
COMPILED_SEARCH = re.compile(r"\s*fast\(\s*(\w+)\s*\)(.*)", re.DOTALL)


def searches_by_name() -> dict[str, Callable[..., Any]]:
    """Return every search by its name; the one that plays anything is called "random" in text."""
    named = {name: each for name, each in SEARCHES.items() if each is not random_choice}
    return {"random": random_choice, **named}


def values_by_name() -> dict[str, Any]:
    """Return what an option may be by its name alone."""
    return NAMED_VALUES | {f.__name__: f for game in GAMES.values() for f in game.rollouts.values()}


def parse_agent(text: str) -> SearchAgent:
    """Return the agent that `text` names: "random", "mcts(simulations=500)", "fast(minimax)".

    ValueError or TypeError if there is no such search, or it has no such option; ImportError for
    machine code without Numba.
    """
    machine = COMPILED_SEARCH.fullmatch(text)
    plain = "".join(machine.groups()) if machine else text
    name, arguments, options = _parse_call(plain, "an agent", "mcts(simulations=500)")
    found = _look_up(name, searches_by_name(), "an agent")
    found = fast(found) if machine else found
    if arguments:
        raise ValueError(f"options have names, as in mcts(simulations=500); got {text!r}")
    for option, value in options.items():
        if option in ("simulations", "depth"):
            check_count(option, value)
        elif option == "seconds":
            check_seconds(value)
    return SearchAgent(found, "random" if found is random_choice else None, **options)


def parse_game(text: str) -> GameState:
    """Return the position that `text` names: "Nim(3, 4, 5)", "TicTacToe.parse('X../.O./...')".

    ValueError or TypeError if there is no such game, or its rules do not allow the position.
    """
    name, arguments, options = _parse_call(text, "a game", "Nim(3, 4, 5)")
    kind, _, method = name.partition(".")
    game = _look_up(kind, GAMES, "a game")
    if method not in ("", "parse"):
        raise ValueError(f"a game is written like Nim(3, 4, 5); got {text!r}")
    default = next((each.default for each in signature(game).parameters.values()), None)
    if not method and isinstance(default, tuple) and set(map(type, arguments)) == {int}:
        arguments = [tuple(arguments)]  # numbers where a game takes a tuple of them, as Nim does
    return cast(GameState, (game.parse if method else game)(*arguments, **options))


def _parse_call(text: str, what: str, example: str) -> tuple[str, list[Any], dict[str, Any]]:
    """Return the name, the arguments and the options of a name or a call."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
        call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
        return ast.unparse(call.func), *_arguments(call)
    except SyntaxError:
        reason = "this is no name with options in brackets"
    except ValueError as error:
        reason = str(error)
    raise ValueError(f"{what} is written like {example}; got {text!r}: {reason}")


def _arguments(call: ast.Call) -> tuple[list[Any], dict[str, Any]]:
    if any(keyword.arg is None for keyword in call.keywords):
        raise ValueError("** is not allowed")
    options = {str(keyword.arg): _value(keyword.value) for keyword in call.keywords}
    return list(map(_value, call.args)), options


def _value(node: ast.expr) -> Any:
    """Return a plain value, a function of the tables, or what one of the makers makes."""
    if isinstance(node, ast.Name):
        return _look_up(node.id, values_by_name(), "a value with a name")
    if isinstance(node, ast.Call):
        maker = _look_up(ast.unparse(node.func), VALUE_MAKERS, "a value with brackets")
        arguments, options = _arguments(node)
        return maker(*arguments, **options)
    try:
        return ast.literal_eval(node)
    except ValueError as error:
        raise ValueError(f"{ast.unparse(node)} is no plain value") from error


def _look_up(name: str, table: Mapping[str, Any], what: str) -> Any:
    if name not in table:
        raise ValueError(f"{what} must be one of {', '.join(table)}; got {name!r}")
    return table[name]
