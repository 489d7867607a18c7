"""Variants for notebook 05: heaps with one winning action."""

from __future__ import annotations

import random
from typing import Any

from course.kit.feedback import Feedback
from course.kit.guarded import guarded
from course.lessons.solver.check import NIM, nim_fault
from course.lessons.variants.students import Student, drawn, shuffled
from gamelib.games import Nim, nim_winning_actions

HEAPS, LARGEST = 4, 20
NIM_MISTAKES = NIM.mistakes()


def heaps(student: Student) -> Nim:
    """Return four heaps with one winning action: which is it?"""
    return drawn("heaps", student, _heaps)


def _heaps(rng: random.Random) -> Nim | None:
    """Return heaps if there is one winning action, and no mistake leads to it."""
    sizes = tuple(shuffled(range(1, LARGEST + 1), rng)[:HEAPS])
    best = nim_winning_actions(Nim(sizes))
    if len(best) != 1 or sizes[best[0][0]] == max(sizes) or best[0][1] < 2:
        return None
    found = any(mistake(sizes) == best[0] for mistake in NIM_MISTAKES.values())
    return None if found else Nim(sizes)


@guarded
def check_heaps(student: Student, action: Any) -> Feedback:
    """Return feedback on the winning action (heap, take) of `heaps(student)`."""
    state = heaps(student)
    if action in (..., None):
        return Feedback(False, "give an action, (heap, take).", state, written=False)
    if action in nim_winning_actions(state):
        return Feedback(True, "that leaves a nim-sum of 0.", state)
    hint = next((hint for hint, f in NIM_MISTAKES.items() if f(state.heaps) == action), "")
    return Feedback(False, f"{nim_fault(state, action)} {hint}".strip(), state)
