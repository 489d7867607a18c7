"""The checks of the exercises of notebook 11; the solutions are in `reference.py`."""

from collections.abc import Iterator
from random import Random

from course.exercises.answer_key import FROM_REFERENCE, AnswerKey, rounded_list, seeded_cases
from course.exercises.feedback import Case
from course.exercises.run_cases import make_check
from course.lessons.knowledge.check import random_parts


def _drawn_numbers(rng: Random, many: int, low: float, high: float) -> list[float]:
    return [round(rng.uniform(low, high), 2) for _ in range(many)]


# Exercise 1: the targets of temporal differences


@seeded_cases
def _target_cases(rng: Random) -> Iterator[Case]:
    for plies in (1, 2, 3, 5, 6, 7, 8, 9):
        for payoff in (-1, 0, 1):  # because in some games the last move loses
            values = _drawn_numbers(rng, plies, -0.9, 0.9)
            words = (
                f"the target of each position of a game, values {values}, payoff {payoff} for the "
                "player to move at its end"
            )
            yield Case((values, payoff), FROM_REFERENCE, words)


check_td_targets = make_check(
    AnswerKey("learning", "td_targets", _target_cases, view=rounded_list), list
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


check_learnt = make_check(AnswerKey("learning", "learnt", _step_cases, view=rounded_list), list)


# Exercise 3: what a game teaches


@seeded_cases
def _sample_cases(rng: Random) -> Iterator[Case]:
    # The shortest games come first, so that the one that shows a mistake can be read.
    orders = [[0], [1], [0, 1], [0, 0, 1], [0, 1, 0, 1, 0], [0, 1, 1, 0, 0], [0, 1, 0, 1, 0, 1]]
    for movers in orders:
        for utilities in ((1, -1), (-1, 1), (0, 0)):
            game = [(player, _visits(rng, 3 + rng.randrange(4))) for player in movers]
            words = (
                f"the samples of a game: (player to move, visits) {game}, payoffs {utilities} of "
                "players 0 and 1"
            )
            yield Case((game, utilities), FROM_REFERENCE, words)


def _visits(rng: Random, cells: int) -> list[int]:
    """Return the visits of some cells, of which one is taken and has none."""
    return [0, *random_parts(rng, rng.choice((10, 25, 40)), cells - 1)]


check_taught = make_check(AnswerKey("learning", "taught", _sample_cases, view=rounded_list), list)
