"""Measure an evaluation by its choices in every position where a choice can be wrong."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from course.exercises.state_space import (
    exact_values,
    open_positions,
    optimal_actions,
    reachable_positions,
)
from gamelib.games import TicTacToe
from gamelib.state import Action, GameState

Array = np.ndarray[Any, np.dtype[Any]]
Share = tuple[int, int]  # (hits, trials)
START = TicTacToe()
ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
DIGITS = 6  # after the point; closer values count as equal, so that all machines agree


@cache
def decisive_positions() -> tuple[TicTacToe, ...]:
    """Return the 3,191 positions in which not every action is optimal."""
    best = _optimal()
    return tuple(s for s in open_positions(START) if len(best[s]) < len(s.legal_actions()))


def accuracy(value: Callable[[TicTacToe], float]) -> Share:
    """Return (right, all): the decisive positions in which a one-ply search plays optimally.

    value   returns the value of an open position for the player to move; at terminal states the
            payoff is used.  Of equal values the first action is taken
    """
    values = [round(float(value(state)), DIGITS) for state in open_positions(START)]
    return accuracy_of_values(np.array(values))


def accuracy_of_values(values: Array) -> Share:
    """Return the same for the values of all open positions, in the order of `open_positions`."""
    known = dict(zip(open_positions(START), values, strict=True))
    every = np.array(
        [value_for_mover(s, known.__getitem__) for s in reachable_positions(START)], dtype=float
    )
    children, legal, good = _tables()
    liked = np.where(legal, -np.round(every[children], DIGITS), -np.inf)
    return int(good[np.arange(len(good)), liked.argmax(1)].sum()), len(good)


def accuracy_of_choices(choose: Callable[[TicTacToe], Action]) -> Share:
    """Return (right, all): the decisive positions in which `choose(state)` is optimal."""
    return sum(is_optimal(state, choose(state)) for state in decisive_positions()), len(
        decisive_positions()
    )


def is_optimal(state: TicTacToe, action: Action) -> bool:
    """Return whether an action keeps the value of an open position."""
    return action in _optimal()[state]


def mean_squared_error(value: Callable[[TicTacToe], float]) -> float:
    """Return the mean squared difference from the exact value, over all open positions."""
    exact = exact_values(START)
    apart = [(value(state) - exact[state]) ** 2 for state in open_positions(START)]
    return sum(apart) / len(apart)


def value_for_mover(state: GameState, value: Callable[[Any], float]) -> float:
    """Return the payoff of the player to move at a terminal state, otherwise the value."""
    return state.utility(state.current_player) if state.is_terminal() else value(state)


def greedy_action(state: GameState, value: Callable[[Any], float]) -> Action:
    """Return the action after which the opponent's value is lowest; of equals the first."""
    return min(
        state.legal_actions(), key=lambda action: value_for_mover(state.successor(action), value)
    )


@cache
def line_counts(state: TicTacToe) -> tuple[int, int, int, int]:
    """Return the number of lines with only 1 and 2 marks of the mover, then of the opponent."""
    me, counts = state.current_player, [0, 0, 0, 0]
    for row in ROWS:
        owners = [state.cell(*divmod(cell, 3)) for cell in row]
        mine, theirs = owners.count(me), owners.count(1 - me)
        if 0 < mine < 3 and not theirs:
            counts[mine - 1] += 1
        if 0 < theirs < 3 and not mine:
            counts[theirs + 1] += 1
    return counts[0], counts[1], counts[2], counts[3]


def input_planes(state: TicTacToe) -> list[float]:
    """Return 18 numbers, 1 or 0: the marks of the player to move, then those of the opponent."""
    me = state.current_player
    owners = [state.cell(*divmod(cell, 3)) for cell in range(9)]
    return [float(o == me) for o in owners] + [float(o == 1 - me) for o in owners]


@cache
def all_input_planes() -> Array:
    """Return the planes of all open positions, a row for each."""
    return np.array([input_planes(state) for state in open_positions(START)])


@cache
def _optimal() -> dict[TicTacToe, tuple[Action, ...]]:
    values = exact_values(START)
    return {state: tuple(optimal_actions(state, values)) for state in open_positions(START)}


@cache
def _tables() -> tuple[Array, Array, Array]:
    """Return, by decisive position and cell: the child, whether it is legal, whether optimal."""
    place = {state: number for number, state in enumerate(reachable_positions(START))}
    children = np.zeros((len(decisive_positions()), 9), dtype=np.int64)
    legal, good = children > 0, children > 0
    for row, state in enumerate(decisive_positions()):
        for action in state.legal_actions():
            children[row, action] = place[state.successor(action)]
            legal[row, action] = True
            good[row, action] = action in _optimal()[state]
    return children, legal, good
