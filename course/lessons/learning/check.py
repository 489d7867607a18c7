"""The exercises of notebook 10: their checks; the solutions are in `reference.py`."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import wraps
from random import Random
from typing import Any

from course.exercises.answer_key import FROM_REFERENCE, AnswerKey, rounded_answer, seeded_cases
from course.exercises.feedback import Case
from course.exercises.run_cases import make_check


def _listed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, asked on copies, with its answers rounded.

    A tuple is as good as a list: when a hand-in is marked, an array arrives as one.
    """

    @wraps(function)
    def listed(*arguments: Any) -> Any:
        answer = rounded_answer(function)(*deepcopy(arguments))
        return list(answer) if isinstance(answer, tuple) else answer

    return listed


def _drawn_numbers(rng: Random, many: int, low: float, high: float) -> list[float]:
    return [round(rng.uniform(low, high), 2) for _ in range(many)]


def _parts(rng: Random, whole: int, many: int) -> list[int]:
    """Return so many numbers, 0 or more, whose sum is the whole."""
    ends = sorted(rng.choices(range(whole + 1), k=many - 1))
    return [b - a for a, b in zip([0, *ends], [*ends, whole], strict=True)]


def _shares(rng: Random, many: int) -> list[float]:
    """Return probabilities with two digits, whose sum is 1."""
    return [part / 100 for part in _parts(rng, 100, many)]


# Exercise 1: the targets of temporal differences


@seeded_cases
def _target_cases(rng: Random) -> Iterator[Case]:
    for plies in (1, 2, 3, 5, 6, 7, 8, 9):
        for payoff in (-1, 0, 1):  # in some games the last move loses
            values = _drawn_numbers(rng, plies, -0.9, 0.9)
            words = (
                f"the target of each position of a game, values {values}, payoff {payoff} for the "
                "player to move at its end"
            )
            yield Case((values, payoff), FROM_REFERENCE, words)


check_td_targets = make_check(
    AnswerKey("learning", "td_targets", _target_cases, view=_listed), list
)


# Exercise 2: one step of learning


@seeded_cases
def _step_cases(rng: Random) -> Iterator[Case]:
    for many in (1, 2, 4, 4, 4, 4, 6, 8):
        weights, target = _drawn_numbers(rng, many, -1, 1), rng.choice((-1, 0.4, 1))
        counts, rate = [rng.randrange(4) for _ in range(many - 1)] + [2], rng.choice((0.1, 0.05))
        words = f"weights {weights}, counts {counts}, target {target}, rate {rate}"
        yield Case(
            (weights, counts, target, rate), FROM_REFERENCE, f"the weights after a step: {words}"
        )


check_learnt = make_check(AnswerKey("learning", "learnt", _step_cases, view=_listed), list)


# Exercise 3: PUCT at a root with noise


@seeded_cases
def _root_cases(rng: Random) -> Iterator[Case]:
    for many in (1, 2, 3, 4, 5, 6, 7, 8, 9):
        priors, noise = _shares(rng, many), _shares(rng, many)
        visits = [rng.randrange(5, 30) for _ in range(many - 1)] + [0]
        rng.shuffle(visits)
        totals = [round(n * rng.random(), 1) for n in visits]
        totals[visits.index(max(visits))] = 0.0  # what has always lost is no action without a visit
        edges, c = list(zip(visits, totals, priors, strict=True)), rng.choice((0.75, 1.25, 2.0))
        words = f"visits, total and prior of each action {edges}, noise {noise}, c = {c}"
        yield Case((edges, noise, c), FROM_REFERENCE, f"the scores: {words}")


check_root_scores = make_check(
    AnswerKey("learning", "root_scores", _root_cases, view=_listed), list
)


# Exercise 4: what a game teaches


@seeded_cases
def _sample_cases(rng: Random) -> Iterator[Case]:
    orders = [[0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1], [0, 1, 0, 1], [0, 1, 1, 0, 0], [1, 0, 1]]
    for movers in orders:
        for utilities in ((1, -1), (-1, 1), (0, 0)):
            game = [(player, _visits(rng, 3 + rng.randrange(4))) for player in movers]
            words = (
                f"the samples of a game: (player to move, visits) {game}, payoffs {utilities} of "
                "players 0 and 1"
            )
            yield Case((game, utilities), FROM_REFERENCE, words)


def _visits(rng: Random, cells: int) -> list[int]:
    """Return visits of some cells; one is taken, and has none."""
    return [0, *_parts(rng, rng.choice((10, 25, 40)), cells - 1)]


check_taught = make_check(AnswerKey("learning", "taught", _sample_cases, view=_listed), list)
