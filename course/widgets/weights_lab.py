"""The lab of notebook 11: choose the weights of an evaluation by hand, and measure its choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from course.draw import charts
from course.lessons.learning.accuracy import accuracy, line_counts, mean_squared_error
from course.widgets.controls import slider
from course.widgets.lab import Lab
from course.widgets.quiz import Predict
from course.widgets.repeated_mcts import Rows
from gamelib.games import TicTacToe
from gamelib.search.callbacks import Progress, Stop

# The weights at the start are those of section 1, which the lab asks to improve.
CONTROLS = {"own 1": 0.1, "own 2": 0.2, "opponent's 1": -0.1, "opponent's 2": -0.2}
NOTE = (
    "A weight for each count: lines with one or two marks of the player to move and none of the "
    "opponent, and the same for the opponent. Error: the mean squared distance from the exact "
    "value; here the sum of weight times count is cut off at -1 and +1."
)


def weights_lab() -> Lab:
    """Return the lab of four weights: the proportion of optimal choices, and the error."""
    ask = Predict("Of 100 positions where the choice matters, how many does your best set get?")
    return Lab(
        "Four weights",
        _measured,
        {name: slider(name, -3, 3, value, 0.05) for name, value in CONTROLS.items()},
        ask=(ask, lambda rows: round(100 * rows[-1]["optimal choices"], 1)),
        chart=lambda rows, former: charts.win_rates(
            {row["weights"]: row["optimal choices"] for row in [*former[-1:], *rows]},
            title="Share of optimal choices",
            even=None,
        ),
        note=NOTE,
    )


def _measured(*, progress: Progress, stop: Stop, **weights: float) -> Rows:
    """Return the rows for weights of 0 and for these weights, over all decisive positions."""
    return [_row([0, 0, 0, 0], "all 0"), _row([*weights.values()])]


def _row(weights: Sequence[float], name: str = "") -> dict[str, Any]:
    def value(state: TicTacToe) -> float:
        return sum(w * n for w, n in zip(weights, line_counts(state), strict=True))

    good, of = accuracy(value)
    found = {"right": good, "of": of, "optimal choices": good / of}
    apart = mean_squared_error(lambda state: max(-1.0, min(1.0, value(state))))
    return {"weights": name or ", ".join(f"{w:g}" for w in weights), **found, "error": apart}
