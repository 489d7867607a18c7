"""k stones in a row, on boards held as the bits of one int.

The cell in row r and column c is the bit r * stride + c.  The stride is at least one more than the
number of columns: the bit between two rows stays empty, so no line runs over the edge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

Value = TypeVar("Value")


def line_starts(stones: int, k: int, stride: int) -> tuple[tuple[int, int], ...]:
    """Return (direction, bits where a line of `k` stones starts) for each of the four directions."""
    found = []
    for direction in (1, stride, stride + 1, stride - 1):
        starts, length = stones, 1
        while length < k and starts:
            shift = min(length, k - length)
            starts &= starts >> shift * direction
            length += shift
        found.append((direction, starts))
    return tuple(found)


def has_line(stones: int, k: int, stride: int) -> bool:
    """Return whether `stones` has `k` in a row: across, down or diagonal."""
    return any(starts for _, starts in line_starts(stones, k, stride))


def one_line(stones: int, k: int, stride: int) -> tuple[int, ...]:
    """Return the bit numbers of one line of `k` stones; empty if there is none."""
    for direction, starts in line_starts(stones, k, stride):
        if starts:
            first = (starts & -starts).bit_length() - 1
            return tuple(first + i * direction for i in range(k))
    return ()


def look_up_table(compute: Callable[[int], Value], bits: int) -> Sequence[Value]:
    """Return a table of `compute(stones)` for all sets of stones of so many bits.

    Small tables are complete, large ones fill themselves as they are asked.
    """
    if bits <= 12:
        return [compute(stones) for stones in range(1 << bits)]
    return cast(Sequence[Value], _Memo(compute))


class _Memo(dict[int, Value]):
    """A table that fills itself with `compute(key)`, and is emptied when it has grown too large."""

    _MOST = 100_000

    def __init__(self, compute: Callable[[int], Value]) -> None:
        self._compute = compute

    def __missing__(self, key: int) -> Value:
        if len(self) >= self._MOST:
            self.clear()
        value = self[key] = self._compute(key)
        return value
