"""Variants for notebook 04: UCB scores, and one simulation by hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

from course.draw.words import path_in_words
from course.kit.blame import shown
from course.kit.feedback import Feedback
from course.kit.guarded import guarded
from course.kit.mistakes import mistakes
from course.kit.visits import Path
from course.lessons.mcts.check import (
    BACKUP,
    UCB_MISTAKES,
    UCB_TABLE,
    PathNode,
    UcbTable,
    judge_ucb,
    ucb_score,
    ucb_scores,
)
from course.lessons.mcts.reference import backpropagate
from course.lessons.variants.students import Student, all_differ, below, chance, drawn

LEAD = 0.05  # of the highest UCB score: nobody is to fail by rounding

# UCB


def ucb(student: Student) -> UcbTable:
    """Return {action: (visits, total reward)}: what are the UCB scores, and which is selected?"""
    tables = _ucb_tables()
    visits, totals = tables[below(len(tables), chance("ucb", student))]
    return dict(zip("xyz", zip(visits, totals, strict=True), strict=True))


@cache
def _ucb_tables() -> tuple[tuple[tuple[int, ...], tuple[float, ...]], ...]:
    drawn = (
        (few, totals)
        for few in combinations(range(2, 12), 3)
        if 10 <= sum(few) <= 20
        for totals in product(*([half / 2 for half in range(1, 2 * n)] for n in few))
    )
    return tuple(
        (tuple(few[place] for place in places), tuple(totals[place] for place in places))
        for few, totals in drawn
        if _decides(dict(zip("xyz", zip(few, totals, strict=True), strict=True)))
        for places in permutations(range(3))
    )


def _decides(table: UcbTable) -> bool:
    """Return whether the scores decide, and neither means nor visits alone do."""
    scores = ucb_scores(table=table)
    second, first = sorted(scores.values())[-2:]
    best = max(scores, key=scores.__getitem__)
    means = {action: total / visits for action, (visits, total) in table.items()}
    return (
        first - second >= LEAD
        and means[best] < max(means.values())
        and table[best][0] > min(visits for visits, _ in table.values())
        and all(_differs(table, mistake) for mistake in UCB_MISTAKES.values())
        and sorted(table.values()) != sorted(UCB_TABLE.values())  # solved in the notebook
    )


def _differs(table: UcbTable, mistake: Callable[[int, float, int], float]) -> bool:
    """Return whether a wrong formula gives a wrong score to every action."""
    right, wrong = ucb_scores(table=table), ucb_scores(mistake, table)
    return all(abs(right[action] - wrong[action]) > 0.01 for action in table)


@guarded
def check_ucb(student: Student, scores: Mapping[str, Any], selected: Any) -> Feedback:
    """Return feedback on the UCB scores of `ucb(student)`, to three digits, and on the choice."""
    return judge_ucb(ucb(student), scores, selected)


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


def simulation(student: Student) -> Simulation:
    """Return a tree and how a rollout ends: which node is selected, and what do the nodes hold?

    At each node UCB1 selects with c = sqrt 2.  Below the node where the walk ends a new one is
    added, and the rollout begins there.
    """
    return drawn("simulation", student, _simulation)


def _simulation(rng: random.Random) -> Simulation | None:
    nodes = _statistics(rng)
    return Simulation(nodes, 2 * below(2, rng) - 1) if _is_as_hard(nodes) else None


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


def _is_as_hard(nodes: Statistics) -> bool:
    """Return whether the scores lead clearly, and each wrong way leads elsewhere."""
    if not 14 <= nodes[()][0] <= 20:
        return False
    right = selected(nodes)
    if any(_lead(nodes, right[:ply]) < LEAD for ply in range(len(right))):
        return False
    return all_differ(right, (walk(nodes) for walk in SELECTION_MISTAKES.values()))


def _lead(nodes: Statistics, parent: Path) -> float:
    """Return by how much the best child of a node leads."""
    below_it = [path for path in nodes if path and path[:-1] == parent]
    scores = [ucb_score(*nodes[path], nodes[parent][0]) for path in below_it]
    second, first = sorted(scores)[-2:]
    return first - second


def selected(nodes: Statistics) -> Path:
    """Return the path of the node that selection comes to, before a new one is added below it."""
    path: Path = ()
    while children := [child for child in nodes if child and child[:-1] == path]:
        scores = {child: ucb_score(*nodes[child], nodes[path][0]) for child in children}
        path = max(scores, key=lambda child: scores[child])
    return path


SELECTION_MISTAKES = mistakes("variants", "selected", selected)
BACKUP_MISTAKES = BACKUP.mistakes()


def counts_after(drawn: Simulation, backup: Callable[..., None] = backpropagate) -> list[Counts]:
    """Return (visits, total) on the way of the simulation, from the root to the new node."""
    path = selected(drawn.nodes)
    way = [PathNode(*drawn.nodes[path[:ply]]) for ply in range(len(path) + 1)]
    way.append(PathNode())
    mover_is_x = len(way) % 2 == 1  # at the last node
    backup(way, drawn.payoff if mover_is_x else -drawn.payoff)
    return [(node.visits, node.total) for node in way]


@guarded
def check_simulation(student: Student, path: Any, counts: Any) -> Feedback:
    """Return feedback on the walk of `simulation(student)`, like (1, 0), and on what is stored.

    counts  (visits, total) after the simulation, of the root, its child, ..., and the new node
    """
    drawn = simulation(student)
    right, after = selected(drawn.nodes), counts_after(drawn)
    if path in (..., None) or counts in (..., None):
        blank = path in (..., None) and counts in (..., None)
        return Feedback(False, "give the path and the counts.", written=not blank)
    if path not in (right, list(right)):
        ways = SELECTION_MISTAKES.items()
        hint = next((hint for hint, walk in ways if path in (walk(drawn.nodes),)), "")
        return Feedback(False, f"selection does not come to {shown(path)}. {hint}".strip())
    given = [tuple(pair) for pair in counts if isinstance(pair, list | tuple)]
    if len(given) != len(after) or given == []:
        words = f"the path is right. Give (visits, total) for {len(after)} nodes, the root first"
        return Feedback(False, f"{words}; got {shown(counts)}.")
    if given == after:
        return Feedback(True, f"the path is right, and so are the counts of {len(after)} nodes.")
    for hint, mistake in BACKUP_MISTAKES.items():
        if given == counts_after(drawn, mistake):
            return Feedback(False, f"the path is right. {hint}")
    place = next(place for place, pair in enumerate(after) if given[place] != pair)
    where = "the new node" if place == len(right) + 1 else path_in_words(right[:place])
    words = f"{where} does not hold {shown(given[place])} after it. Who moved there, and who won?"
    return Feedback(False, f"the path is right. {words}")
