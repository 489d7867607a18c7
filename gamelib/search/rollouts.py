"""Rollout policies: functions `policy(state, rng) -> action` that play the games of MCTS out."""

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
Poll = Callable[[], object] | None  # called now and then during a long game; may end it


def random_rollout(state: GameState[ActionT], rng: random.Random) -> ActionT:
    """Return one of the legal actions, each as likely as the others."""
    actions = state.legal_actions()
    return actions[int(rng.random() * len(actions))]


def take_a_win(state: GameState[ActionT], rng: random.Random) -> ActionT:
    """Return the first action that wins at once; a random one where there is none."""
    for action in state.legal_actions():
        child = state.successor(action)
        if child.is_terminal() and child.utility(state.current_player) >= 1:
            return action
    return random_rollout(state, rng)


def sample_outcome(state: GameState[ActionT], rng: random.Random) -> ActionT:
    """Return what chance does, drawn by the probabilities; BrokenRuleError if they are none."""
    check_chance(state)
    return draw_outcome(state, rng)


def play_out(
    state: GameState, policy: Policy, rng: random.Random, look: Poll = None
) -> tuple[list[Action], tuple[float, ...]]:
    """Return the actions of a game that `policy` plays from `state`, and the payoffs at its end.

    Chance moves by its probabilities, whatever the policy.
    """
    actions: list[Action] = []
    due, fair = PLIES_PER_POLL, not state.has_chance
    while not state.is_terminal():
        if len(actions) == due:
            due = poll_playout(state, due, look)
        try:
            choose = policy if fair or state.current_player != CHANCE else draw_outcome
            actions.append(choose(state, rng))
            state = state.successor(actions[-1])
        except Exception:
            if not state.legal_actions():
                raise no_actions_error(state) from None
            raise
    return actions, state.utilities()


def fastest_playout(state: GameState, policy: Policy | None, look: Poll = None) -> Playout:
    """Return the fastest function that plays a game of this kind out with `policy`.

    A game may have a method `playout(rng)` that does what `random_playout` does, chance included.
    A subclass does not inherit it: its rules may be others.
    """
    if policy is not None and policy is not random_rollout:
        return lambda state, rng: play_out(state, policy, rng, look)[1]
    fair = not state.has_chance
    own: Playout | None = vars(type(state)).get("playout")
    return own or partial(random_playout, poll=look, deterministic=fair)
