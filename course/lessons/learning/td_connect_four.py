"""Connect Four: weights of an evaluation, learned by temporal differences from many games at once.

The evaluation weights the 69 lines of four cells.  Each has six weights: for one, two and three
discs of only the player to move, and for those of only the opponent.
"""

from collections.abc import Callable
from functools import cache
from itertools import product
from math import tanh
from random import Random

import numpy as np

from course.exercises.lesson_data import load_tables
from course.lessons.capstone.exact_positions import exact_positions
from course.lessons.learning.accuracy import DIGITS, Array, Share, greedy_action
from course.lessons.learning.net import SURE
from course.lessons.learning.stored_runs import ranged
from gamelib.games import ConnectFour

BATCH_GAMES, RATE, RANDOM_MOVE_RATE, MOMENTUM = 256, 0.01, 0.15, 0.9
GRID = 2.0**16  # weights are multiples of 1 / GRID: the same on every machine
COLUMN = 7  # bits of a column: six cells, and one that is always empty
FULL = sum(63 << COLUMN * col for col in range(7))


@cache
def windows() -> tuple[tuple[int, ...], ...]:
    """Return the bits of the cells of each line, as in `ConnectFour.stones`."""
    steps = ((0, 1), (1, 0), (1, 1), (1, -1))  # columns and rows
    return tuple(
        tuple((col + n * right) * COLUMN + row + n * up for n in range(4))
        for col, row, (right, up) in product(range(7), range(6), steps)
        if col + 3 * right < 7 and 0 <= row + 3 * up < 6
    )


def learned(state: ConnectFour, player: int) -> float:
    """Return the value for `player` by the stored weights, inside (-1, 1)."""
    return _stored()(state, player)


@cache
def _stored() -> Callable[[ConnectFour, int], float]:
    return evaluation(np.array(load_tables("learning", "td_connect_four")["weights"]) / GRID)


def evaluation(weights: Array) -> Callable[[ConnectFour, int], float]:
    """Return the evaluation with 414 weights, six for each line."""
    masks = [sum(1 << cell for cell in cells) for cells in windows()]
    each = list(zip(masks, weights.reshape(6, -1).T.tolist(), strict=True))

    def evaluate(state: ConnectFour, player: int) -> float:
        mover, total = state.current_player, 0.0
        mine, theirs = state.stones(mover), state.stones(1 - mover)
        for mask, six in each:
            own, other = (mine & mask).bit_count(), (theirs & mask).bit_count()
            if own and not other:
                total += six[own - 1]
            elif other and not own:
                total += six[other + 2]
        value = SURE * tanh(total)
        return value if player == mover else -value

    return evaluate


def accuracy_on_exact(evaluate: Callable[[ConnectFour, int], float]) -> Share:
    """Return (right, all): the sixty exact positions in which a one-ply search plays optimally."""

    def value(state: ConnectFour) -> float:
        return round(evaluate(state, state.current_player), DIGITS)

    found = [greedy_action(four.state, value) in four.optimal for four in exact_positions()]
    return sum(found), len(found)


def td_curve() -> dict[int, tuple[float, float, float]]:
    """Return {games: (share of the sixty positions, lowest, highest)} of five seeds."""
    return {
        row["games"]: ranged(row["right"], 60)
        for row in load_tables("learning", "td_connect_four")["curve"]
    }


def four_matches() -> dict[str, tuple[float, int]]:
    """Return {opponent: (points, games)} of matches with 300 nodes generated for each move."""
    rows = load_tables("learning", "td_connect_four")["match"]
    return {row["against"]: (row["points"], row["games"]) for row in rows}


class FourTraining:
    """Self-play of Connect Four in 256 games at a time; the weights are updated after each ply.

    The target of a position is the best value one ply later, whichever action is played: about one
    move in ten is random.
    """

    def __init__(self, seed: int) -> None:
        self.rng = np.random.Generator(np.random.PCG64(Random(seed).randrange(2**32)))
        self.weights = np.zeros(6 * len(windows()))
        self.moved = np.zeros_like(self.weights)

    def play(self) -> None:
        """Play 256 games to their ends, and learn."""
        mine = theirs = np.zeros(BATCH_GAMES, dtype=np.uint64)
        while len(mine):
            values, after, ended = self.look(mine, theirs)
            self.learn(features(mine, theirs), values.max(1))
            legal = np.isfinite(values)
            by_lot = self.rng.random(len(mine)) < RANDOM_MOVE_RATE
            liked = np.where(by_lot[:, None], legal * self.rng.random(values.shape), values)
            rows, columns = np.arange(len(mine)), liked.argmax(1)
            on = ~ended[rows, columns]
            mine, theirs = theirs[on], after[rows, columns][on]

    def look(self, mine: Array, theirs: Array) -> tuple[Array, Array, Array]:
        """Return, by column: its value, the mover's discs after it, and whether it ends the game.

        A full column has the value minus infinity.
        """
        values = np.full((len(mine), 7), -np.inf)
        after, ended = np.zeros(values.shape, np.uint64), np.zeros(values.shape, bool)
        for col in range(7):
            bottom, column = np.uint64(1 << COLUMN * col), np.uint64(63 << COLUMN * col)
            stone = ((mine | theirs) + bottom) & column
            legal, after[:, col] = stone != 0, mine | stone
            won = legal & four(after[:, col])
            full = (after[:, col] | theirs) == np.uint64(FULL)
            on = legal & ~won & ~full
            values[legal, col] = won[legal]
            values[on, col] = -self.values(features(theirs[on], after[on, col]))
            ended[:, col] = won | full
        return values, after, ended

    def values(self, seen: Array) -> Array:
        """Return the values of positions for the player to move, to four digits."""
        return np.round(np.tanh(seen @ self.weights), 4)

    def learn(self, seen: Array, targets: Array) -> None:
        """Move the weights towards the targets of some positions."""
        slope = (targets - self.values(seen)) @ seen / len(seen)
        self.moved = MOMENTUM * self.moved + RATE * slope
        self.weights = np.rint((self.weights + self.moved) * GRID) / GRID


def features(mine: Array, theirs: Array) -> Array:
    """Return 414 numbers of each position, 1 or 0: for each count the lines that have it."""
    own, other = counts(mine), counts(theirs)
    ours = [(own == n) & (other == 0) for n in (1, 2, 3)]
    return np.hstack([*ours, *[(other == n) & (own == 0) for n in (1, 2, 3)]]).astype(float)


def counts(stones: Array) -> Array:
    """Return the number of discs in each line."""
    cells = np.array(windows(), dtype=np.uint64)
    bits = [(stones[:, None] >> cells[:, place]) & np.uint64(1) for place in range(4)]
    return np.sum(bits, axis=0)  # type: ignore[no-any-return]


def four(stones: Array) -> Array:
    """Return whether there are four in a row."""
    found = np.zeros(len(stones), bool)
    for step in (1, COLUMN - 1, COLUMN, COLUMN + 1):
        pairs = stones & (stones >> np.uint64(step))
        found |= (pairs & (pairs >> np.uint64(2 * step))) != 0
    return found
