"""Recipes: how another process makes the same agent or position, as plain data.

A recipe names a function as "module:name", and its arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from importlib import import_module
from typing import Any

from arena.play.specs import agent_text
from gamelib.agents import Agent, SearchAgent, agent_name
from gamelib.state import GameState

Recipe = tuple[str, Mapping[str, Any]]


def agent_recipe(agent: Agent) -> Recipe:
    """Return how to make an agent: its attribute `recipe`, if it has one.

    TypeError if another process could not: a function of a notebook, a lambda, a search with
    options that have no name.
    """
    if hasattr(agent, "recipe"):
        own: Recipe = agent.recipe
        return own
    if isinstance(agent, SearchAgent):
        if text := agent_text(agent):
            return "arena.play.specs:parse_agent", {"text": text}
    elif place := _place(agent):
        return "arena.play.recipes:imported", {"place": place}
    raise TypeError(
        f"the agent {agent_name(agent)} cannot be sent to another process: it must be a function "
        "of a module that can be imported, or a search with options that have names.  Put it "
        "into a .py file of its own and import it from there, or play with workers=1"
    )


def state_recipe(state: GameState) -> Recipe:
    """Return how to make a position; TypeError if another process could not."""
    kind = type(state)
    data = state.to_json()
    # A student's parse may forget something, such as the player to move.
    if (place := _place(kind)) and data is not None and kind.from_json(data) == state:
        return "arena.play.recipes:state_of", {"place": place, "data": data}
    raise TypeError(
        f"a position of {kind.__name__} cannot be sent to another process: its class must stand "
        "in a module that can be imported, and parse its positions.  Play with workers=1"
    )


def made(recipe: Recipe) -> Any:
    """Return what the recipe makes."""
    place, arguments = recipe
    return imported(place)(**arguments)


def imported(place: str) -> Any:
    """Return what "module:name" names."""
    module, _, names = place.partition(":")
    return reduce(getattr, names.split("."), import_module(module))


def state_of(place: str, data: Mapping[str, Any]) -> GameState:
    """Return the position of a class that its `to_json` wrote."""
    state: GameState = imported(place).from_json(data)
    return state


def _place(thing: Any) -> str | None:
    """Return "module:name" of a function or class; None if it cannot be imported by that."""
    place = f"{getattr(thing, '__module__', None)}:{getattr(thing, '__qualname__', None)}"
    if place.startswith("__main__:"):
        return None
    try:
        return place if imported(place) is thing else None
    except (ImportError, AttributeError, ValueError):
        return None
