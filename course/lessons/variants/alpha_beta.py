"""Variants for notebook 03: a tree on which alpha-beta goes from left to right."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from typing import Any

from course.kit.blame import shown
from course.kit.feedback import Feedback
from course.kit.guarded import guarded
from course.kit.mistakes import mistakes
from course.lessons.variants.students import Student, all_differ, drawn, shuffled
from gamelib.games import GameTree

Branches = tuple[tuple[int, ...], ...]


def tree(student: Student) -> GameTree:
    """Return a tree, max at the root: its value, and the leaves that alpha-beta reads?"""
    return GameTree([list(leaves) for leaves in branches(student)])


def branches(student: Student) -> Branches:
    """Return the leaves of `tree(student)`: 12 different numbers from 1 to 40, by min node."""
    return drawn("tree", student, _branches)


def _branches(rng: random.Random) -> Branches | None:
    """Return branches if one node is left after one leaf, one after two, and another raises alpha.

    Every wrong way of reading must show, and be told from the others.
    """
    found = shuffled(range(1, 41), rng)[:12]
    nodes = tuple(tuple(found[start : start + 3]) for start in range(0, 12, 3))
    lengths = [len(leaves) for leaves in leaves_read(nodes)]
    value = root_value(nodes)
    hard = (
        sorted(lengths[1:]) == [1, 2, 3]
        and value == min(nodes[lengths.index(3, 1)])
        and all_differ(value, (wrong(nodes) for wrong in VALUE_MISTAKES.values()))
        and all_differ(_flat(leaves_read(nodes)), (_flat(f(nodes)) for f in READ_MISTAKES.values()))
    )
    return nodes if hard else None


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


VALUE_MISTAKES = mistakes("variants", "tree_value", root_value)
READ_MISTAKES = mistakes("variants", "leaves_read", leaves_read)


@guarded
def check_tree(student: Student, value: Any, read: Any) -> Feedback:
    """Return feedback on the value of `tree(student)` and on the leaves that alpha-beta reads.

    It goes from left to right.  All leaves differ, so a leaf is named by its number.
    """
    nodes, state = branches(student), tree(student)
    if value in (..., None) or read in (..., None):
        blank = value in (..., None) and read in (..., None)
        return Feedback(False, "give the value and the leaves.", state, written=not blank)
    if value != root_value(nodes):
        hint = next((hint for hint, f in VALUE_MISTAKES.items() if f(nodes) == value), "")
        return Feedback(False, f"the value is not {shown(value)}. {hint}".strip(), state)
    if not isinstance(read, list | tuple | set) or not set(read) <= _flat(nodes):
        return Feedback(False, f"the value is right. Name leaves; got {shown(read)}.", state)
    right = _flat(leaves_read(nodes))
    if set(read) == right:
        return Feedback(True, f"the value is right, and so are the {len(right)} leaves.", state)
    hints = (hint for hint, f in READ_MISTAKES.items() if _flat(f(nodes)) == set(read))
    return Feedback(False, f"the value is right. {_leaf_fault(nodes, set(read), hints)}", state)


def _leaf_fault(nodes: Branches, read: set[int], hints: Iterator[str]) -> str:
    """Return a hint, or the first leaf from the left that is wrong."""
    if hint := next(hints, ""):
        return hint
    leaf = next(
        leaf for leaves in nodes for leaf in leaves if leaf in read ^ _flat(leaves_read(nodes))
    )
    if leaf in read:
        return f"You read {leaf}, which is cut. What is alpha there, and what came before it?"
    return f"You do not read {leaf}. What is alpha there? Is a leaf before it at or below alpha?"


def _flat(nodes: Collection[tuple[int, ...]]) -> set[int]:
    return {leaf for leaves in nodes for leaf in leaves}
