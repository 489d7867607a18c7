"""Move ordering: a good first action makes alpha-beta cut early."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gamelib.state import Action

Order = Callable[[Any, Sequence[Action]], Sequence[Action]]


def preferred(*actions: Action) -> Order:
    """Return an order that tries these actions first, such as `preferred(4, 0, 2, 6, 8)`."""
    rank = {action: index for index, action in enumerate(actions)}
    last = len(rank)

    def order(state: Any, actions: Sequence[Action]) -> list[Action]:
        return sorted(actions, key=lambda action: rank.get(action, last))

    return order


def centre_first(state: Any, actions: Sequence[int]) -> list[int]:
    """Return the columns of a Connect Four position, the middle ones first.

    >>> from gamelib import ConnectFour, centre_first
    >>> state = ConnectFour()
    >>> centre_first(state, state.legal_actions())
    [3, 2, 4, 1, 5, 0, 6]
    """
    right_edge = state.cols - 1
    return sorted(actions, key=lambda column: abs(2 * column - right_edge))


def validated_order(order: Order) -> Order:
    """Return `order` with a check: ValueError or TypeError unless it returns each action once."""
    name = getattr(order, "__name__", repr(order))

    def checked_order(state: Any, actions: Sequence[Action]) -> list[Action]:
        result = order(state, actions)
        if not isinstance(result, Iterable):
            raise TypeError(f"{name}(state, actions) must return actions; it returned {result!r}")
        result = result.tolist() if hasattr(result, "tolist") else list(result)  # a numpy array
        if len(result) != len(actions) or any(action not in result for action in actions):
            must = f"must return each of the actions {list(actions)} once"
            raise ValueError(f"{name}(state, actions) {must}; it returned {result!r}")
        return result

    return checked_order
