"""Agents: who plays.  An agent is any function that returns an action for a state."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

from gamelib.search import SearchResult, lookahead, random_choice
from gamelib.search.limits import Progress, Stop
from gamelib.search.registry import accepted, check_options, parameters
from gamelib.state import Action, GameState, IllegalActionError

__all__ = ["PlayedGame", "SearchAgent", "lookahead_agent", "play_game", "random_agent"]

Agent = Callable[[Any], Action]


class SearchAgent:
    """An agent that plays what a search chooses; `options` go to the search.

    `SearchAgent(minimax, depth=3)` is called `minimax(depth=3)`, unless it is given a name.
    `SearchAgent(fast(minimax), depth=3)` plays the same as machine code.
    """

    def __init__(
        self, search: Callable[..., SearchResult], name: str | None = None, **options: Any
    ) -> None:
        if not callable(search):
            raise TypeError(f"search must be a function such as minimax; got {search!r}")
        check_options(search, options)
        self.search, self.options = search, options
        self.name = _name(search, options) if name is None else name

    def seeded(self, seed: int) -> SearchAgent:
        """Return an agent like this one whose chance comes from `seed`, if its search has any."""
        agent = copy(self)
        if "rng" in parameters(self.search):
            agent.options = {**self.options, "rng": random.Random(seed)}
        return agent

    def search_result(
        self, state: GameState, *, progress: Progress | None = None, stop: Stop | None = None
    ) -> SearchResult:
        """Return all that the search says of `state`; it can be heard and stopped, if it can."""
        heard = accepted(self.search, progress=progress, stop=stop)
        return self.search(state, **self.options, **heard)

    def __call__(
        self, state: GameState, *, progress: Progress | None = None, stop: Stop | None = None
    ) -> Action:
        """Return the action that the search chooses."""
        return self.search_result(state, progress=progress, stop=stop).action

    def __repr__(self) -> str:
        return self.name


def random_agent(seed: int | None = None) -> SearchAgent:
    """Return an agent that plays any legal action, each as likely as the others."""
    return SearchAgent(random_choice, "random", rng=random.Random(seed))


def lookahead_agent(seed: int | None = None) -> SearchAgent:
    """Return an agent that takes a win, avoids giving one, and finds a win in two moves."""
    return SearchAgent(lookahead, "lookahead", rng=random.Random(seed))


@dataclass(frozen=True)
class PlayedGame:
    """A game from its first position to its end."""

    start: GameState
    actions: tuple[Action, ...]
    final: GameState
    utilities: tuple[float, ...]


def play_game(*agents: Agent, state: GameState) -> PlayedGame:
    """Return a game from `state` in which `agents[player]` moves for each player.

    ValueError if there is not one agent per player, or an agent answers an illegal action.
    """
    if len(agents) != state.num_players:
        raise ValueError(
            f"agents must be one per player: {state.num_players} players, {len(agents)} agents"
        )
    final, actions = state, []
    while not final.is_terminal():
        agent = agents[final.current_player]
        actions.append(agent(final))
        try:
            final = final.successor(actions[-1])
        except IllegalActionError as error:
            raise IllegalActionError(
                f"{agent_name(agent)}, player {final.current_player}, "
                f"answered {actions[-1]!r}: {error}"
            ) from error
    return PlayedGame(state, tuple(actions), final, final.utilities())


def agent_name(agent: Agent) -> str:
    """Return what to call an agent: its `name`, or that of its function or class."""
    return str(getattr(agent, "name", None) or getattr(agent, "__name__", type(agent).__name__))


def _name(search: Callable[..., object], options: dict[str, Any]) -> str:
    shown = [
        f"{option}={getattr(value, '__name__', value)}"
        for option, value in options.items()
        if not isinstance(value, random.Random)
    ]
    return f"{agent_name(search)}({', '.join(shown)})" if shown else agent_name(search)
