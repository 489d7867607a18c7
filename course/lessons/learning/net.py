"""A small net with two outputs: a prior for each cell, and the value of the position."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple, Self

import numpy as np

from course.exercises.state_space import open_positions
from course.lessons.learning.accuracy import DIGITS, START, Array, all_input_planes
from gamelib.games import TicTacToe

HIDDEN = 64
WEIGHT_RESOLUTION = 2.0**20  # weights are multiples of 1 / WEIGHT_RESOLUTION
MOMENTUM, DECAY = 0.9, 1e-4
SURE = 0.999  # an estimate must never outweigh a result
NAMES = ("inputs to hidden", "hidden biases", "hidden to answers", "answers' biases")


class NetOutput(NamedTuple):
    """The output of a net for a position: a prior for each action, and the mover's value."""

    priors: dict[int, float]
    value: float


class Net:
    """18 inputs, a hidden layer of 64 rectified sums, and 9 + 1 outputs.

    The inputs are the `input_planes` of a position.  The first nine outputs become priors by
    softmax over the empty cells, the last one becomes a value by tanh; both are for the player to
    move.  Weights are rounded after each step, far below any relevant precision.  Otherwise,
    because machines add in different orders, the last digits would lead to other games from the
    same seed.
    """

    def __init__(self, weights: Sequence[Array], moved: Sequence[Array] = ()) -> None:
        """Begin with these weights, and with the change of each in the last step."""
        self.weights = [weight.copy() for weight in weights]
        self.moved = [each.copy() for each in moved or map(np.zeros_like, weights)]
        self._round()

    @classmethod
    def drawn(cls, rng: Random) -> Self:
        """Return a net with small random weights."""

        def gauss(rows: int, cols: int, width: float) -> Array:
            return np.array([[rng.gauss(0, width) for _ in range(cols)] for _ in range(rows)])

        first, second = gauss(18, HIDDEN, 3**-0.5), gauss(HIDDEN, 10, 0.01)
        return cls([first, np.zeros(HIDDEN), second, np.zeros(10)])

    def copy(self) -> Self:
        """Return a net with the same weights, which can be trained independently."""
        return type(self)(self.weights, self.moved)

    def answers(self, inputs: Array) -> tuple[Array, Array, Array]:
        """Return hidden layer, priors and values, with a row for each row of inputs."""
        into, bias, out, bias2 = self.weights
        hidden = np.maximum(inputs @ into + bias, 0)
        answers = hidden @ out + bias2
        empty = inputs[:, :9] + inputs[:, 9:] == 0
        liked = np.where(empty, np.exp(answers[:, :9] - answers[:, :9].max(1, keepdims=True)), 0)
        return hidden, liked / liked.sum(1, keepdims=True), np.tanh(answers[:, 9])

    def learn(self, inputs: Array, policies: Array, values: Array, rate: float) -> None:
        """Take one step of gradient descent on the mean error of priors and values.

        The error is the cross entropy, of the priors and of the value as a probability of winning;
        so its gradient is output minus target, for both.  From there it is propagated back to the
        inputs (Rumelhart and others 1986).
        """
        with np.errstate(all="ignore"):  # `check` reports weights that are no longer numbers
            self._step(inputs, policies, values, rate)

    def _step(self, inputs: Array, policies: Array, values: Array, rate: float) -> None:
        hidden, priors, found = self.answers(inputs)
        apart = np.hstack([priors - policies, (found - values)[:, None]])
        of_answers = apart / len(inputs)
        of_hidden = (of_answers @ self.weights[2].T) * (hidden > 0)
        slopes = [inputs.T @ of_hidden, of_hidden.sum(0), hidden.T @ of_answers, of_answers.sum(0)]
        for weight, moved, slope in zip(self.weights, self.moved, slopes, strict=True):
            moved *= MOMENTUM
            moved -= rate * (slope + DECAY * weight)
            weight += moved
        self._round()

    def check(self) -> None:
        """Raise ValueError if a weight is not a finite number."""
        for name, weight in zip(NAMES, self.weights, strict=True):
            if bad := int((~np.isfinite(weight)).sum()):
                words = f"{bad:,} of {weight.size:,} weights, {name}, are not finite numbers"
                raise ValueError(f"{words}, so this net has no outputs; use a smaller rate")

    def outputs(self) -> dict[TicTacToe, NetOutput]:
        """Return the output for every open position; ValueError if a weight is not finite."""
        self.check()
        _, priors, values = self.answers(all_input_planes())
        return {
            state: _net_output(state, row, value)
            for state, row, value in zip(
                open_positions(START),
                np.round(priors, DIGITS).tolist(),
                np.round(np.clip(values, -SURE, SURE), DIGITS).tolist(),
                strict=True,
            )
        }

    def _round(self) -> None:
        for weight in self.weights:
            np.rint(weight * WEIGHT_RESOLUTION, out=weight)
            weight /= WEIGHT_RESOLUTION


def _net_output(state: TicTacToe, priors: Sequence[float], value: float) -> NetOutput:
    liked = {action: priors[action] for action in state.legal_actions()}
    total = sum(liked.values())
    return NetOutput({action: prior / total for action, prior in liked.items()}, value)
