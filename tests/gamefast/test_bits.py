"""Lines on boards that are ints, in machine code: those that the readable tier finds."""

from random import Random

import pytest

from gamefast import bits
from gamefast.machine import kernel
from gamelib.games.lines import has_line


@kernel
def found(stones, stride, k):
    return bits.has_line(stones, stride, k)


@kernel
def open_lines(cells, cell, stride, k):
    return bits.open_lines(cells, cell, stride, k)


@pytest.mark.parametrize(("stride", "cols", "k"), [(7, 7, 4), (5, 6, 3), (8, 8, 5), (9, 7, 4)])
def test_the_lines_through_a_cell_that_can_be_filled_are_counted(stride, cols, k):
    rng = Random(stride)
    board = sum(1 << col * stride + row for col in range(cols) for row in range(stride - 1))
    lines = [
        sum(1 << start + i * step for i in range(k))
        for step in (1, stride - 1, stride, stride + 1)
        for start in range(stride * cols)
    ]
    for _ in range(500):
        cells = board & (rng.getrandbits(64) | rng.getrandbits(64))
        cell = 1 << rng.randrange(cols) * stride + rng.randrange(stride - 1)
        filled = [line for line in lines if line & ~cells == 0 and line & cell]
        assert open_lines(cells, cell, stride, k) == len(filled)


@pytest.mark.parametrize(("stride", "k"), [(7, 4), (5, 4), (19, 4), (2, 4), (4, 3), (8, 5)])
def test_a_line_is_found_where_there_is_one(stride, k):
    rng = Random(stride)
    for _ in range(2000):
        # Of few stones and of many, so that there are both boards with a line and without.
        stones = rng.getrandbits(62) & rng.getrandbits(62) | rng.getrandbits(62) & 1 << 40
        stones &= rng.choice([-1, rng.getrandbits(62)])
        assert found(stones, stride, k) == has_line(stones, k, stride)
    for step in (1, stride - 1, stride, stride + 1):
        line = sum(1 << i * step for i in range(k))
        for shift in (0, 62 - (k - 1) * step):
            assert found(line << shift, stride, k)
            assert found((line ^ 1) << shift, stride, k) == has_line((line ^ 1) << shift, k, stride)
