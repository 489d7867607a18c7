"""All reachable positions of a small game with their exact values, for labs and checks."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from gamelib.games import TicTacToe
from gamelib.search.minimax import minimax
from gamelib.state import Action, GameState


@lru_cache(maxsize=16)
def reachable_positions(state: GameState) -> tuple[Any, ...]:
    """Return every position that can arise from `state`, terminal ones too, each once.

    Positions after fewer actions come first; after equally many, the order is that of the actions.
    """
    positions = [state]
    seen = {state}
    for position in positions:  # the list grows during the loop
        for action in position.legal_actions():
            child = position.successor(action)
            if child not in seen:
                seen.add(child)
                positions.append(child)
    return tuple(positions)


@lru_cache(maxsize=16)
def open_positions(state: GameState) -> tuple[Any, ...]:
    """Return the reachable positions that are not terminal, in the same order.

    Tic-tac-toe has 4,520 of them.
    """
    return tuple(position for position in reachable_positions(state) if not position.is_terminal())


@lru_cache(maxsize=16)
def exact_values(state: GameState) -> Mapping[GameState, float]:
    """Return position -> its exact value for the player to move, for every reachable position.

    ValueError if the game does not have two players.

    >>> from course import exact_values
    >>> from gamelib import Nim
    >>> values = exact_values(Nim((1, 2)))
    >>> len(values), values[Nim((1, 2))]
    (8, 1)
    """
    if state.num_players != 2:
        raise ValueError(f"state must be of a game with two players; it has {state.num_players}")
    values: dict[GameState, float] = {}

    def value(position: GameState) -> float:
        if position not in values:
            if position.is_terminal():
                values[position] = position.utility(position.current_player)
            else:
                actions = position.legal_actions()
                values[position] = max(_action_value(position, action, value) for action in actions)
        return values[position]

    value(state)
    return MappingProxyType(values)


def optimal_actions(position: GameState, values: Mapping[GameState, float]) -> tuple[Action, ...]:
    """Return the actions that keep the value of `position`; `values` comes from `exact_values`.

    >>> from course import exact_values, optimal_actions
    >>> from gamelib import Nim
    >>> start = Nim((1, 3))
    >>> optimal_actions(start, exact_values(start))
    ((1, 2),)
    """
    best, actions = values[position], position.legal_actions()
    return tuple(
        action for action in actions if _action_value(position, action, values.__getitem__) == best
    )


def _action_value(
    position: GameState, action: Action, value: Callable[[GameState], float]
) -> float:
    """Return the value of an action for the player to move, by the values of positions."""
    child = position.successor(action)
    return value(child) * (1 if child.current_player == position.current_player else -1)


@lru_cache(maxsize=1)
def paper_positions() -> tuple[TicTacToe, ...]:
    """Return the tic-tac-toe positions with a game tree of 14 nodes and exactly one best action.

    Three cells are empty, and nobody can win immediately, so the best action shows one ply later.
    Some positions are won, some drawn.  There are 148, all equally hard.
    """
    exact = exact_values(TicTacToe())
    three = (state for state in open_positions(TicTacToe()) if len(state.legal_actions()) == 3)
    few = (position for position in three if minimax(position).stats.nodes == 14)
    return tuple(position for position in few if len(optimal_actions(position, exact)) == 1)


def paper_position(number: int) -> TicTacToe:
    """Return the paper position for a student number, which is any int of 0 or more."""
    if type(number) is not int or number < 0:
        raise ValueError(f"number must be an int, 0 or more; got {number!r}")
    return paper_positions()[number % len(paper_positions())]
