"""Agents: who plays.  An agent is any function that returns an action for a state."""

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
    """An agent that plays what a search chooses; `options` go to the search.

    `SearchAgent(minimax, depth=3)` is called `minimax(depth=3)`, unless it is given a name.
    `SearchAgent(fast(minimax), depth=3)` plays the same as machine code.
    """

    def __init__(
        self, search: Callable[..., SearchResult], name: str | None = None, **options: Any
    ) -> None:
        if not callable(search):
            raise TypeError(f"search must be a function such as minimax; got {search!r}")
        if not isinstance(name, str | None):
            must = "name must be a text, and options are named: SearchAgent(minimax, depth=3)"
            raise TypeError(f"{must}; got {name!r}")
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
        self,
        state: GameState[ActionT],
        *,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> SearchResult[ActionT]:
        """Return all that the search says of `state`; it can be heard and stopped, if it can."""
        heard = (
            supported_options(self.search, progress=progress, stop=stop) if progress or stop else {}
        )
        result = self.search(state, **self.options, **heard)
        if result is None:
            must = "must return a SearchResult; it returned None: is `return` missing?"
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
    """Return an agent that plays any legal action, each as likely as the others."""
    return SearchAgent(random_choice, "random", rng=as_rng(seed))


def lookahead_agent(seed: int | None = None) -> SearchAgent:
    """Return an agent that takes a win, avoids giving one, and finds a win in two moves."""
    return SearchAgent(lookahead, "lookahead", rng=as_rng(seed))


@dataclass(frozen=True)
class PlayedGame(Generic[ActionT]):
    """A game from its first position to its end."""

    start: GameState[ActionT]
    actions: tuple[ActionT, ...]
    final: GameState[ActionT]
    utilities: tuple[float, ...]


def play_game(
    *agents: Agent, state: GameState[ActionT], rng: random.Random | int | None = None
) -> PlayedGame[ActionT]:
    """Return a game from `state` in which `agents[player]` moves for each player.

    Where chance moves, `rng`, a random.Random or a seed, rolls: the same seed, the same dice,
    whoever plays.

    ValueError if there is not one agent per player, or an agent answers an illegal action, or
    changes the state that it is given; BrokenRuleError if the game does not end, or pays wrongly.
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
        who = f"{agent_name(agents[player])}, player {player},"
        if has_changed(final, before):
            raise ValueError(f"{who} {MUTATION_MESSAGE}")
        try:
            final = final.successor(actions[-1])
        except IllegalActionError as error:
            raise IllegalActionError(f"{who} answered {actions[-1]!r}: {error}") from error
    check_payoffs(utilities := final.utilities(), final)
    return PlayedGame(state, tuple(actions), final, utilities)


def validated_action(answer: Any) -> Action:
    """Return an agent's answer as an action; TypeError, with advice, for what is often mistaken."""
    if isinstance(answer, SearchResult):
        raise TypeError("a SearchResult is no action: answer its `.action`, as SearchAgent does")
    if isinstance(answer, Coroutine | Generator):
        answer.close()
        raise TypeError("an agent is a plain function with `return`: no `async`, and no `yield`")
    return to_python_action(answer)


MUTATION_MESSAGE = (
    "changed the position that it was given; `state.successor(action)` makes a new one"
)


def snapshot(state: GameState) -> tuple[Any, ...]:
    """Return what an agent must leave as it is; BrokenRuleError if there is nothing to play."""
    if not (actions := state.legal_actions()):
        raise interface.no_actions_error(state)
    with suppress(TypeError):  # of a state that holds a list
        return state.current_player, list(actions), hash(state)
    return state.current_player, list(actions)


def has_changed(state: GameState, before: tuple[Any, ...]) -> bool:
    """Return whether a state is not any more what `snapshot` has said of it.

    BrokenRuleError if the game answers each question in another way: it was no agent then.
    """
    try:
        if (now := snapshot(state)) == before:
            return False
        steady = all(snapshot(state) == now for _ in range(9))
    except Exception:  # of a state that is not whole any more
        return True
    if not steady:
        must = "it must be the same, in the same order, each time it is asked"
        raise BrokenRuleError(f"`legal_actions` or the hash of a position changes; {must}\n{state}")
    return True


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
