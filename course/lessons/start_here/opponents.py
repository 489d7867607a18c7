"""Two opponents with hidden names: one plays perfectly, the other at random."""

import random
from dataclasses import dataclass

from gamelib.agents import Agent
from gamelib.search import minimax, random_choice
from gamelib.state import Action, GameState


@dataclass(frozen=True)
class MysteryOpponent:
    """An agent that reveals only its name, because a board would show the strength of a search."""

    name: str
    plays: Agent

    def __call__(self, state: GameState) -> Action:
        """Return an action."""
        return self.plays(state)


def mystery_opponents(seed: int) -> dict[str, MysteryOpponent]:
    """Return opponents "A" and "B", in an order that depends on the seed."""
    rng, perfect = random.Random(seed), perfect_opponent(seed)

    def careless(state: GameState) -> Action:
        return random_choice(state, rng=rng).action

    def exact(state: GameState) -> Action:
        return minimax(state).action

    return {
        name: MysteryOpponent(f"opponent {name}", exact if name == perfect else careless)
        for name in "AB"
    }


def perfect_opponent(seed: int) -> str:
    """Return the name of the opponent that never makes a mistake: "A" or "B"."""
    return random.Random(seed).choice("AB")
