"""Agents and games as text, as they are written on a command line and in files of results.

`mcts(simulations=500, rollout=nim_sum_rollout)`, `fast(mcts)(simulations=500)`, `random`,
`Nim(3, 4, 5)`: names from fixed tables, and plain values.  Nothing is run but what the tables name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from gamelib.agents import SearchAgent
from gamelib.compiled.fast import fast
from gamelib.games import GAMES, nim_sum_rollout
from gamelib.search import (
    SEARCHES,
    centre_first,
    hurt_the_leader,
    lines_heuristic,
    preferred,
    random_choice,
    random_rollout,
    take_a_win,
    windows_heuristic,
)
from gamelib.search.heuristics import OpenLines
from gamelib.search.limits import check_count, check_seconds
from gamelib.state import GameState

# What is written on a command line, too: the agent that plays anything is called "random".
AGENTS: dict[str, Callable[..., Any]] = {
    "random": random_choice,
    **{name: search for name, search in SEARCHES.items() if search is not random_choice},
}
# What an option may be, besides a plain value: these, and what those make.
VALUES: dict[str, Any] = {
    function.__name__: function
    for function in (centre_first, hurt_the_leader, nim_sum_rollout, random_rollout, take_a_win)
}
MAKERS: dict[str, Callable[..., Any]] = {
    maker.__name__: maker for maker in (OpenLines, lines_heuristic, windows_heuristic, preferred)
}
MACHINE_CODE = re.compile(r"\s*fast\(\s*(\w+)\s*\)(.*)", re.DOTALL)
CHECKS: dict[str, Callable[[Any], None]] = {
    "simulations": lambda value: check_count("simulations", value),
    "depth": lambda value: check_count("depth", value),
    "seconds": check_seconds,
}


def parse_agent(text: str) -> SearchAgent:
    """Return the agent that `text` names: "random", "mcts(simulations=500)", "fast(minimax)".

    ValueError or TypeError if there is no such search, or it has no such option; ImportError for
    machine code without Numba.
    """
    if "engine=compiled" in text:
        raise ValueError(f"machine code is written like fast(mcts)(simulations=500); got {text!r}")
    machine = MACHINE_CODE.fullmatch(text)
    plain = "".join(machine.groups()) if machine else text
    name, arguments, options = _parts(plain, "an agent", "mcts(simulations=500)")
    search = _known(name, AGENTS, "an agent")
    search = fast(search) if machine else search
    if arguments:
        raise ValueError(f"options have names, as in mcts(simulations=500); got {text!r}")
    for option, value in options.items():
        if option in CHECKS:
            CHECKS[option](value)
    return SearchAgent(search, "random" if search is random_choice else None, **options)


def agent_text(agent: SearchAgent) -> str | None:
    """Return the text from which `parse_agent` makes such an agent; None if there is none."""
    options = {name: value for name, value in agent.options.items() if name != "rng"}
    if agent.search is random_choice:
        return "random"
    text = SearchAgent(agent.search, **options).name
    try:
        again = parse_agent(text)
    except (ValueError, TypeError):
        return None
    return text if (again.search, again.options) == (agent.search, options) else None


def parse_game(text: str) -> GameState:
    """Return the position that `text` names: "Nim(3, 4, 5)", "TicTacToe.parse('X../.O./...')".

    ValueError or TypeError if there is no such game, or its rules do not allow the position.
    """
    name, arguments, options = _parts(text, "a game", "Nim(3, 4, 5)")
    kind, _, method = name.partition(".")
    game = _known(kind, GAMES, "a game")
    if method not in ("", "parse"):
        raise ValueError(f"a game is written like Nim(3, 4, 5); got {text!r}")
    if kind == "Nim" and not method and all(type(heap) is int for heap in arguments):
        arguments = [tuple(arguments)] if arguments else []
    state: GameState = (game.parse if method else game)(*arguments, **options)
    return state


def _parts(text: str, what: str, example: str) -> tuple[str, list[Any], dict[str, Any]]:
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
        return _known(node.id, VALUES, "a value with a name")
    if isinstance(node, ast.Call):
        maker = _known(ast.unparse(node.func), MAKERS, "a value with brackets")
        arguments, options = _arguments(node)
        return maker(*arguments, **options)
    try:
        return ast.literal_eval(node)
    except ValueError as error:
        raise ValueError(f"{ast.unparse(node)} is no plain value") from error


def _known(name: str, table: Mapping[str, Any], what: str) -> Any:
    if name not in table:
        raise ValueError(f"{what} must be one of {', '.join(table)}; got {name!r}")
    return table[name]
