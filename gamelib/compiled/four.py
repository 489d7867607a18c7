"""The exact score of a position of Connect Four.

A score is half of the cells that are left when the game is over, rounded up: + for a win of the
player to move, - for a loss, 0 for a draw.  So it says who wins, and how soon.

The search asks again and again whether a score is above a number: alpha-beta with a window of no
width.  Such a question is cheap, since nearly every move is cut, and what was learnt for one is
kept in a table for the others.

An entry of the table is one int.  A position has a number, `key`, of at most 64 bits; multiplied by
an odd number its top bits choose the line of the table, and the others identify the position in the
entry.  The bits that are left over hold both bounds of the score and the number of cells left.
The bounds hold in every search, so the table is never cleared; small as it is, it stays in the
processor's cache.  Of its two entries a line keeps the one of more cells left, and the newest.

Sources: Knuth and Moore 1975; Allis, A knowledge-based approach of Connect-Four, 1988; Plaat et
al., Best-first fixed-depth minimax algorithms, 1996.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gamelib.compiled.bits import has_line, mirrored, threats
from gamelib.compiled.machine import kernel, part, popcount

Array = np.ndarray[Any, Any]

# The rows of the stack; a column is one node, and 0 is never one.  The last row is no part of the
# nodes: the cells of each column of the board, in the order to try them.
MINE, TAKEN, DANGER, ALPHA, LEFT, KEY, LOW, HIGH, BEST, NEXT, END, COLUMNS = range(12)
# The rows of the moves to try; a node has as many columns there as the board.
MOVE, THREATS, RANK = range(3)
# What is kept between two slices.
DEPTH, NODES, VALUE, ENTERING, LEAST, MOST, ASKED, SCORE, ACTION = range(9)

LOG_LINES = 17  # two entries of 8 bytes a line: 2 MB.  Not less, so that 17 bits are left over
ODD = np.int64(-7046029254386353131)  # 2 ** 64 over the golden ratio
ONE = np.uint64(1)  # unsigned indices need no test for negative ones


@part
def _begin(
    stack: Array, registers: Array, mine: int, taken: int, least: int, most: int, rows: int,
    cols: int, k: int,
) -> None:  # fmt: skip
    """Put a position into column 1, and into the registers what is known of it without a search."""
    stride, bottom = rows + 1, 0
    for c in range(cols):
        bottom |= 1 << c * stride
    board = bottom * ((1 << rows) - 1)
    theirs, free = mine ^ taken, board ^ taken
    left = popcount(free)
    if has_line(theirs, stride, k):
        lowest = highest = -((left + 2) >> 1)
    elif threats(mine, free, stride, k) & (taken + bottom):
        lowest = highest = (left + 1) >> 1
    else:
        lowest, highest = -(left >> 1), max(left - 1, 0) >> 1
    least, most = min(max(least, lowest), most), max(min(most, highest), least)
    stack[MINE, 1], stack[TAKEN, 1], stack[LEFT, 1] = mine, taken, left
    stack[DANGER, 1] = threats(theirs, free, stride, k)
    registers[DEPTH], registers[ENTERING] = 0, 0
    registers[LEAST], registers[MOST] = least, most
    registers[ASKED] = max(least, min(0, most - 1))


@kernel
def score(
    stack: Array, moves: Array, table: Array, registers: Array, begin: bool, mine: int,
    taken: int, least: int, most: int, rows: int, cols: int, k: int, most_nodes: int,
) -> bool:  # fmt: skip
    """Begin, or go on, to find the score of a position; return whether it is found.

    It is then in registers[LEAST]: the score for the player who has `mine` and is to move, or the
    one of the bounds `least` and `most` that it is beyond.
    """
    if begin:
        _begin(stack, registers, mine, taken, least, most, rows, cols, k)
    return bool(_narrow(stack, moves, table, registers, rows, cols, k, most_nodes))


@kernel
def first_best(
    stack: Array, moves: Array, table: Array, registers: Array, begin: bool, mine: int,
    taken: int, limit: int, rows: int, cols: int, k: int, most_nodes: int,
) -> bool:  # fmt: skip
    """Begin, or go on, to find the score of a position and its first best action.

    They are then in registers[SCORE] and registers[ACTION].  The score is found first; then it is
    asked of one action after the other whether it reaches that score.
    """
    if begin:
        registers[ACTION] = -1
        _begin(stack, registers, mine, taken, -limit, limit, rows, cols, k)
    last = registers[NODES] + most_nodes
    while True:
        room = last - registers[NODES]
        if not _narrow(stack, moves, table, registers, rows, cols, k, room):
            return False
        if registers[ACTION] < 0:
            registers[SCORE] = registers[LEAST]
        elif -registers[LEAST] == registers[SCORE]:
            return True
        move = 0
        while move == 0:
            registers[ACTION] += 1
            column = ((1 << rows) - 1) << registers[ACTION] * (rows + 1)
            move = (taken + (1 << registers[ACTION] * (rows + 1))) & column
        best = registers[SCORE]
        most = min(1 - best, limit)  # where everything loses, and it does not matter how soon
        _begin(stack, registers, mine ^ taken, taken | move, -best, most, rows, cols, k)


@part
def _narrow(
    stack: Array,
    moves: Array,
    table: Array,
    registers: Array,
    rows: int,
    cols: int,
    k: int,
    most_nodes: int,
) -> bool:
    """Go on until registers[LEAST] and registers[MOST] meet; return whether they do.

    They meet at the score of the position in column 1 of the stack, or at the one of the two first
    numbers that it is beyond.
    """
    last = registers[NODES] + most_nodes
    while registers[LEAST] < registers[MOST]:
        if registers[DEPTH] == 0:
            registers[DEPTH], registers[ENTERING] = 1, 1
            stack[ALPHA, 1] = registers[ASKED]
        if not _ask(stack, moves, table, registers, rows, cols, k, last):
            return False
        value = registers[VALUE]
        if value > registers[ASKED]:
            registers[LEAST] = min(value, registers[MOST])
            registers[ASKED] = min(value, registers[MOST] - 1)
        else:
            registers[MOST] = max(value, registers[LEAST])
            registers[ASKED] = max(value, registers[LEAST] + 1) - 1
    return True


@part
def _ask(
    stack: Array,
    moves: Array,
    table: Array,
    registers: Array,
    rows: int,
    cols: int,
    k: int,
    last: int,
) -> bool:
    """Go on to answer, is the score above ALPHA of column 1?  Return whether it is answered.

    The answer is in registers[VALUE]: a number above ALPHA that the score reaches at least, or one
    that it reaches at most.
    """
    stride, cells = rows + 1, rows * cols
    bottom = 0
    for c in range(cols):
        bottom |= 1 << c * stride
    board = bottom * ((1 << rows) - 1)
    line_mask, shift = (1 << LOG_LINES) - 1, 64 - LOG_LINES
    mines, takens, dangers = stack[MINE], stack[TAKEN], stack[DANGER]
    alphas, lefts, keys = stack[ALPHA], stack[LEFT], stack[KEY]
    lows, highs, bests = stack[LOW], stack[HIGH], stack[BEST]
    nexts, ends = stack[NEXT], stack[END]
    columns = stack[COLUMNS]
    tries, made_by, ranks = moves[MOVE], moves[THREATS], moves[RANK]
    width = np.uint64(cols)
    depth, nodes = np.uint64(registers[DEPTH]), registers[NODES]
    value, entering = registers[VALUE], registers[ENTERING]
    while depth:
        mine, taken = mines[depth], takens[depth]
        alpha, left = alphas[depth], lefts[depth]
        if entering:
            if nodes >= last:
                break
            nodes += 1
            entering = 0
            # Where the other player threatens a cell that can be played, it must be played; below
            # a threatened cell one must not play.  If nothing remains, the next move loses.
            possible = (taken + bottom) & board
            danger = dangers[depth] & ~taken
            forced = possible & danger
            if forced:
                possible = forced
            safe = possible & ~(danger >> 1)
            if safe == 0 or forced & (forced - 1):
                value = -(left >> 1)
                depth -= ONE
                continue
            if left <= 2:
                value = 0
                depth -= ONE
                continue
            # Now nobody wins before the move after the next.
            low, high = -((left - 2) >> 1), (left - 1) >> 1
            key = mine + taken + bottom
            if cells - left <= 12:
                key = min(key, mirrored(key, stride, cols))
            mixed = key * ODD
            tag = mixed << LOG_LINES
            line = np.uint64((mixed >> shift) & line_mask) << ONE
            known = table[line] ^ tag
            if known & ~line_mask:
                known = table[line | ONE] ^ tag
            if known & ~line_mask == 0:
                low, high = max(low, (known & 63) - 32), min(high, 32 - (known >> 6 & 63))
            if low > alpha or high <= alpha:
                value = low if low > alpha else high
                depth -= ONE
                continue
            # The moves that make most threats come first, the middle ones first among equals.
            first = depth * width
            end = first
            wins = False
            for c in range(cols):
                move = safe & columns[c]
                if move:
                    taken_then = taken | move
                    made = threats(mine | move, board ^ taken_then, stride, k)
                    must = (taken_then + bottom) & made
                    if must & ((must - 1) | made >> 1):  # two threats, one above another: won
                        wins = True
                        break
                    rank = popcount(made)
                    j = end
                    while j > first and ranks[j - ONE] < rank:
                        tries[j], made_by[j] = tries[j - ONE], made_by[j - ONE]
                        ranks[j] = ranks[j - ONE]
                        j -= ONE
                    tries[j], made_by[j], ranks[j] = move, made, rank
                    end += ONE
            if wins:
                value = (left - 1) >> 1
                depth -= ONE
                continue
            keys[depth], lows[depth], highs[depth], bests[depth] = mixed, low, high, -64
            nexts[depth], ends[depth] = first + ONE, end
            move, made = tries[first], made_by[first]
        else:
            best = max(bests[depth], -value)
            i = np.uint64(nexts[depth])
            if best > alpha or i == np.uint64(ends[depth]):
                mixed, low, high = keys[depth], lows[depth], highs[depth]
                if best > alpha:
                    low = max(low, best)
                else:
                    high = min(high, best)
                tag = mixed << LOG_LINES
                entry = tag | left >> 1 << 12 | (32 - high) << 6 | low + 32
                line = np.uint64((mixed >> shift) & line_mask) << ONE
                old = table[line]
                if (old ^ tag) & ~line_mask == 0:
                    table[line] = entry
                elif (old & line_mask) >> 12 <= left >> 1:
                    table[line | ONE] = old
                    table[line] = entry
                else:
                    table[line | ONE] = entry
                value = best
                depth -= ONE
                continue
            bests[depth] = best
            move, made = tries[i], made_by[i]
            nexts[depth] = i + ONE
        depth += ONE
        mines[depth], takens[depth], dangers[depth] = mine ^ taken, taken | move, made
        alphas[depth], lefts[depth] = -alpha - 1, left - 1
        entering = 1
    registers[DEPTH], registers[NODES] = depth, nodes
    registers[VALUE], registers[ENTERING] = value, entering
    return bool(depth == 0)
