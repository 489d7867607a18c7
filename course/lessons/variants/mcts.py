"""Variants for notebook 04: UCB scores, and one simulation by hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from course.draw.words import path_in_words
from course.kit.mistakes import mistakes
from course.kit.visits import Path
from course.lessons.mcts.check import (
    BACKUP,
    TOLERANCE,
    UCB_MISTAKES,
    UCB_TABLE,
    PathNode,
    UcbTable,
    ucb1,
    ucb_scores,
)
from course.lessons.mcts.reference import backpropagate
from course.lessons.variants.variant import Part, Variant, below, shuffled

LEAD = 0.05  # of the highest UCB score: nobody is to fail by rounding

# UCB


def _table(rng: random.Random) -> UcbTable | None:
    visits = shuffled(range(2, 12), rng)[:3]
    table = {name: (n, (1 + below(2 * n - 1, rng)) / 2) for name, n in zip("xyz", visits)}  # noqa: B905
    return table if 10 <= sum(visits) <= 20 and _decides(table) else None


def _decides(table: UcbTable) -> bool:
    """Return whether the scores decide, and neither means nor visits alone do."""
    second, first = sorted(ucb_scores(table=table).values())[-2:]
    best = selected_action(table)
    means = {action: total / visits for action, (visits, total) in table.items()}
    return (
        first - second >= LEAD
        and means[best] < max(means.values())
        and table[best][0] > min(visits for visits, _ in table.values())
        and SCORES.shows_mistakes(table)
        and sorted(table.values()) != sorted(UCB_TABLE.values())  # solved in the notebook
    )


def selected_action(table: UcbTable) -> str:
    """Return the action with the highest UCB score."""
    scores = ucb_scores(table=table)
    return max(scores, key=lambda action: scores[action])


def _near(given: Mapping[str, Any], right: Mapping[str, float]) -> bool:
    return given.keys() == right.keys() and all(
        abs(given[action] - right[action]) <= TOLERANCE for action in right
    )


SCORES = Part("table of the scores", ucb1, UCB_MISTAKES, ask=ucb_scores, same=_near)
ucb = Variant("ucb", _table, (SCORES, Part("action to select", selected_action)))

# One simulation

Counts = tuple[int, float]  # visits, total reward
Statistics = Mapping[Path, Counts]

ROOT_CHILDREN, GRANDCHILDREN = 3, 2
WINNERS = {1: "X wins", -1: "O wins"}


@dataclass(frozen=True)
class Simulation:
    """A tree of X, who moves at the root, and O; and how the next rollout ends.

    nodes   the path of each node -> its visits, and the total reward of who moved to it
    payoff  of X: 1 or -1; in a draw, whose rewards they are would not show
    """

    nodes: Statistics
    payoff: int

    def __repr__(self) -> str:
        lines = [
            f"{path_in_words(path)}: {visits} visits, total {total:g}"
            for path, (visits, total) in self.nodes.items()
        ]
        return "\n".join([*lines, f"the rollout ends: {WINNERS[self.payoff]}"])


def _simulation(rng: random.Random) -> Simulation | None:
    """Return a tree if the scores lead clearly on both plies, and each wrong way shows."""
    drawn = Simulation(_statistics(rng), 2 * below(2, rng) - 1)
    path = selected(drawn.nodes)
    clear = all(_lead(drawn.nodes, path[:ply]) >= LEAD for ply in range(len(path)))
    small = 14 <= drawn.nodes[()][0] <= 20
    return drawn if small and clear and WAY.shows_mistakes(drawn) else None


def _statistics(rng: random.Random) -> dict[Path, Counts]:
    """Return a tree whose counts fit together, as if a search had made it."""
    nodes: dict[Path, Counts] = {(): (0, 0)}
    for branch in range(ROOT_CHILDREN):
        children: dict[Path, Counts] = {}
        for twig in range(GRANDCHILDREN):
            visits = 1 + below(4, rng)
            children[branch, twig] = (visits, below(2 * visits + 1, rng) / 2)
        nodes[(branch,)] = _above(children, 1, below(3, rng) / 2)
        nodes |= children
    branches: Statistics = {path: counts for path, counts in nodes.items() if len(path) == 1}
    return nodes | {(): _above(branches, 0, 0)}


def _above(children: Statistics, visits: int, total: float) -> Counts:
    """Return the counts of a node: those of its own first rollout, and of its children's."""
    for n, rewards in children.values():
        visits, total = visits + n, total + n - rewards
    return visits, total


def _lead(nodes: Statistics, parent: Path) -> float:
    """Return by how much the best child of a node leads."""
    below_it = [path for path in nodes if path and path[:-1] == parent]
    scores = [ucb_score(*nodes[path], nodes[parent][0]) for path in below_it]
    second, first = sorted(scores)[-2:]
    return first - second


def ucb_score(visits: int, total: float, all_visits: int) -> float:
    """Return the UCB1 score of a child for c = sqrt 2."""
    return ucb1(total, visits, all_visits, sqrt(2))


def selected(nodes: Statistics) -> Path:
    """Return the path of the node that selection comes to, before a new one is added below it."""
    path: Path = ()
    while children := [child for child in nodes if child and child[:-1] == path]:
        scores = {child: ucb_score(*nodes[child], nodes[path][0]) for child in children}
        path = max(scores, key=lambda child: scores[child])
    return path


def counts_after(backup: Callable[..., None], drawn: Simulation) -> list[Counts]:
    """Return (visits, total) on the way of the simulation, from the root to the new node."""
    path = selected(drawn.nodes)
    way = [PathNode(*drawn.nodes[path[:ply]]) for ply in range(len(path) + 1)]
    way.append(PathNode())
    mover_is_x = len(way) % 2 == 1  # at the last node
    backup(way, drawn.payoff if mover_is_x else -drawn.payoff)
    return [(node.visits, node.total) for node in way]


WAY = Part(
    "path of selection",
    selected,
    mistakes("variants", "selected", selected),
    ask=lambda program, drawn: program(drawn.nodes),
    same=lambda given, right: tuple(given) == tuple(right),
)
HELD = Part(
    "list of the counts",
    backpropagate,
    BACKUP.mistakes(),
    ask=counts_after,
    same=lambda given, right: [tuple(pair) for pair in given] == right,
)
simulation = Variant("simulation", _simulation, (WAY, HELD))
