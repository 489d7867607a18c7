"""Positions that keep the rules: what is handed to a widget may be a learner's first game."""

from __future__ import annotations

from typing import Any

from gamelib.state import BrokenRuleError, GameState, check_answers, check_payoffs

ADVICE = "A tuple is, a list is not; and a class with `__eq__` needs `__hash__`, too"


def sound(state: GameState) -> GameState:
    """Return the position; BrokenRuleError, in words, if it answers what no position may."""
    check_answers(state, plies=0)
    for action in state.legal_actions():
        check_hashable(action, "an action", state)
    if state.is_terminal():
        check_payoffs(state.utilities(), state)
    return state


def check_hashable(thing: object, what: str, state: GameState) -> None:
    """Raise a BrokenRuleError unless a state, or an action of it, can be looked up in a table."""
    try:
        hash(thing)
    except TypeError as error:
        raise BrokenRuleError(f"{what} must be hashable: {error}.  {ADVICE}\n{state}") from None


def after(state: GameState, action: Any) -> GameState:
    """Return the position after an action; BrokenRuleError if that is no new position."""
    child: object = state.successor(action)
    if not isinstance(child, GameState) or child is state:
        returned = "the state itself" if child is state else repr(child)
        rule = f"`successor({action!r})` returned {returned}; it must return a new state"
        raise BrokenRuleError(f"{rule}\n{state}")
    return child
