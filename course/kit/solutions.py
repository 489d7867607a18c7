"""Solutions of exercises that have more than one: no check compares with them."""

from __future__ import annotations

from gamelib.games import TicTacToe


def my_heuristic(state: TicTacToe, player: int) -> float:
    """Return how much more the cells of `player` are worth: each as many as lines through it."""
    score = 0
    for cell, lines in enumerate((3, 2, 3, 2, 4, 2, 3, 2, 3)):
        owner = state.cell(*divmod(cell, 3))
        if owner is not None:
            score += lines if owner == player else -lines
    return score / 25
