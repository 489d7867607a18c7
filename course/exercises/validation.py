"""Check positions that a user passes to a widget, because they may be a learner's first game."""

from copy import deepcopy
from typing import Any

from gamelib.conformance import check_interface, check_payoffs
from gamelib.state import BrokenRuleError, GameState


def validated(state: GameState) -> GameState:
    """Return the position; BrokenRuleError, as a sentence, if it breaks a rule of the interface."""
    check_interface(state, plies=0)
    if state.is_terminal():
        check_payoffs(state.utilities(), state)
        return state
    try:
        check_interface(deepcopy(state), 1)  # a copy, because `successor` may mutate the state
    except BrokenRuleError:
        raise
    except Exception:  # The game may be unfinished; its error is shown when it is played.
        pass
    return state


def validated_successor(state: GameState, action: Any) -> GameState:
    """Return the position after an action; BrokenRuleError if that is not a new position."""
    child: object = state.successor(action)
    if not isinstance(child, GameState) or child is state:
        returned = "the state itself" if child is state else repr(child)
        rule = f"`successor({action!r})` returned {returned}; it must return a new state"
        raise BrokenRuleError(f"{rule}\n{state}")
    return child
