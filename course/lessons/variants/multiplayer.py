"""Variants for notebook 06: a tree of three players, read by MaxN and by Paranoid."""

from __future__ import annotations

import random

from course.kit.mistakes import mistakes
from course.lessons.variants.variant import Part, Variant, shuffled
from gamelib.games import GameTree
from gamelib.state import GameState

PLAYERS, LEAVES = 3, 8
Vector = tuple[float, ...]


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
    return tree if all(part.shows_mistakes(tree) for part in three.parts) else None


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


three = Variant(
    "three",
    _tree,
    (
        Part(
            "vector of MaxN",
            maxn_vector,
            mistakes("variants", "maxn_vector", maxn_vector),
            same=lambda given, right: tuple(given) == tuple(right),
        ),
        Part("value of Paranoid", sure_value, mistakes("variants", "sure_value", sure_value)),
    ),
)
