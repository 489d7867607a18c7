"""Lines and threats on boards stored as the bits of an int.

One bit stays free between two lines of cells.  In Connect Four the cell in column c at height h is
the bit c * stride + h; in tic-tac-toe the cell in row r and column c is the bit r * stride + c.
"""

from gamefast import backend
from gamefast.backend import Array, inline_kernel_part, kernel_part, lowest_bit, popcount


@inline_kernel_part
def _line_starts(stones: int, step: int, k: int) -> int:
    pairs = stones & (stones >> step)
    return pairs & (pairs >> (k - 2) * step)  # `k` is 3 or 4


@kernel_part
def has_long_line(stones: int, stride: int, k: int, across: bool) -> bool:
    """Return whether `k` stones are in a row; with `across`, in one that is not a column."""
    steps = (1, stride - 1, stride, stride + 1)
    for direction in range(1 if across else 0, 4):
        step = steps[direction]
        if (k - 1) * step < 64:  # a longer shift than 63 is undefined
            starts = stones
            for i in range(1, k):
                starts &= stones >> i * step
            if starts:
                return True
    return False


@kernel_part
def _long_threats(stones: int, free: int, stride: int, k: int) -> int:
    completing = 0
    for step in (1, stride - 1, stride, stride + 1):
        if (k - 1) * step < 64:
            for gap in range(k):
                line = free
                for i in range(k):
                    if i < gap:
                        line &= stones << (gap - i) * step
                    elif i > gap:
                        line &= stones >> (i - gap) * step
                completing |= line
    return completing


# The usual lengths are written out, and the others are in another function, so that the compiler
# can inline this one.
@inline_kernel_part
def has_line(stones: int, stride: int, k: int) -> bool:
    """Return whether `k` stones are in a row."""
    if k == 4 and stride <= 20:
        return backend.fours(stones, stride) != 0
    if k == 3 and stride <= 20:
        return has_line_across(stones, stride, k) or _line_starts(stones, 1, k) != 0
    return bool(has_long_line(stones, stride, k, False))


@inline_kernel_part
def has_line_across(stones: int, stride: int, k: int) -> bool:
    """Return whether `k` stones are in a row that is not a column."""
    if 3 <= k <= 4 and stride <= 20:
        starts = (
            _line_starts(stones, stride - 1, k)
            | _line_starts(stones, stride, k)
            | _line_starts(stones, stride + 1, k)
        )
        return starts != 0
    return bool(has_long_line(stones, stride, k, True))


@inline_kernel_part
def threats(stones: int, free: int, stride: int, k: int) -> int:
    """Return the free cells that would complete a line of `stones`."""
    if k == 4 and stride <= 20:
        return free & backend.completing_four(stones, stride)
    return int(_long_threats(stones, free, stride, k))


@kernel_part
def open_lines(cells: int, cell: int, stride: int, k: int) -> int:
    """Return the number of lines of `k` of these cells that contain `cell`."""
    count = 0
    for step in (1, stride - 1, stride, stride + 1):
        if (k - 1) * step < 64:
            starts, reach = cells, cell
            for i in range(1, k):
                starts &= cells >> i * step
                reach |= cell >> i * step
            count += popcount(starts & reach)
    return count


@kernel_part
def permute_bits(bits: int, places: Array) -> int:
    """Return the bits moved to their new positions, which are in `places`."""
    image = 0
    while bits:
        image |= 1 << places[lowest_bit(bits)]
        bits &= bits - 1
    return image


@kernel_part
def pack_bits(bits: int, stride: int, cols: int) -> int:
    """Return a board without the free bits between its lines of cells."""
    line = (1 << stride - 1) - 1
    packed = 0
    for c in range(cols):
        packed |= ((bits >> c * stride) & line) << c * (stride - 1)
    return packed


@kernel_part
def mirror_bits(bits: int, stride: int, cols: int) -> int:
    """Return a board of Connect Four with left and right exchanged."""
    column = (1 << stride) - 1
    image = 0
    for c in range(cols):
        image |= ((bits >> c * stride) & column) << (cols - 1 - c) * stride
    return image
