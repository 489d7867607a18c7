"""The follow-up strategy of Connect Four, which gives a bound of the score without a search.

The player to move is called the leader, and the opponent the follower.  The follower answers every
disc with a disc on top of it.  So if every column has an even number of free cells, the leader gets
the lower cell of every pair, and the follower the upper one.  Two columns with an odd number of
free cells make one more pair, because each player gets one of their next cells.  A single such
column makes no pair, so the follower must have a threat that comes before its last cell.

If the leader's cells then complete no line, the follower does not lose.  If, in addition, the
follower threatens one of the follower's cells, the leader has to fill the cell below it in the end,
and loses.  The cells above it are never reached.

Sources: Allis, A knowledge-based approach of Connect-Four, 1988: claimeven, baseinverse, zugzwang.
"""

from gamefast.backend import inline_kernel_part, kernel_part, popcount
from gamefast.bitboards import has_line, has_line_across

NO_BOUND = 64  # above every score


@kernel_part
def upper_cells(rows: int, bottom: int) -> int:
    """Return the cells that have an even number of cells above them."""
    upper = 0
    for row in range(rows - 1, -1, -2):
        upper |= bottom << row
    return upper


@kernel_part
def _wins_by_one_of(cells: int, odd: int, stride: int, k: int) -> bool:
    """Return whether a line is possible with `cells` and half of `odd`; unknown is True, too."""
    one = odd & -odd
    other = odd ^ one
    if other & (other - 1):
        return True
    return bool(has_line(cells | one, stride, k) or has_line(cells | other, stride, k))


@inline_kernel_part
def follow_up(
    leader: int,
    taken: int,
    opponent_threats: int,
    alpha: int,
    upper: int,
    bottom: int,
    rows: int,
    k: int,
) -> int:
    """Return an upper bound of the leader's score that is at most `alpha`, or else NO_BOUND.

    The leader is to move, cannot win at once, and has no column of k - 1 stones with a free cell on
    top.  `opponent_threats` are the cells where the follower completes a line, and `upper` is
    `upper_cells`.
    """
    stride = rows + 1
    free = (bottom << rows) - bottom & ~taken
    following = (taken + bottom) & free
    odd = following & upper  # the next cells of the columns with an odd number of free cells
    cells, threats = free & ~upper, opponent_threats & upper & ~following
    if popcount(odd) & 1:
        column, rest = 0, odd
        while rest:
            first = rest & -rest
            rest ^= first
            above = free & ~(free + first)
            if above & opponent_threats & ~upper:
                column = above
                break
        if column == 0:
            return NO_BOUND
        odd &= ~column
        cells = (cells & ~column) | (column & upper)
        threats = (threats & ~column) | (column & opponent_threats & ~upper)
    bound = 0
    if threats:
        # A carry runs from the lowest threat of a column to the guard row.  It clears the cells
        # that are never reached, and counts the columns.  In the end all other cells are filled,
        # but in each of these columns, except the one where the leader gives in, the cell below the
        # threat is free, too.
        carried = free + threats
        unreached = (free & ~carried) | threats
        bound = -((popcount(unreached) + popcount(carried & bottom << rows)) >> 1)
        cells &= ~unreached
    cells |= leader
    if bound > alpha or has_line_across(cells, stride, k):
        return NO_BOUND
    # The leader may get the first of an odd number of cells, and the next, so columns count, too.
    if odd and has_line(cells | odd, stride, k) and _wins_by_one_of(cells, odd, stride, k):
        return NO_BOUND
    return bound
