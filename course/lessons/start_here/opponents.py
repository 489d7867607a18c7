"""Two opponents whose names are hidden: one plays perfectly, the other at random."""

from __future__ import annotations

import random

from gamelib.agents import SearchAgent
from gamelib.search import minimax, random_choice


def mystery_opponents(seed: int) -> dict[str, SearchAgent]:
    """Return opponents "A" and "B", in an order that depends on the seed."""
    perfect, names = perfect_opponent(seed), {name: f"opponent {name}" for name in "AB"}
    agents = {name: SearchAgent(random_choice, names[name], rng=seed) for name in names}
    return agents | {perfect: SearchAgent(minimax, names[perfect])}


def perfect_opponent(seed: int) -> str:
    """Return which of the two never makes a mistake: "A" or "B"."""
    return random.Random(seed).choice("AB")
