"""Agents, and games between them.  An agent is any function that returns an action for a state.

>>> from gamelib import Nim, SearchAgent, play_game, solve
>>> play_game(SearchAgent(solve), SearchAgent(solve), state=Nim((1, 2))).actions
((1, 1), (0, 1), (1, 1))
"""

from __future__ import annotations

import random
from collections.abc import Callable, Coroutine, Generator
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from typing import Any, Generic

from gamelib import state as interface
from gamelib.conformance import check_interface, check_payoffs, check_state
from gamelib.search import SearchResult, lookahead, random_choice
from gamelib.search.callbacks import Progress, Stop
from gamelib.search.checks import as_rng
from gamelib.search.registry import check_options, parameters, supported_options
from gamelib.search.rollouts import sample_outcome
from gamelib.state import (
    Action,
    ActionT,
    BrokenRuleError,
    GameState,
    IllegalActionError,
    to_python_action,
)

__all__ = ["PlayedGame", "SearchAgent", "lookahead_agent", "play_game", "random_agent"]
Agent = Callable[[Any], Action]


class SearchAgent:
    """An agent that plays the action of a search; `options` are passed to the search.

    `SearchAgent(minimax, depth=3)` is called `minimax(depth=3)`, unless you give it a name.
    `SearchAgent(fast(minimax), depth=3)` plays the same actions with compiled code.

    >>> from gamelib import GameTree, SearchAgent, minimax
    >>> agent = SearchAgent(minimax, depth=3)
    >>> agent
    minimax(depth=3)
    >>> agent(GameTree([[3, 5], [2, 9]]))
    0
    """

    def __init__(
        self, search: Callable[..., SearchResult], name: str | None = None, **options: Any
    ) -> None:
        if not callable(search):
            raise TypeError(f"search must be a function such as minimax; got {search!r}")
        if not isinstance(name, str | None):
            must = "name must be a str, and options need names, as in SearchAgent(minimax, depth=3)"
            raise TypeError(f"{must}; got {name!r}")
        check_options(search, options)
        self.search, self.options = search, options
        self.name = _name(search, options) if name is None else name

    def seeded(self, seed: int) -> SearchAgent:
        """Return a copy of this agent whose search draws from `seed`, if it draws at all."""
        agent = copy(self)
        if "rng" in parameters(self.search):
            agent.options = {**self.options, "rng": random.Random(seed)}
        return agent

    def search_result(
        self,
        state: GameState[ActionT],
        *,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> SearchResult[ActionT]:
        """Return the result of the search at `state`.

        `progress` and `stop` are passed on to the search if it supports them.
        """
        callbacks = (
            supported_options(self.search, progress=progress, stop=stop) if progress or stop else {}
        )
        result = self.search(state, **self.options, **callbacks)
        if result is None:
            must = "must return a SearchResult, but it returned None; is a `return` missing?"
            raise TypeError(f"{self} {must}")
        return result

    def __call__(
        self,
        state: GameState[ActionT],
        *,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> ActionT:
        """Return the action that the search chooses."""
        return self.search_result(state, progress=progress, stop=stop).action

    def __repr__(self) -> str:
        return self.name


def random_agent(seed: int | None = None) -> SearchAgent:
    """Return an agent that plays a legal action, drawn uniformly at random."""
    return SearchAgent(random_choice, "random", rng=as_rng(seed))


def lookahead_agent(seed: int | None = None) -> SearchAgent:
    """Return an agent that takes a win, avoids giving one, and finds a win in two moves."""
    return SearchAgent(lookahead, "lookahead", rng=as_rng(seed))


@dataclass(frozen=True)
class PlayedGame(Generic[ActionT]):
    """A complete game: its first position, its actions, its final position and the payoffs."""

    start: GameState[ActionT]
    actions: tuple[ActionT, ...]
    final: GameState[ActionT]
    utilities: tuple[float, ...]


def play_game(
    *agents: Agent, state: GameState[ActionT], rng: random.Random | int | None = None
) -> PlayedGame[ActionT]:
    """Play a game from `state`, in which `agents[player]` moves for each player, and return it.

    The outcomes of chance are drawn with `rng`, a random.Random or a seed.  The agents do not use
    it, so a seed gives the same dice to all agents.

    ValueError if there is not one agent per player, or if an agent returns an illegal action or
    changes the state that it is given; BrokenRuleError if the game does not end, or if its payoffs
    are invalid.
    """
    check_state(state)
    check_interface(state, plies=0)
    if len(agents) != state.num_players:
        counts = f"{state.num_players} players, {len(agents)} agents"
        raise ValueError(f"agents must be one per player: {counts}")
    if wrong := [agent for agent in agents if not callable(agent)]:
        raise TypeError(f"agents must be functions of a state; got {wrong[0]!r}")
    final, actions, dice = state, list[ActionT](), as_rng(rng)
    while not final.is_terminal():
        if len(actions) == interface.MAX_PLIES:
            raise interface.endless_game_error(final)
        if final.current_player == interface.CHANCE:
            actions.append(sample_outcome(final, dice))
            final = final.successor(actions[-1])
            continue
        before, player = snapshot(final), final.current_player
        actions.append(validated_action(agents[player](final)))
        seat = f"{agent_name(agents[player])}, player {player},"
        if has_changed(final, before):
            raise ValueError(f"{seat} {MUTATION_MESSAGE}")
        try:
            final = final.successor(actions[-1])
        except IllegalActionError as error:
            raise IllegalActionError(f"{seat} returned {actions[-1]!r}: {error}") from error
    check_payoffs(utilities := final.utilities(), final)
    return PlayedGame(state, tuple(actions), final, utilities)


def validated_action(answer: Any) -> Action:
    """Return the value that an agent returned as an action; TypeError for a common mistake."""
    if isinstance(answer, SearchResult):
        must = "an agent must return an action, not a SearchResult"
        raise TypeError(f"{must}; return its `.action`, as SearchAgent does")
    if isinstance(answer, Coroutine | Generator):
        answer.close()
        raise TypeError("an agent must be a plain function with `return`, not `async` or `yield`")
    return to_python_action(answer)


MUTATION_MESSAGE = (
    "changed the position that it was given; use `state.successor(action)`, which returns a new one"
)


def snapshot(state: GameState) -> tuple[Any, ...]:
    """Return the parts of a state that an agent must not change; BrokenRuleError if no action."""
    if not (actions := state.legal_actions()):
        raise interface.no_actions_error(state)
    with suppress(TypeError):  # a state that holds a list has no hash
        return state.current_player, list(actions), hash(state)
    return state.current_player, list(actions)


def has_changed(state: GameState, before: tuple[Any, ...]) -> bool:
    """Return whether a state has changed since its snapshot `before`.

    BrokenRuleError if the state differs at every call, because then the agent did not change it.
    """
    try:
        if (now := snapshot(state)) == before:
            return False
        steady = all(snapshot(state) == now for _ in range(9))
    except Exception:  # the state is damaged, so it has changed
        return True
    if not steady:
        must = "each call must return the same, in the same order"
        raise BrokenRuleError(f"`legal_actions` or the hash of a position changes; {must}\n{state}")
    return True


def agent_name(agent: Agent) -> str:
    """Return the name of an agent: its attribute `name`, or the name of its function or class."""
    return str(getattr(agent, "name", None) or getattr(agent, "__name__", type(agent).__name__))


def _name(search: Callable[..., object], options: dict[str, Any]) -> str:
    texts = [
        f"{option}={getattr(value, '__name__', value)}"
        for option, value in options.items()
        if not isinstance(value, random.Random)
    ]
    return f"{agent_name(search)}({', '.join(texts)})" if texts else agent_name(search)
