"""The checks of the exercises of notebook 10; the solutions are in `reference.py`."""

from collections.abc import Iterator
from random import Random

from course.exercises.answer_key import FROM_REFERENCE, AnswerKey, rounded_list, seeded_cases
from course.exercises.feedback import Case
from course.exercises.run_cases import make_check


def random_parts(rng: Random, total: int, count: int) -> list[int]:
    """Return `count` random ints, each 0 or more, whose sum is `total`."""
    ends = sorted(rng.choices(range(total + 1), k=count - 1))
    return [b - a for a, b in zip([0, *ends], [*ends, total], strict=True)]


def _shares(rng: Random, many: int) -> list[float]:
    """Return probabilities with two digits, whose sum is 1."""
    return [part / 100 for part in random_parts(rng, 100, many)]


# Exercise 1: PUCT at a root with noise


@seeded_cases
def _root_cases(rng: Random) -> Iterator[Case]:
    for many in (1, 2, 3, 4, 5, 6, 7, 8, 9):
        priors, noise = _shares(rng, many), _shares(rng, many)
        visits = [rng.randrange(5, 30) for _ in range(many - 1)] + [0]
        rng.shuffle(visits)
        totals = [round(n * rng.random(), 1) for n in visits]
        # an action that has always lost differs from one without a visit
        totals[visits.index(max(visits))] = 0.0
        edges, c = list(zip(visits, totals, priors, strict=True)), rng.choice((0.75, 1.25, 2.0))
        words = f"visits, total and prior of each action {edges}, noise {noise}, c = {c}"
        yield Case((edges, noise, c), FROM_REFERENCE, f"the scores: {words}")


check_root_scores = make_check(
    AnswerKey("knowledge", "root_scores", _root_cases, view=rounded_list), list
)


# Exercise 2: the visits under PUCT


@seeded_cases
def _visit_cases(rng: Random) -> Iterator[Case]:
    sizes = ((1, 3), (2, 1), (2, 2), (2, 9), (3, 5), (3, 30), (5, 20), (7, 50))
    for place, (actions, simulations) in enumerate(sizes):
        rewards = [round(rng.uniform(0.3, 0.9), 3) for _ in range(actions)]
        # With equal priors, actions without a visit have equal scores.
        priors = [1 / actions] * actions if place % 2 else _shares(rng, actions)
        c = rng.choice((0.2, 0.75, 2.0))
        words = f"rewards {rewards}, priors {priors}, simulations = {simulations}, c = {c}"
        yield Case((rewards, priors, simulations, c), FROM_REFERENCE, f"the visits: {words}")


check_visit_counts = make_check(
    AnswerKey("knowledge", "visit_counts", _visit_cases, view=rounded_list), list
)


# Exercise 3: a paired interval


@seeded_cases
def _pair_cases(rng: Random) -> Iterator[Case]:
    for count in (3, 4, 5, 6, 8, 12):
        for together in (True, False):  # easy positions are easy for both, or not
            one = [round(rng.random(), 2) for _ in range(count)]
            two = [round(rng.random() * 0.3 + together * 0.6 * x, 2) for x in one]
            yield Case((one, two), FROM_REFERENCE, f"the interval of {one} minus {two}")


check_paired_interval = make_check(
    AnswerKey("knowledge", "paired_interval", _pair_cases, view=rounded_list), list
)
