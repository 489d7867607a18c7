"""Stored results of long runs: their curves, and the net from one of them.

`python -m tools.benchmarks training_curves` writes the files again, with the same bytes on every
machine.
"""

from collections.abc import Sequence
from statistics import mean

import numpy as np

from course.exercises.lesson_data import load_tables
from course.lessons.learning.net import WEIGHT_RESOLUTION, Net

# the mean share, and the lowest and highest of five seeds
ShareWithInterval = tuple[float, float, float]
SEEDS, ROUNDS = range(5), 12


def trained() -> Net:
    """Return the net of `Training(seed=0)` after 12 rounds."""
    return Net(
        [
            np.array(weight) / WEIGHT_RESOLUTION
            for weight in load_tables("learning", "trained")["weights"]
        ]
    )


def runs(training: str, measure: str) -> dict[int, list[int]]:
    """Return {games: number of positions in which the net of each seed was right}.

    training   the name of a class of `training.py` or `lab_programs.py`
    measure    "by priors", "by values" or "searched"
    """
    rows = load_tables("learning", "curves")[training]
    return {row["games"]: row[measure] for row in rows if measure in row}


def curve(training: str, measure: str) -> dict[int, ShareWithInterval]:
    """Return {games: (mean share, lowest, highest)} of five seeds, for `charts.learning`."""
    return {games: ranged(counts) for games, counts in runs(training, measure).items()}


def plain(simulations: int) -> ShareWithInterval:
    """Return (mean share, lowest, highest) of plain MCTS with 25, 50 or 100 simulations."""
    return ranged(load_tables("learning", "curves")["plain"][f"{simulations}"])


def ranged(counts: Sequence[float], of: int = 3191) -> ShareWithInterval:
    """Return mean, lowest and highest of some counts, as shares."""
    return mean(counts) / of, min(counts) / of, max(counts) / of
