"""Measure how often MCTS chooses an optimal column, by position and by budget."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from random import Random
from statistics import fmean
from typing import Any

from arena.results.statistics import mean_interval
from course.lessons.capstone.exact_positions import exact_positions
from gamelib.search import SearchTree, mcts

BUDGETS = (20, 22, 50)  # simulations
RUNS = 3  # of each position
Curve = Mapping[Any, Sequence[float]]  # {simulations: shares of optimal runs, by position}


def curve(budgets: Sequence[int] = BUDGETS, **options: Any) -> dict[int, list[float]]:
    """Return {simulations: the share of optimal runs on each of the sixty positions, from 0 to 1}.

    If several columns have the most visits, one of them counts as drawn at random.
    """
    shares: dict[int, list[float]] = {budget: [] for budget in budgets}
    for number, four in enumerate(exact_positions()):
        optimal = dict.fromkeys(budgets, 0.0)
        for run in range(RUNS):
            tree, rng = SearchTree(), Random(100 * run + number)
            for done, budget in pairwise((0, *budgets)):  # the search goes on where it was
                more = mcts(four.state, simulations=budget - done, tree=tree, rng=rng, **options)
                optimal[budget] += _chance_of_optimal(more.visits or {}, four.optimal)
        for budget in budgets:
            shares[budget].append(optimal[budget] / RUNS)
    return shares


def _chance_of_optimal(visits: Mapping[Any, int], optimal: Collection[Any]) -> float:
    most = [column for column, n in visits.items() if n == max(visits.values())]
    return sum(column in optimal for column in most) / len(most)


def means(curves: Mapping[str, Curve]) -> dict[str, dict[int, float]]:
    """Return the mean curves for a chart, with the score of random moves."""
    mean_curves = {
        name: {simulations: fmean(shares) for simulations, shares in curve.items()}
        for name, curve in curves.items()
    }
    score = fmean(len(four.optimal) / len(four.state.legal_actions()) for four in exact_positions())
    return mean_curves | {"random moves": dict.fromkeys(BUDGETS, score)}


def ahead(one: Curve, two: Curve) -> str:
    """Return the mean lead of `one` at each budget, in percent, with its 95 % paired interval.

    The text fits one line of a projector.
    """
    texts = []
    for simulations in one:
        gaps = [100 * (a - b) for a, b in zip(one[simulations], two[simulations], strict=True)]
        low, high = mean_interval(gaps)
        texts.append(f"{simulations}: {fmean(gaps):+.1f}% [{low:+.1f}, {high:+.1f}]")
    return "  ".join(texts)
