"""Variants for notebook 02: a position on paper."""

from __future__ import annotations

import random

from course.kit.mistakes import mistakes
from course.lessons.variants.variant import Part, Variant, shuffled
from gamelib.games import TicTacToe
from gamelib.state import Action

SIDE = 4  # cells in a row, and as many in a row win
EMPTY = 3  # cells


def _position(rng: random.Random) -> TicTacToe | None:
    """Return a position if it has a win, a draw and a loss, and every wrong reading shows."""
    position = TicTacToe(SIDE, SIDE, SIDE)
    for cell in shuffled(position.legal_actions(), rng)[EMPTY:]:
        if position.is_terminal():
            return None
        position = position.successor(cell)
    if position.is_terminal() or set(paper_values(position).values()) != {-1, 0, 1}:
        return None
    return position if VALUES.shows_mistakes(position) else None


def paper_values(position: TicTacToe) -> dict[Action, float]:
    """Return the value of each action for the player to move."""
    player = position.current_player

    def value(state: TicTacToe) -> float:
        if state.is_terminal():
            return state.utility(player)
        values = [value(state.successor(action)) for action in state.legal_actions()]
        return max(values) if state.current_player == player else min(values)

    return {action: value(position.successor(action)) for action in position.legal_actions()}


VALUES = Part("table of values", paper_values, mistakes("variants", "paper_values", paper_values))
paper = Variant("paper", _position, (VALUES,))
