"""Heuristics: functions `evaluate(state, player)` that estimate positions at the depth limit.

They return a number inside (-1, 1), near 1 if the player is likely to win and near -1 if not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gamelib.search.checks import Evaluate
from gamelib.state import is_finite


def lines_heuristic(*, weights: Sequence[float] = (1, 3, 9), scale: float = 10) -> Evaluate:
    """Return the heuristic that counts open lines: k cells in a row with stones of one player only.

    Such a line is worth `weights[n - 1]` points to the player who has n stones in it, or the last
    weight if n is larger.  The estimate for a player who leads by d points is d / (scale + |d|), so
    a lead of `scale` is worth 1/2.  In a game of more than two players, the opponents count as one.

    Source: Russell and Norvig, Artificial Intelligence, exercise on tic-tac-toe (weights 1 and 3).

    >>> from gamelib import TicTacToe, lines_heuristic
    >>> evaluate = lines_heuristic()
    >>> evaluate(TicTacToe().play(4), 0)
    0.2857142857142857
    """
    return OpenLines(tuple(weights), scale)


def windows_heuristic(*, weights: Sequence[float] = (1, 4, 16), scale: float = 40) -> Evaluate:
    """Return the heuristic for Connect Four that counts all lines of k cells.

    It is `lines_heuristic` with weights for a larger board.  Discs in the middle count more,
    because they are in more lines.
    """
    return OpenLines(tuple(weights), scale)


@dataclass(frozen=True)
class OpenLines:
    """A heuristic that counts the lines that are open to one player only; see `lines_heuristic`.

    The game must have `rows`, `cols` and `k`, the number of cells in a row that wins; `bit(row,
    col)`, which returns the bit of a cell; and `stones(player)`, which returns the cells of a
    player as the bits of an int.
    """

    weights: tuple[float, ...]
    scale: float

    def __post_init__(self) -> None:
        if not self.weights or not all(map(is_finite, self.weights)):
            raise ValueError(f"weights must be one or more finite numbers; got {self.weights!r}")
        if not (is_finite(self.scale) and self.scale > 0):
            raise ValueError(f"scale must be a finite number above 0; got {self.scale!r}")

    def __call__(self, state: Any, player: int) -> float:
        """Return the estimate of `state` for `player`."""
        size = (state.rows, state.cols, state.k, type(state), self.weights)
        width, tables = _CACHE.get(size) or _CACHE.setdefault(size, _tables(state, self.weights))
        others = 0
        for other in range(state.num_players):
            if other != player:
                others |= state.stones(other)
        stones = state.stones(player) << width | others
        lead: float = 0
        for cells, points in tables:
            lead += points[stones & cells]
        return lead / (self.scale + abs(lead))


def _tables(state: Any, weights: tuple[float, ...]) -> tuple[int, list[tuple[int, _PointsTable]]]:
    """Return the number of bits of a board, and each straight with its table of points.

    A straight is given by its cells.  There are fewer straights than lines, and few ways to fill
    one, so a table with the points of all its lines is faster than a loop over the lines.
    """
    tables, cells = [], straights(state.rows, state.cols)
    width = max(state.bit(*cell).bit_length() for places in cells for cell in places)
    for places in cells:
        bits = [state.bit(row, col) for row, col in places]
        if lines := [sum(bits[i : i + state.k]) for i in range(len(bits) - state.k + 1)]:
            tables.append((sum(bits) << width | sum(bits), _PointsTable(lines, weights, width)))
    return width, tables


_CACHE: dict[object, tuple[int, list[tuple[int, _PointsTable]]]] = {}


class _PointsTable(dict[int, float]):
    """A table, filled when used, of the lead in points of the player in the upper half."""

    MAX_ENTRIES = 10_000

    def __init__(self, lines: list[int], weights: tuple[float, ...], width: int) -> None:
        self.lines, self.weights, self.width = lines, weights, width

    def __missing__(self, stones: int) -> float:
        mine, others = stones >> self.width, stones & (1 << self.width) - 1
        lead: float = 0
        for line in self.lines:
            if not line & others:
                lead += self.worth((line & mine).bit_count())
            elif not line & mine:
                lead -= self.worth((line & others).bit_count())
        if len(self) >= self.MAX_ENTRIES:
            self.clear()
        self[stones] = lead
        return lead

    def worth(self, count: int) -> float:
        """Return the points for an open line with this number of stones in it."""
        return self.weights[min(count, len(self.weights)) - 1] if count else 0


def straights(rows: int, cols: int) -> list[list[tuple[int, int]]]:
    """Return the cells of every row, column and diagonal of a board."""
    found: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for row in range(rows):
        for col in range(cols):
            for straight in (("-", row), ("|", col), ("\\", row - col), ("/", row + col)):
                found.setdefault(straight, []).append((row, col))
    return list(found.values())


# The usual heuristics, which can be passed as `evaluate=`.
open_lines = lines_heuristic()
open_windows = windows_heuristic()
