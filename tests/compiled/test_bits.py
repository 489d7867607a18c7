"""Lines on boards that are ints, in machine code: those that the readable tier finds."""

from random import Random

import pytest

from gamelib.compiled import bits
from gamelib.compiled.machine import kernel
from gamelib.games.lines import has_line


@kernel
def found(stones, stride, k):
    return bits.has_line(stones, stride, k)


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
