"""Variants for notebook 05: heaps with one winning action."""

from __future__ import annotations

import random

from course.lessons.solver.check import NIM
from course.lessons.variants.variant import Part, Variant, shuffled
from gamelib.games import Nim, nim_winning_actions

HEAPS, LARGEST = 4, 20


def _heaps(rng: random.Random) -> Nim | None:
    """Return heaps if there is one winning action, and no mistake leads to it."""
    sizes = tuple(shuffled(range(1, LARGEST + 1), rng)[:HEAPS])
    best = nim_winning_actions(Nim(sizes))
    if len(best) != 1 or sizes[best[0][0]] == max(sizes) or best[0][1] < 2:
        return None
    found = any(mistake(sizes) == best[0] for mistake in ACTION.mistakes.values())
    return None if found else Nim(sizes)


ACTION = Part(
    "winning action",
    lambda sizes: nim_winning_actions(Nim(sizes))[0],
    NIM.mistakes(),
    ask=lambda program, state: program(state.heaps),
)
heaps = Variant("heaps", _heaps, (ACTION,))
