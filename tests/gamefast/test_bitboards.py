"""Open lines on bitboards; the tests of the searches cover the other functions."""

from random import Random

import pytest

from gamefast import bitboards
from gamefast.backend import kernel


@kernel
def open_lines(cells, cell, stride, k):
    return bitboards.open_lines(cells, cell, stride, k)


@pytest.mark.parametrize(("stride", "cols", "k"), [(7, 7, 4), (5, 6, 3), (8, 8, 5), (9, 7, 4)])
def test_open_lines_counts_fillable_lines_through_cell(stride, cols, k):
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
