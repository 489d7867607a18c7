"""Variants for notebook 06: a tree of three players, read by MaxN and by Paranoid."""

from __future__ import annotations

import random
from typing import Any

from course.kit.blame import shown
from course.kit.feedback import Feedback
from course.kit.guarded import guarded
from course.kit.mistakes import mistakes
from course.lessons.variants.students import Student, all_differ, drawn, shuffled
from gamelib.games import GameTree
from gamelib.state import GameState

PLAYERS, LEAVES = 3, 8
Vector = tuple[float, ...]


def three(student: Student) -> GameTree:
    """Return a tree of three players: what does MaxN back up, and what is player 0 sure of?"""
    return drawn("three", student, _tree)


def _tree(rng: random.Random) -> GameTree | None:
    """Return a tree if MaxN and Paranoid choose different branches, and every wrong way shows."""
    entries = [shuffled(range(1, 13), rng)[:LEAVES] for _ in range(PLAYERS)]
    a, b, c, d, e, f, g, h = zip(*entries, strict=True)
    tree = GameTree([[[a, b], [c, d]], [[e, f], [g, h]]])
    vector, sure = maxn_vector(tree), sure_value(tree)
    branches = [tree.successor(branch) for branch in tree.legal_actions()]
    if [maxn_vector(node) == vector for node in branches] == [
        sure_value(node) == sure for node in branches
    ]:
        return None
    hard = all_differ(vector, (wrong(tree) for wrong in VECTOR_MISTAKES.values())) and all_differ(
        sure, (wrong(tree) for wrong in SURE_MISTAKES.values())
    )
    return tree if hard else None


def maxn_vector(state: GameState) -> Vector:
    """Return the payoffs that MaxN backs up: everybody takes what is best for themselves."""
    if state.is_terminal():
        return state.utilities()
    mover = state.current_player
    found = [maxn_vector(state.successor(action)) for action in state.legal_actions()]
    return max(found, key=lambda vector: vector[mover])


def sure_value(state: GameState) -> float:
    """Return what player 0 is sure of, if the others play against them: Paranoid's value."""
    if state.is_terminal():
        return state.utility(0)
    choose = max if state.current_player == 0 else min
    return choose(sure_value(state.successor(action)) for action in state.legal_actions())


VECTOR_MISTAKES = mistakes("variants", "maxn_vector", maxn_vector)
SURE_MISTAKES = mistakes("variants", "sure_value", sure_value)


@guarded
def check_three(student: Student, vector: Any, sure: Any) -> Feedback:
    """Return feedback on MaxN's vector of `three(student)`, and on Paranoid's value for player 0.

    vector  the payoffs of players 0, 1 and 2 at the root
    """
    tree = three(student)
    if vector in (..., None) or sure in (..., None):
        blank = vector in (..., None) and sure in (..., None)
        return Feedback(False, "give the vector and the value.", tree, written=not blank)
    if not isinstance(vector, list | tuple) or tuple(vector) != maxn_vector(tree):
        ways = VECTOR_MISTAKES.items()
        hint = next((hint for hint, f in ways if [*f(tree)] == _items(vector)), "")
        return Feedback(False, f"MaxN does not back up {shown(vector)}. {hint}".strip(), tree)
    if sure == sure_value(tree):
        words = "MaxN and Paranoid choose different branches here."
        return Feedback(True, f"the vector and the value are right. {words}", tree)
    hint = next((hint for hint, f in SURE_MISTAKES.items() if f(tree) == sure), "")
    words = f"the vector is right. Paranoid's value is not {shown(sure)}."
    return Feedback(False, f"{words} {hint}".strip(), tree)


def _items(vector: Any) -> list[Any]:
    return list(vector) if isinstance(vector, list | tuple) else []
