"""How good an evaluation is: what it chooses on every position where a choice can be wrong."""

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
Share = tuple[int, int]  # so many of so many
START = TicTacToe()
ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
DIGITS = 6  # behind the point: what lies nearer together is equal, on every machine


@cache
def decisive_positions() -> tuple[TicTacToe, ...]:
    """Return the 3,191 positions in which not every action is optimal."""
    best = _optimal()
    return tuple(s for s in open_positions(START) if len(best[s]) < len(s.legal_actions()))


def accuracy(value: Callable[[TicTacToe], float]) -> Share:
    """Return in how many positions a look one move ahead finds an optimal action; of how many.

    value   of a position for the player to move there; it is asked for each open one.  At the end
            of a game the payoff stands for it.  Of equal values the first action is taken
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
    """Return in how many positions `choose(state)` is an optimal action; of how many."""
    return sum(is_optimal(state, choose(state)) for state in decisive_positions()), len(
        decisive_positions()
    )


def is_optimal(state: TicTacToe, action: Action) -> bool:
    """Return whether an action keeps the value of an open position."""
    return action in _optimal()[state]


def mean_squared_error(value: Callable[[TicTacToe], float]) -> float:
    """Return how far a value is from the exact one, squared, on average over open positions."""
    exact = exact_values(START)
    apart = [(value(state) - exact[state]) ** 2 for state in open_positions(START)]
    return sum(apart) / len(apart)


def value_for_mover(state: GameState, value: Callable[[Any], float]) -> float:
    """Return the payoff of the player to move where the game is over, else the value."""
    return state.utility(state.current_player) if state.is_terminal() else value(state)


def greedy_action(state: GameState, value: Callable[[Any], float]) -> Action:
    """Return the action whose position is worth least to the opponent; of equals the first."""
    return min(
        state.legal_actions(), key=lambda action: value_for_mover(state.successor(action), value)
    )


@cache
def line_counts(state: TicTacToe) -> tuple[int, int, int, int]:
    """Return how many lines have 1 and 2 stones of the player to move alone; of the other alone."""
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
    """Return 18 numbers: 1 where the player to move has a stone, else 0; then of the other."""
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
    """Return of each position that matters, by cell: its child, whether legal, whether optimal."""
    place = {state: number for number, state in enumerate(reachable_positions(START))}
    children = np.zeros((len(decisive_positions()), 9), dtype=np.int64)
    legal, good = children > 0, children > 0
    for row, state in enumerate(decisive_positions()):
        for action in state.legal_actions():
            children[row, action] = place[state.successor(action)]
            legal[row, action] = True
            good[row, action] = action in _optimal()[state]
    return children, legal, good
