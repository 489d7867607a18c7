"""Two opponents whose names are hidden: one plays perfectly, the other at random."""

from __future__ import annotations

import random

from gamelib.agents import SearchAgent
from gamelib.search import minimax, random_choice


def mystery_opponents(seed: int) -> dict[str, SearchAgent]:
    """Return opponents "A" and "B", in an order that depends on the seed."""
    perfect = perfect_opponent(seed)
    other = "B" if perfect == "A" else "A"
    agents = {
        perfect: SearchAgent(minimax, f"opponent {perfect}"),
        other: SearchAgent(random_choice, f"opponent {other}", rng=seed),
    }
    return dict(sorted(agents.items()))


def perfect_opponent(seed: int) -> str:
    """Return which of the two never makes a mistake: "A" or "B"."""
    return random.Random(seed).choice("AB")
