"""Minimax and alpha-beta on the bits of an int: tic-tac-toe and Connect Four for two players.

Both games are one: a player takes a free cell and wins with k in a row.  In Connect Four only the
lowest free cell of a column can be taken, and adding 1 to the stones of a column finds it.  So the
cells that can be taken are ((taken & rising) + base) & board & ~taken, with rising = -1 and base
the bottom row in Connect Four, rising = 0 and base the whole board in tic-tac-toe.

Values are those of the player to move; a child's value changes its sign.  The recursion is written
as a loop over a stack, so that it can pause; a leaf has no place on the stack, and neither have the
positions before the last cell, or the last two, are taken.

A line of actions is one int, 6 bits for each action: the number of its bit plus 1, the first action
in the lowest bits.  It has room for TEN actions; of a longer line it holds the first ones.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from gamelib.compiled.bits import has_line
from gamelib.compiled.machine import inlined, kernel, lowest_bit, part, popcount
from gamelib.games.lines import has_line as find_line

Array = np.ndarray[Any, Any]

# The sizes of a board, in an array of ints.
STRIDE, K, BOARD, BASE, RISING = range(5)
# A row of the stack is a node: ints, and values.
MOVE, UNTRIED, LINE = range(3)
BEST, ALPHA, BETA = range(3)
# What is kept between two slices, and the counts.  Inner nodes are those with children.
PLY, MINE, TAKEN, ROOT_MOVES, NODES, INNER, EVALUATIONS, CUTOFFS, DONE = range(9)
# Of a root action: its value is an upper bound, or exact; and the line from there.
KIND, ROOT_LINE = range(2)
UPPER, EXACT = 1, 2
TEN = 10


@cache
def table_of_wins(width: int, k: int, stride: int) -> Array | None:
    """Return whether each set of stones of so many bits has a line; None for large boards."""
    if width >= 13:
        return None
    return np.array([find_line(stones, k, stride) for stones in range(1 << width)], np.bool_)


def bits_of(line: int) -> list[int]:
    """Return the numbers of the bits that the actions of a line take."""
    bits: list[int] = []
    while line & 63 and len(bits) < TEN:
        bits.append((line & 63) - 1)
        line >>= 6
    return bits


@inlined
def won(stones: int, wins: Array | None, stride: int, k: int) -> bool:
    """Return whether there is a line: small boards have a table of all sets of stones."""
    if wins is None:
        return bool(has_line(stones, stride, k))
    return bool(wins[np.uint64(stones)])


@part
def estimate(mine: int, theirs: int, lines: Array, weights: Array, scale: float) -> float:
    """Return what `OpenLines` returns for the player who has `mine`; 0 without lines.

    A line of 0 ends a straight.  So the sum is made in the same order, and is the same to the bit.
    """
    total = 0.0
    straight = 0.0
    most = len(weights) - 1
    for line in lines:
        if line == 0:
            total += straight
            straight = 0.0
        elif line & theirs == 0:
            if line & mine:
                straight += weights[min(popcount(line & mine) - 1, most)]
        elif line & mine == 0:
            straight -= weights[min(popcount(line & theirs) - 1, most)]
    return total / (scale + abs(total))


@kernel
def minimax(
    stack: Array,
    values: Array,
    root_values: Array,
    registers: Array,
    begin: bool,
    mine: int,
    taken: int,
    sizes: Array,
    wins: Array | None,
    lines: Array,
    weights: Array,
    scale: float,
    depth: int,
    win: float,
    sooner: float,
    most_nodes: int,
) -> bool:
    """Begin, or go on, with the full search of a position; return whether it is done.

    A win by the action at ply n is worth win - sooner * n.  The values of the root actions go to
    `root_values` one after the other, the best line to row 0 of the stack.
    """
    stride, k, board = sizes[STRIDE], sizes[K], sizes[BOARD]
    base, rising = sizes[BASE], sizes[RISING]
    if begin:
        stack[0, UNTRIED], stack[0, LINE] = ((taken & rising) + base) & board & ~taken, 0
        values[0, BEST] = -np.inf
        registers[:] = 0
    else:
        mine, taken = registers[MINE], registers[TAKEN]
    nodes, inner = registers[NODES], registers[INNER]
    evaluations, done = registers[EVALUATIONS], registers[DONE]
    one = np.uint64(1)
    ply = np.uint64(registers[PLY])
    deepest = np.uint64(depth - 1)  # the last ply with children
    todo, line, best = stack[ply, UNTRIED], stack[ply, LINE], values[ply, BEST]
    gain = win - sooner * float(ply)
    last = nodes + most_nodes
    finished = False
    while True:
        if todo:
            move = todo & -todo
            todo ^= move
            nodes += 1
            stones, left, rest = mine | move, board ^ taken ^ move, 0
            if won(stones, wins, stride, k):
                value = gain
            elif left == 0:
                value = 0.0
            elif ply == deepest:
                evaluations += 1
                value = 0.0
                if len(lines):
                    value = estimate(stones, mine ^ taken, lines, weights, scale)
            elif left & (left - 1) == 0:
                nodes += 1
                inner += 1
                rest = lowest_bit(left) + 1
                value = 0.0
                if won(mine ^ taken | left, wins, stride, k):
                    value = sooner - gain
            else:
                stack[ply, MOVE], stack[ply, UNTRIED], stack[ply, LINE] = move, todo, line
                values[ply, BEST] = best
                mine, taken, best = mine ^ taken, taken | move, -np.inf
                todo = ((taken & rising) + base) & left
                ply += one
                gain -= sooner
                inner += 1
                if nodes >= last:
                    break
                continue
        elif ply:
            value, rest = -best, line
            ply -= one
            gain += sooner
            move, todo, line = stack[ply, MOVE], stack[ply, UNTRIED], stack[ply, LINE]
            best = values[ply, BEST]
            taken ^= move
            mine ^= taken
        else:
            finished = True
            break
        if value > best:
            best, line = value, rest << 6 | lowest_bit(move) + 1
        if ply == 0:
            root_values[done] = value
            done += 1
    stack[ply, UNTRIED], stack[ply, LINE], values[ply, BEST] = todo, line, best
    registers[PLY], registers[MINE], registers[TAKEN] = ply, mine, taken
    registers[NODES], registers[INNER] = nodes, inner
    registers[EVALUATIONS], registers[DONE] = evaluations, done
    return finished


@kernel
def alphabeta(
    stack: Array,
    values: Array,
    root_values: Array,
    roots: Array,
    registers: Array,
    begin: bool,
    mine: int,
    taken: int,
    sizes: Array,
    order: Array | None,
    wins: Array | None,
    lines: Array,
    weights: Array,
    scale: float,
    depth: int,
    win: float,
    sooner: float,
    ties: int,
    most_nodes: int,
) -> bool:
    """Begin, or go on, with the search of a position; return whether it is done.

    `order` holds sets of cells, to be tried one after the other; if it is None, the lowest bits
    come first.  Of the root actions, in the order of their bits, `root_values` and the rows of
    `roots` tell the results.

    At the first `ties` plies a window begins just below the best, so that a tie is inside it.
    """
    stride, k, board = sizes[STRIDE], sizes[K], sizes[BOARD]
    base, rising = sizes[BASE], sizes[RISING]
    if begin:
        stack[0, UNTRIED] = ((taken & rising) + base) & board & ~taken
        values[0, BEST], values[0, ALPHA], values[0, BETA] = -np.inf, -np.inf, np.inf
        roots[:, KIND] = 0
        registers[:] = 0
        registers[ROOT_MOVES] = stack[0, UNTRIED]
    else:
        mine, taken = registers[MINE], registers[TAKEN]
    nodes, inner = registers[NODES], registers[INNER]
    evaluations, cutoffs = registers[EVALUATIONS], registers[CUTOFFS]
    one = np.uint64(1)
    ply = np.uint64(registers[PLY])
    deepest = np.uint64(depth - 1)  # the last ply with children
    todo = stack[ply, UNTRIED]
    best, alpha, beta = values[ply, BEST], values[ply, ALPHA], values[ply, BETA]
    gain = win - sooner * float(ply)
    last = nodes + most_nodes
    finished = False
    while True:
        if todo:
            move = todo & -todo
            if order is not None:
                for cells in order:
                    if todo & cells:
                        move = todo & cells
                        break
            todo ^= move
            nodes += 1
            stones, left, rest = mine | move, board ^ taken ^ move, 0
            if won(stones, wins, stride, k):
                value = gain
            elif left == 0:
                value = 0.0
            elif ply == deepest:
                evaluations += 1
                value = 0.0
                if len(lines):
                    value = estimate(stones, mine ^ taken, lines, weights, scale)
            elif (
                order is None
                and popcount(left) == 2
                and ((taken | move) & rising) + base & left == left
                and ply + one != deepest
                and ties < 2
            ):
                inner += 1
                theirs = mine ^ taken
                value, limit = np.inf, beta
                for reply in (left & -left, left & (left - 1)):
                    nodes += 1
                    if won(theirs | reply, wins, stride, k):
                        result, end = sooner - gain, 0
                    else:
                        nodes += 1
                        inner += 1
                        result, end = 0.0, lowest_bit(left ^ reply) + 1
                        if won(stones | left ^ reply, wins, stride, k):
                            result = gain - 2 * sooner
                        if result >= limit:
                            cutoffs += 1
                    if result < value:
                        value = result
                        if result <= alpha:
                            cutoffs += 1
                            break
                        if result < limit:
                            limit, rest = result, end << 6 | lowest_bit(reply) + 1
            else:
                stack[ply, MOVE], stack[ply, UNTRIED] = move, todo
                values[ply, BEST], values[ply, BETA] = best, beta
                mine, taken, best = mine ^ taken, taken | move, -np.inf
                alpha, beta = -beta, -alpha
                todo = ((taken & rising) + base) & left
                ply += one
                gain -= sooner
                inner += 1
                if nodes >= last:
                    break
                continue
        elif ply:
            value, rest = -best, stack[ply, LINE]  # of use only where the value is in the window
            ply -= one
            gain += sooner
            move, todo, alpha = stack[ply, MOVE], stack[ply, UNTRIED], -beta
            best, beta = values[ply, BEST], values[ply, BETA]
            taken ^= move
            mine ^= taken
        else:
            finished = True
            break
        if ply == 0:
            root = popcount(registers[ROOT_MOVES] & (move - 1))
            root_values[root], roots[root, KIND] = value, UPPER
            if value > alpha:
                roots[root, KIND], roots[root, ROOT_LINE] = EXACT, rest << 6 | lowest_bit(move) + 1
        if value > best:
            best = value
            if value >= beta:
                cutoffs += 1
                todo = 0
            elif value > alpha:
                stack[ply, LINE] = rest << 6 | lowest_bit(move) + 1
                alpha = value
                if ply < ties:
                    alpha = np.nextafter(value, -np.inf)
    stack[ply, UNTRIED] = todo
    values[ply, BEST], values[ply, ALPHA], values[ply, BETA] = best, alpha, beta
    registers[PLY], registers[MINE], registers[TAKEN] = ply, mine, taken
    registers[NODES], registers[INNER] = nodes, inner
    registers[EVALUATIONS], registers[CUTOFFS] = evaluations, cutoffs
    return finished
