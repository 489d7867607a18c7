"""Variants for notebook 03: a tree on which alpha-beta goes from left to right."""

from __future__ import annotations

import random
from collections.abc import Callable

from course.kit.mistakes import mistakes
from course.lessons.variants.variant import Part, Variant, shuffled
from gamelib.games import GameTree

Branches = tuple[tuple[int, ...], ...]


def _tree(rng: random.Random) -> GameTree | None:
    """Return a tree if one node is left after one leaf, one after two, and another raises alpha.

    Its leaves are 12 different numbers from 1 to 40.  Every wrong way of reading must show.
    """
    found = shuffled(range(1, 41), rng)[:12]
    nodes = tuple(tuple(found[start : start + 3]) for start in range(0, 12, 3))
    lengths = [len(leaves) for leaves in leaves_read(nodes)]
    if sorted(lengths[1:]) != [1, 2, 3] or root_value(nodes) != min(nodes[lengths.index(3, 1)]):
        return None
    state = GameTree([list(leaves) for leaves in nodes])
    return state if all(part.shows_mistakes(state) for part in tree.parts) else None


def branches(state: GameTree) -> Branches:
    """Return the leaves of a tree, by min node."""
    nodes = [state.successor(action) for action in state.legal_actions()]
    return tuple(tuple(int(n.successor(a).utility(0)) for a in n.legal_actions()) for n in nodes)


def root_value(nodes: Branches) -> float:
    """Return the value of the root."""
    return max(map(min, nodes))


def leaves_read(nodes: Branches) -> list[tuple[int, ...]]:
    """Return the leaves that alpha-beta reads in each node."""
    read: list[tuple[int, ...]] = []
    alpha = -1.0
    for leaves in nodes:
        cut = next((n for n, leaf in enumerate(leaves, 1) if leaf <= alpha), len(leaves))
        read.append(leaves[:cut])
        if cut == len(leaves):
            alpha = max(alpha, min(leaves))
    return read


def _in_order(program: Callable[[Branches], Branches], state: GameTree) -> list[int]:
    return [leaf for leaves in program(branches(state)) for leaf in leaves]


tree = Variant(
    "tree",
    _tree,
    (
        Part(
            "value",
            root_value,
            mistakes("variants", "tree_value", root_value),
            ask=lambda program, state: program(branches(state)),
        ),
        Part(
            "list of the leaves that are read",
            leaves_read,
            mistakes("variants", "leaves_read", leaves_read),
            ask=_in_order,
            same=lambda given, right: set(given) == set(right),  # all leaves differ
        ),
    ),
)
