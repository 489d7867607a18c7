"""Reference solutions of the exercises of notebook 03."""

from collections.abc import Sequence
from math import inf

from course.lessons.alpha_beta.check import Memory
from gamelib.games import TicTacToe
from gamelib.state import GameState


def my_alphabeta(
    state: GameState, player: int = 0, alpha: float = -inf, beta: float = inf
) -> float:
    """Return the value of `state` for `player`; outside alpha to beta, a bound on it."""
    if state.is_terminal():
        return state.utility(player)
    mine = state.current_player == player
    best = -inf if mine else inf
    for action in state.legal_actions():
        child = my_alphabeta(state.successor(action), player, alpha, beta)
        best = max(best, child) if mine else min(best, child)
        alpha, beta = (max(alpha, best), beta) if mine else (alpha, min(beta, best))
        if beta <= alpha:
            break
    return best


def cut_negamax(state: GameState, alpha: float = -inf, beta: float = inf) -> float:
    """Return the value for the player to move, fail-soft: a bound outside alpha to beta."""
    if state.is_terminal():
        return state.utility(state.current_player)
    best = -inf
    for action in state.legal_actions():
        best = max(best, -cut_negamax(state.successor(action), -beta, -max(alpha, best)))
        if best >= beta:
            break
    return best


# A mistake that no edit of a line can express; mistakes.toml calls this function.
def _cut_of_all(state: GameState, alpha: float = -inf, beta: float = inf) -> float:
    """Return the value of an alpha-beta in which a cut also ends all ancestors."""

    def value(state: GameState, alpha: float, beta: float) -> tuple[float, bool]:
        if state.is_terminal():
            return state.utility(state.current_player), False
        best = -inf
        for action in state.legal_actions():
            found, cut = value(state.successor(action), -beta, -max(alpha, best))
            best = max(best, -found)
            if cut or best >= beta:
                return best, True
        return best, False

    return value(state, alpha, beta)[0]


def at_least(state: GameState, number: int) -> bool:
    """Return whether the value for the player to move is `number` or more; payoffs are ints."""
    return cut_negamax(state, number - 1, number) >= number


ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8))
LINES = (*ROWS, *zip(*ROWS, strict=True), (0, 4, 8), (2, 4, 6))


def good_order(state: TicTacToe, actions: Sequence[int]) -> list[int]:
    """Return winning actions first, then blocks, then the centre, the corners and the edges."""
    mover = state.current_player

    def urgency(action: int) -> tuple[bool, bool, int]:
        wins, blocks = (_completes(state, action, player) for player in (mover, 1 - mover))
        return not wins, not blocks, (4, 0, 2, 6, 8, 1, 3, 5, 7).index(action)

    return sorted(actions, key=urgency)


def _completes(state: TicTacToe, action: int, player: int) -> bool:
    """Return whether a mark of the player on this cell completes three in a row."""
    return any(
        all(cell == action or state.cell(*divmod(cell, 3)) == player for cell in line)
        for line in LINES
        if action in line
    )


def table_negamax(state: GameState, alpha: float, beta: float, table: Memory) -> float:
    """Return the value for the player to move, or a bound; `table` contains (value, kind)."""
    if state in table:
        value, kind = table[state]
        if kind == "exact" or (value >= beta if kind == "lower" else value <= alpha):
            return value
    if state.is_terminal():
        return state.utility(state.current_player)
    best = -inf
    for action in state.legal_actions():
        child = state.successor(action)
        best = max(best, -table_negamax(child, -beta, -max(alpha, best), table))
        if best >= beta:
            break
    table[state] = best, "upper" if best <= alpha else "lower" if best >= beta else "exact"
    return best
