"""Every position of a small game and its exact value: what labs and checks measure against."""

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

    The order is fixed: fewer actions first, then by the actions that lead there.
    """
    found = [state]
    seen = {state}
    for position in found:  # grows while it is read
        for action in position.legal_actions():
            child = position.successor(action)
            if child not in seen:
                seen.add(child)
                found.append(child)
    return tuple(found)


@lru_cache(maxsize=16)
def open_positions(state: GameState) -> tuple[Any, ...]:
    """Return the reachable positions in which the game goes on, in the same order.

    Tic-tac-toe has 4,520 of them.
    """
    return tuple(position for position in reachable_positions(state) if not position.is_terminal())


@lru_cache(maxsize=16)
def exact_values(state: GameState) -> Mapping[GameState, float]:
    """Return the value of every reachable position for the player to move there (two players).

    ValueError if the game has not two players.
    """
    if state.num_players != 2:
        raise ValueError(f"exact_values needs a game of two players; got {state.num_players}")
    known: dict[GameState, float] = {}

    def value(position: GameState) -> float:
        if position not in known:
            if position.is_terminal():
                known[position] = position.utility(position.current_player)
            else:
                actions = position.legal_actions()
                known[position] = max(_action_value(position, action, value) for action in actions)
        return known[position]

    value(state)
    return MappingProxyType(known)


def optimal_actions(position: GameState, values: Mapping[GameState, float]) -> tuple[Action, ...]:
    """Return the actions that keep the value of `position`, by the values of `exact_values`."""
    best, actions = values[position], position.legal_actions()
    return tuple(a for a in actions if _action_value(position, a, values.__getitem__) == best)


def _action_value(
    position: GameState, action: Action, value: Callable[[GameState], float]
) -> float:
    """Return what an action is worth to who moves, by the values of positions."""
    child = position.successor(action)
    return value(child) * (1 if child.current_player == position.current_player else -1)


@lru_cache(maxsize=1)
def paper_positions() -> tuple[TicTacToe, ...]:
    """Return the tic-tac-toe positions with a game tree of 14 nodes and one best action.

    Three cells are empty, and nobody wins at once: the best action shows one ply later.  Some are
    won, some drawn.  There are 148, all as hard.
    """
    exact = exact_values(TicTacToe())
    three = (each for each in open_positions(TicTacToe()) if len(each.legal_actions()) == 3)
    few = (position for position in three if minimax(position).stats.nodes == 14)
    return tuple(position for position in few if len(optimal_actions(position, exact)) == 1)


def paper_position(number: int) -> TicTacToe:
    """Return the paper position of a student number: any int, 0 or more."""
    if type(number) is not int or number < 0:
        raise ValueError(f"number must be an int, 0 or more; got {number!r}")
    return paper_positions()[number % len(paper_positions())]
