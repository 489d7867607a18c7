"""Naive programs for games on boards: every line of k cells, and who has one."""


def lines_from(row, col, k):
    """Return the lines of k cells that begin at a cell, on a board of any size."""
    ways = (0, 1), (1, 0), (1, 1), (1, -1)
    return [[(row + i * down, col + i * right) for i in range(k)] for down, right in ways]


def naive_winner(stones, k):
    """Return the owner of k stones in a row, {(row, col): player}; None if there are none."""
    for cell, owner in stones.items():
        for line in lines_from(*cell, k):
            if all(stones.get(place) == owner for place in line):
                return owner
    return None
