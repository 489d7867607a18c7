"""k stones in a row, on boards held as the bits of one int.

The cell in row r and column c is the bit r * stride + c.  The stride is at least one more than the
number of columns: the bit between two rows stays empty, so no line runs over the edge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

Value = TypeVar("Value")


def line_starts(stones: int, k: int, direction: int) -> int:
    """Return the cells at which a line of `k` stones starts, a stone every `direction` bits."""
    starts, length = stones, 1  # the starts of lines of this length
    while 2 * length <= k:
        starts &= starts >> length * direction
        length *= 2
    return starts & starts >> (k - length) * direction


def directions(stride: int) -> tuple[int, int, int, int]:
    """Return the steps across, down and along the two diagonals."""
    return (1, stride, stride + 1, stride - 1)


def has_line(stones: int, k: int, stride: int) -> bool:
    """Return whether `stones` has `k` in a row: across, down or diagonal."""
    return any(line_starts(stones, k, direction) for direction in directions(stride))


def one_line(stones: int, k: int, stride: int) -> tuple[int, ...]:
    """Return the bit numbers of one line of `k` stones; empty if there is none."""
    for direction in directions(stride):
        if starts := line_starts(stones, k, direction):
            first = (starts & -starts).bit_length() - 1
            return tuple(first + i * direction for i in range(k))
    return ()


def look_up_table(
    compute: Callable[[int], Value], bits: int, *, most: int = 100_000
) -> Sequence[Value]:
    """Return a table of `compute(stones)` for all sets of stones of so many bits.

    Small tables are complete; large ones fill themselves as they are asked, up to `most` entries.
    """
    if bits <= 12:
        return [compute(stones) for stones in range(1 << bits)]
    return cast(Sequence[Value], _Memo(compute, most))


class _Memo(dict[int, Value]):
    """A table that fills itself with `compute(key)`, and is emptied when it has grown too large."""

    def __init__(self, compute: Callable[[int], Value], most: int) -> None:
        self._compute, self._most = compute, most

    def __missing__(self, key: int) -> Value:
        if len(self) >= self._most:
            self.clear()
        value = self[key] = self._compute(key)
        return value
