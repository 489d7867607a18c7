"""Reference solutions of the exercises of notebook 10."""

from collections.abc import Sequence
from math import sqrt
from statistics import stdev


def root_scores(
    edges: Sequence[tuple[int, float, float]], noise: Sequence[float], c: float
) -> list[float]:
    """Return the PUCT score of each action of a root, whose priors contain a quarter of noise.

    edges   visits, total reward and prior of each action; without a visit the mean is one half
    noise   random number of each action; the sum is 1 (Silver and others 2017, section 1)
    """
    all_visits = sum(visits for visits, _, _ in edges)
    scores = []
    for (visits, total, prior), drawn in zip(edges, noise, strict=True):
        mean = total / visits if visits else 0.5
        mixed = 0.75 * prior + 0.25 * drawn
        scores.append(mean + c * mixed * sqrt(1 + all_visits) / (1 + visits))
    return scores


def visit_counts(
    rewards: Sequence[float], priors: Sequence[float], simulations: int, c: float
) -> list[int]:
    """Return the visits of each action after a number of simulations with PUCT.

    Nothing is random: an action always yields its reward. Of equal scores the first one is taken.
    """
    visits = [0] * len(rewards)
    for done in range(simulations):
        scores = []
        for reward, prior, n in zip(rewards, priors, visits, strict=True):
            mean = reward if n else 0.5
            scores.append(mean + c * prior * sqrt(1 + done) / (1 + n))
        visits[scores.index(max(scores))] += 1
    return visits


def paired_interval(one: Sequence[float], two: Sequence[float]) -> list[float]:
    """Return both ends of the 95 % interval of the mean of paired differences.

    The standard error of a mean is the standard deviation divided by the root of the number.
    """
    differences = [first - second for first, second in zip(one, two, strict=True)]
    middle = sum(differences) / len(differences)
    width = 1.96 * stdev(differences) / sqrt(len(differences))
    return [middle - width, middle + width]
