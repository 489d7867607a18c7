"""Measure how often MCTS chooses an optimal column, by position and by budget."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from arena.results.statistics import mean_interval
from course.lessons.capstone.exact_positions import exact_positions
from gamelib.search import mcts

BUDGETS = (20, 22, 50)  # simulations
Curve = Mapping[Any, Sequence[float]]  # {simulations: shares of optimal runs, by position}


def optimal_shares(simulations: int, *, runs: int = 3, **options: Any) -> list[float]:
    """Return the share of optimal runs on each of the sixty positions, from 0 to 1.

    If several columns have the most visits, one of them counts as drawn at random.
    """
    shares = []
    for number, four in enumerate(exact_positions()):
        optimal = 0.0
        for run in range(runs):
            seed = 100 * run + number
            visits = mcts(four.state, simulations=simulations, rng=seed, **options).visits or {}
            most = [column for column, n in visits.items() if n == max(visits.values())]
            optimal += sum(column in four.optimal for column in most) / len(most)
        shares.append(optimal / runs)
    return shares


def curve(**options: Any) -> dict[int, list[float]]:
    """Return {simulations: shares by position} for each of the budgets."""
    return {simulations: optimal_shares(simulations, **options) for simulations in BUDGETS}


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
