"""Rollout policies of MCTS, which are functions `policy(state, rng) -> action`, and playouts."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

from gamelib.conformance import check_chance
from gamelib.state import (
    CHANCE,
    PLIES_PER_POLL,
    Action,
    ActionT,
    GameState,
    draw_outcome,
    no_actions_error,
    poll_playout,
    random_playout,
)

Policy = Callable[[Any, random.Random], Action]
Playout = Callable[[Any, random.Random], tuple[float, ...]]
Poll = Callable[[], object] | None  # called regularly in a long game; an exception ends the game


def random_rollout(state: GameState[ActionT], rng: random.Random) -> ActionT:
    """Return a legal action, drawn uniformly at random."""
    actions = state.legal_actions()
    return actions[int(rng.random() * len(actions))]


def take_a_win(state: GameState[ActionT], rng: random.Random) -> ActionT:
    """Return the first action that wins immediately, or a random one if there is none."""
    for action in state.legal_actions():
        child = state.successor(action)
        if child.is_terminal() and child.utility(state.current_player) >= 1:
            return action
    return random_rollout(state, rng)


def sample_outcome(state: GameState[ActionT], rng: random.Random) -> ActionT:
    """Return an outcome drawn with its probability; BrokenRuleError if these are not valid."""
    check_chance(state)
    return draw_outcome(state, rng)


def play_out(
    state: GameState, policy: Policy, rng: random.Random, poll: Poll = None
) -> tuple[list[Action], tuple[float, ...]]:
    """Return the actions of a game that `policy` plays from `state`, and the payoffs at its end.

    At chance nodes the outcomes are drawn with their probabilities, not by the policy.
    """
    actions: list[Action] = []
    due, deterministic = PLIES_PER_POLL, not state.has_chance
    while not state.is_terminal():
        if len(actions) == due:
            due = poll_playout(state, due, poll)
        try:
            is_chance = not deterministic and state.current_player == CHANCE
            choose = draw_outcome if is_chance else policy
            actions.append(choose(state, rng))
            state = state.successor(actions[-1])
        except Exception:
            if not state.legal_actions():
                raise no_actions_error(state) from None
            raise
    return actions, state.utilities()


def fastest_playout(state: GameState, policy: Policy | None, poll: Poll = None) -> Playout:
    """Return the fastest function that plays out a game of this kind with `policy`.

    A game may have a method `playout(rng)` that does the same as `random_playout`, chance included.
    A subclass does not inherit it, because its rules may be different.
    """
    if policy is not None and policy is not random_rollout:
        return lambda state, rng: play_out(state, policy, rng, poll)[1]
    playout: Playout | None = vars(type(state)).get("playout")
    return playout or partial(random_playout, poll=poll, deterministic=not state.has_chance)
