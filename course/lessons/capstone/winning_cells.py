"""Find the cells that would win, for heuristics of Connect Four."""

from functools import cache

from gamelib.games import ConnectFour

Cell = tuple[int, int]


def winning_cells(state: ConnectFour, player: int) -> list[Cell]:
    """Return the empty cells, as (row, col), that would give `player` four in a row.

    Row 0 is on top.  Many of them cannot be played yet: see `is_playable`.  ValueError unless k is
    4.
    """
    if state.k != 4:
        raise ValueError(f"state must be of a game with four in a row; it has k = {state.k}")
    # The discs are bits, column by column from the bottom, with an empty bit on top of each column.
    # So a shift by `side` is a step to the right, and no line wraps into the next column.
    stones, side = state.stones(player), state.rows + 1
    found = stones << 1 & stones << 2 & stones << 3
    for step in (side - 1, side, side + 1):
        above, below = stones << step & stones << 2 * step, stones >> step & stones >> 2 * step
        found |= above & (stones << 3 * step | stones >> step)
        found |= below & (stones >> 3 * step | stones << step)
    found &= _board(state.rows, state.cols) & ~(state.stones(0) | state.stones(1))
    cells = []
    while found:
        lowest = found & -found
        col, height = divmod(lowest.bit_length() - 1, side)
        cells.append((state.rows - 1 - height, col))
        found ^= lowest
    return cells


@cache
def _board(rows: int, cols: int) -> int:
    """Return all cells of a board as bits."""
    return sum(((1 << rows) - 1) << col * (rows + 1) for col in range(cols))


def is_playable(state: ConnectFour, cell: Cell) -> bool:
    """Return whether a disc that is dropped now would land in this empty cell."""
    row, col = cell
    return row + 1 == state.rows or state.cell(row + 1, col) is not None
