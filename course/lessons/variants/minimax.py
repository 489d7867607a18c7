"""Variants for notebook 02: a position on paper."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from course.kit.blame import shown
from course.kit.feedback import Feedback
from course.kit.guarded import guarded
from course.kit.mistakes import mistakes
from course.lessons.variants.students import Student, all_differ, drawn, shuffled
from gamelib.games import TicTacToe
from gamelib.state import Action

Values = dict[Action, float]
SIDE = 4  # cells in a row, and as many in a row win
EMPTY = 3  # cells


def paper(student: Student) -> TicTacToe:
    """Return a position with three empty cells: what is each action worth for the mover?"""
    return drawn("paper", student, _position)


def _position(rng: random.Random) -> TicTacToe | None:
    """Return a position if it has a win, a draw and a loss, and every wrong reading shows."""
    position = TicTacToe(SIDE, SIDE, SIDE)
    for cell in shuffled(position.legal_actions(), rng)[EMPTY:]:
        if position.is_terminal():
            return None
        position = position.successor(cell)
    if position.is_terminal() or set((values := paper_values(position)).values()) != {-1, 0, 1}:
        return None
    readings = (wrong(position) for wrong in PAPER_MISTAKES.values())
    return position if all_differ(values, readings) else None


def paper_values(position: TicTacToe) -> Values:
    """Return the value of each action for the player to move."""
    player = position.current_player

    def value(state: TicTacToe) -> float:
        if state.is_terminal():
            return state.utility(player)
        values = [value(state.successor(action)) for action in state.legal_actions()]
        return max(values) if state.current_player == player else min(values)

    return {action: value(position.successor(action)) for action in position.legal_actions()}


PAPER_MISTAKES = mistakes("variants", "paper_values", paper_values)


@guarded
def check_paper(student: Student, answer: Mapping[Action, Any]) -> Feedback:
    """Return feedback on {action: value} for all actions of `paper(student)`, for the mover."""
    position, right = paper(student), paper_values(paper(student))
    if not isinstance(answer, Mapping) or set(answer) != set(right):
        words = f"give {{action: value}} for the actions {list(right)}; got {shown(answer)}."
        return Feedback(False, words, position)
    if any(value in (..., None) for value in answer.values()):
        blank = all(value in (..., None) for value in answer.values())
        return Feedback(False, "a value is still missing.", position, written=not blank)
    if dict(answer) == right:
        return Feedback(True, "all three values are right.", position)
    for hint, wrong in PAPER_MISTAKES.items():
        if dict(answer) == wrong(position):
            return Feedback(False, hint, position)
    action = next(action for action in right if answer[action] != right[action])
    words = f"after action {action} the value is not {shown(answer[action])}. Here is the position."
    return Feedback(False, f"{words} Who moves, and how does it end?", position.successor(action))
