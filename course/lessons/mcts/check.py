"""The exercises of notebook 04: checks, reference solutions, and the mistakes they recognise."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isclose, log, sqrt
from typing import Any

from course.kit.asking import check_cases
from course.kit.blame import shown
from course.kit.feedback import Case, Feedback
from course.kit.guarded import guarded
from course.kit.mistakes import mistakes
from gamelib.state import Action

# Exercise 1: backpropagation with one number that changes sides


@dataclass
class PathNode:
    """A node on the path of a simulation; `total` belongs to the player who moved to it."""

    visits: int = 0
    total: float = 0.0


def backpropagate(path: list[PathNode], payoff: float) -> None:
    """Add a visit and a reward to every node of the path, root first; two players in turn.

    `payoff`, -1 to +1, is that of the player to move at the last node.  The last node stores the
    rewards of the other one, who moved to it.
    """
    reward = (1 - payoff) / 2
    for node in reversed(path):
        node.visits += 1
        node.total += reward
        reward = 1 - reward


BACKUP_MISTAKES = mistakes("mcts", "backpropagate", backpropagate)


@guarded
def check_backpropagate(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `backpropagate(path, payoff)`, which changes the nodes."""
    return check_cases(
        _observed(function),
        _backup_cases(),
        {hint: _observed(mistake) for hint, mistake in BACKUP_MISTAKES.items()},
        kind=tuple,
        success="right on all {cases} paths: wins, draws and losses, one to four nodes long.",
    )


def _observed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that says what `function` did to nodes: (visits, total), root first."""

    def observed(before: Sequence[tuple[int, float]], payoff: float) -> tuple[Any, ...]:
        path = [PathNode(visits, total) for visits, total in before]
        function(path, payoff)
        return tuple((node.visits, node.total) for node in path)

    observed.__name__ = getattr(function, "__name__", "your function")
    return observed


def _backup_cases() -> Iterator[Case]:
    reference = _observed(backpropagate)
    paths = [((0, 0.0),), ((4, 2.5), (2, 1.5)), ((9, 4.0), (5, 3.0), (1, 0.0))]
    paths.append(((9, 5.5), (6, 2.0), (3, 2.0), (0, 0.0)))
    for before in paths:
        for payoff in (1, -1, 0):
            words = (
                f"(visits, total) of each node, root first, after a simulation with payoff "
                f"{payoff} for the player to move at the last node; before it {list(before)}"
            )
            yield Case((before, payoff), reference(before, payoff), words)


# Exercise 2: UCB by hand

UcbTable = Mapping[str, tuple[int, float]]  # action -> visits, total reward

UCB_TABLE: UcbTable = {"x": (5, 3.5), "y": (3, 2.0), "z": (2, 0.5)}
TOLERANCE = 0.0011  # three digits after the point, rounded or cut off
TOO_COARSE = 0.011  # two digits

Score = Callable[[int, float, int], float]  # of the visits and total of an action, and all visits


def ucb_score(visits: int, total: float, all_visits: int) -> float:
    """Return the UCB score of an action: its mean reward and sqrt(2 ln N / n)."""
    return total / visits + sqrt(2) * sqrt(log(all_visits) / visits)


UCB_MISTAKES = mistakes("mcts", "ucb_score", ucb_score)


def ucb_scores(score: Score = ucb_score, table: UcbTable = UCB_TABLE) -> dict[str, float]:
    """Return the score of every action of a table, by `ucb_score` or another rule."""
    all_visits = sum(visits for visits, _ in table.values())
    return {action: score(visits, total, all_visits) for action, (visits, total) in table.items()}


@guarded
def check_ucb(scores: Mapping[str, Any], selected: Any) -> Feedback:
    """Return feedback on the UCB scores of `UCB_TABLE`, to three digits, and on the choice.

    scores    {"x": score, "y": score, "z": score}; `...` stands for a blank
    selected  the action that comes next
    """
    return judge_ucb(UCB_TABLE, scores, selected)


def judge_ucb(table: UcbTable, scores: Mapping[str, Any], selected: Any) -> Feedback:
    """Return feedback on the scores of a table; one action must have the highest, but not mean."""
    if not isinstance(scores, Mapping):
        words = f"give the scores as {{action: score}}, with a number each; got {shown(scores)}."
        return Feedback(False, words)
    blank = [action for action in table if scores.get(action) in (..., None)]
    if blank:
        words = f"no score yet for {', '.join(blank)}."
        return Feedback(False, words, written=len(blank) < len(table))
    odd = [action for action in table if not _is_number(scores[action])]
    if odd:
        return Feedback(False, f"a score is a number; {odd[0]} has {shown(scores[odd[0]])}.")
    right = ucb_scores(table=table)
    wrong = [action for action in table if not _near(scores[action], right[action])]
    if wrong:
        message = f"the score of {wrong[0]} is not {scores[wrong[0]]}. {_ucb_hint(table, scores)}"
        return Feedback(False, message.strip())
    best = max(right, key=right.__getitem__)
    if selected in (..., None):
        return Feedback(False, "the scores are right. Which action is selected?")
    if selected != best:
        words = f"the scores are right, but {shown(selected)} has not the highest one."
        return Feedback(False, words)
    words = f"{best} has neither the best mean nor the fewest visits, but the highest sum."
    return Feedback(True, f"right to three digits after the point. {words}")


def _ucb_hint(table: UcbTable, scores: Mapping[str, Any]) -> str:
    for hint, mistake in UCB_MISTAKES.items():
        wrong = ucb_scores(mistake, table)
        if all(_near(scores[action], value) for action, value in wrong.items()):
            return hint
    right = ucb_scores(table=table)
    if all(_near(scores[action], value, TOO_COARSE) for action, value in right.items()):
        return "Nearly: give three digits after the point."
    return ""


def _near(given: float, value: float, tolerance: float = TOLERANCE) -> bool:
    return isclose(given, value, rel_tol=0, abs_tol=tolerance)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# Exercise 3: most visited against best mean


@guarded
def check_final_choice(table: Mapping[Action, tuple[int, float]]) -> Feedback:
    """Return feedback on {action: (visits, total)} with a best mean that is not the most visited.

    Rewards are 0, one half and 1, so a total is a multiple of one half, at most the visits.
    """
    if not isinstance(table, Mapping) or any(... in _parts(row) for row in table.values()):
        words = "give {action: (visits, total)} with a number in every place."
        return Feedback(False, words, written=False)
    if len(table) < 2:
        return Feedback(False, "a choice needs two actions at least.")
    for action, row in table.items():
        if fault := _row_fault(row):
            return Feedback(False, f"action {action!r}: {fault}")
    visits = {action: row[0] for action, row in table.items()}
    means = {action: row[1] / row[0] for action, row in table.items()}
    for name, numbers in (("most visits", visits), ("best mean", means)):
        if list(numbers.values()).count(max(numbers.values())) > 1:
            return Feedback(False, f"two actions share the {name}; the table should decide.")
    visited = max(visits, key=visits.__getitem__)
    best = max(means, key=means.__getitem__)
    if visited == best:
        return Feedback(False, f"action {best!r} has both the most visits and the best mean.")
    return Feedback(
        True,
        f"{visited!r} has the most visits, {visits[visited]}, but a mean of {means[visited]:.3f}; "
        f"{best!r} has the mean {means[best]:.3f} after only {visits[best]}.",
    )


def _parts(row: Any) -> tuple[Any, ...]:
    return tuple(row) if isinstance(row, tuple | list) else (row,)


def _row_fault(row: Any) -> str:
    """Return what is wrong with (visits, total); an empty string if nothing is."""
    if len(_parts(row)) != 2 or not all(map(_is_number, _parts(row))):
        return f"give two numbers, (visits, total); got {shown(row)}."
    visits, total = row
    if type(visits) is not int or visits < 1:
        return f"visits must be an int, 1 or more; got {shown(visits)}."
    if not 0 <= total <= visits:
        return f"{visits} rewards of 0 to 1 cannot add up to {total}."
    if 2 * total != int(2 * total):
        return f"rewards are 0, one half and 1; they cannot add up to {total}."
    return ""


# Exercise 4: three players


def rewards_along(to_move: Sequence[int], utilities: Sequence[float]) -> list[float]:
    """Return what each node below the root stores of a simulation, for any number of players.

    `to_move` are the players to move at the root, at the next node, ..., at the last.  A node
    stores the reward of the player who moved to it: the one to move one node above.
    """
    return [(utilities[player] + 1) / 2 for player, _ in pairwise(to_move)]


CREDIT_MISTAKES = mistakes("mcts", "rewards_along", rewards_along)


@guarded
def check_rewards_along(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `rewards_along(to_move, utilities)`."""
    return check_cases(
        function,
        _credit_cases(),
        CREDIT_MISTAKES,
        kind=list,
        success="right on all {cases} paths, with two, three and four players.",
    )


def _credit_cases() -> Iterator[Case]:
    rng = random.Random(0)
    paths: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((0, 1, 2), (1, -1, -1)),
        ((0, 1, 2, 0), (-1, 1, -1)),
        ((2, 0, 1, 2), (0, 0, 0)),
        ((0, 0, 2, 1), (-1, -1, 1)),
        ((0, 1, 0, 1), (1, -1)),
    ]
    for players in (3, 4):
        for _ in range(5):
            to_move = tuple(rng.randrange(players) for _ in range(5))
            paths.append((to_move, tuple(rng.choice((-1, 0, 1)) for _ in range(players))))
    for to_move, utilities in paths:
        words = f"the rewards along nodes where {to_move} move, at the end the payoffs {utilities}"
        yield Case((to_move, utilities), rewards_along(to_move, utilities), words)
