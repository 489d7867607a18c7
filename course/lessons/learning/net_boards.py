"""Draw the outputs of a net next to the exact values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from course.draw.net_output import NetPrediction, net_boards
from course.exercises.state_space import exact_values, optimal_actions
from gamelib.games import TicTacToe
from gamelib.svg.primitives import Svg

if TYPE_CHECKING:
    from course.lessons.learning.net import NetOutput


def show_net(found: Mapping[TicTacToe, NetOutput], positions: Iterable[TicTacToe]) -> Svg:
    """Return boards with a net's priors as colours, and its values next to the exact ones."""
    exact = exact_values(TicTacToe())
    return net_boards(
        [
            NetPrediction(state, *found[state], exact[state], optimal_actions(state, exact))
            for state in positions
        ]
    )
