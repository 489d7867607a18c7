"""Reference solutions of the exercises of notebook 02."""

from typing import Any

from gamelib.games import TicTacToe
from gamelib.state import GameState


def my_value(state: GameState, player: int) -> float:
    """Return the value of `state` for `player`, if both play best."""
    if state.is_terminal():
        return state.utility(player)
    values = [my_value(state.successor(action), player) for action in state.legal_actions()]
    return max(values) if state.current_player == player else min(values)


def limited_minimax(state: GameState, player: int, depth: int) -> float:
    """Return the value of `state` for `player`, looking `depth` plies ahead; unknown is 0."""
    if state.is_terminal():
        return state.utility(player)
    if depth == 0:
        return 0
    values = [limited_minimax(state.successor(a), player, depth - 1) for a in state.legal_actions()]
    return max(values) if state.current_player == player else min(values)


# Mistakes that no edit of a line can express; mistakes.toml calls these functions.


def _by_ply(state: GameState, player: int, depth: int, flags: list[bool]) -> float:
    """Return the value of a search that maximizes at the plies whose flag is true."""
    if state.is_terminal():
        return state.utility(player)
    if depth == 0:
        return 0
    is_max, *below = flags
    values = [_by_ply(state.successor(a), player, depth - 1, below) for a in state.legal_actions()]
    return max(values) if is_max else min(values)


def _alternating(state: GameState, depth: int) -> float:
    """Return the value for the player to move of a negamax that always changes the sign."""
    if state.is_terminal():
        return state.utility(state.current_player)
    if depth == 0:
        return 0
    return max(
        -_alternating(state.successor(action), depth - 1) for action in state.legal_actions()
    )


def _twice(first: bool) -> list[bool]:
    """Return flags that change at every ply, except at the first one."""
    return [first, *[first, not first] * 9]


def _forgets_zero(values: list[float], is_max: bool) -> float:
    """Return the best value of a program that treats 0 like a missing value."""
    best: float | None = None
    for value in values:
        if not best or (value > best if is_max else value < best):
            best = value
    assert best is not None
    return best


def _sign(payoff: float) -> int:
    return (payoff > 0) - (payoff < 0)


def _with_depth(payoff: float, depth: int) -> float:
    """Return a payoff that is larger if more plies are left; a draw stays 0."""
    return payoff + _sign(payoff) * depth


def _best_action(state: GameState, player: int, depth: int, is_max: bool) -> Any:
    """Return the first best action instead of its value."""
    flags = [(state.current_player == player) ^ (ply % 2 > 0) for ply in range(1, 10)]
    values = {
        action: _by_ply(state.successor(action), player, depth - 1, flags)
        for action in state.legal_actions()
    }
    return (max if is_max else min)(values, key=values.__getitem__)


def _coloured(state: GameState, colour: int) -> float:
    """Return the value of a negamax whose sign changes at every ply."""
    if state.is_terminal():
        return colour * state.utility(0)
    return max(-_coloured(state.successor(action), -colour) for action in state.legal_actions())


def negamax_value(state: GameState) -> float:
    """Return the value of `state` for the player to move there."""
    player = state.current_player
    if state.is_terminal():
        return state.utility(player)
    children = [state.successor(action) for action in state.legal_actions()]
    return max(
        negamax_value(child) if child.current_player == player else -negamax_value(child)
        for child in children
    )


STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


# One of many solutions, so no check compares with it.
def my_heuristic(state: TicTacToe, player: int) -> float:
    """Return the lead of `player` in open lines of k cells, as a fraction of all lines."""
    score, lines = 0, 1
    starts = [(row, col) for row in range(state.rows) for col in range(state.cols)]
    for (row, col), (down, right) in [(start, step) for start in starts for step in STEPS]:
        last_row, last_col = row + (state.k - 1) * down, col + (state.k - 1) * right
        if last_row < state.rows and 0 <= last_col < state.cols:
            owners = {state.cell(row + i * down, col + i * right) for i in range(state.k)}
            score += (1 - player not in owners) - (player not in owners)
            lines += 1  # one more than there are: the lead is never the whole
    return score / lines
