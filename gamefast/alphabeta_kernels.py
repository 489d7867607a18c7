"""Minimax and alpha-beta on the bits of an int: tic-tac-toe and Connect Four for two players.

Both games are one: a player takes a free cell and wins with k in a row.  In Connect Four only the
lowest free cell of a column can be taken, and adding 1 to the stones of a column finds it.  So the
cells that can be taken are ((taken & gravity_mask) + base) & cells & ~taken.  In Connect Four
gravity_mask is -1 and base the bottom row; in tic-tac-toe they are 0 and the whole board.

Values are those of the player to move; a child's value changes its sign.  The recursion is written
as a loop over a stack, so that it can pause; a leaf has no place on the stack, and neither have the
positions before the last cell, or the last two, are taken.

A line of actions is one int, 6 bits for each action: the number of its bit plus 1, the first action
in the lowest bits.  It has room for TEN actions; of a longer line it holds the first ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from gamefast.backend import Array, inline_kernel_part, kernel, kernel_part, lowest_bit, popcount
from gamefast.bitboards import has_line
from gamelib.games import ConnectFour
from gamelib.games.k_in_a_row import has_line as find_line


class BoardLayout(NamedTuple):
    """A size of board of one of the games, as the kernels see it."""

    stride: int  # bits from one line of cells to the next
    k: int  # so many in a row win
    cells: int  # all of them
    base: int
    gravity_mask: int


class Workspace(NamedTuple):
    """What a search works in; it keeps all there that it needs after a pause."""

    stack: Array  # a row of ints for each ply: MOVE, UNTRIED, LINE
    values: Array  # and of floats: BEST, ALPHA, BETA
    root_values: Array  # of the root actions, in the order of their bits
    roots: Array  # and a row for each of them: KIND, ROOT_LINE, ESTIMATES
    registers: Array  # PLY to CUTOFFS


MOVE, UNTRIED, LINE = range(3)
BEST, ALPHA, BETA = range(3)
# Inner nodes are those with children; the evaluations below the root actions noted are
# ROOT_EVALUATIONS.
PLY, MINE, TAKEN, ROOT_MOVES, ROOT_EVALUATIONS, NODES, INNER, EVALUATIONS, CUTOFFS = range(9)
# Of a root action: nothing is known yet, its value is an upper bound, or exact; and how many
# evaluations stand behind it.
KIND, ROOT_LINE, ESTIMATES = range(3)
UPPER, EXACT = 1, 2
TEN = 10
ONE = np.uint64(1)  # an unsigned index needs no test whether it is negative


@cache
def layout(kind: Any, rows: int, cols: int, k: int) -> tuple[BoardLayout, Array | None, list[int]]:
    """Return a size of board, its table for `has_won`, and the cells that each action may take."""
    state = kind(rows, cols, k)
    bits = [[state.bit(row, col) for col in range(cols)] for row in range(rows)]
    cells = sum(map(sum, bits))
    if kind is ConnectFour:
        stride, base, gravity_mask = rows + 1, sum(bits[-1]), -1
        moves = [sum(column) for column in zip(*bits, strict=True)]
    else:
        stride, base, gravity_mask = cols + 1, cells, 0
        moves = [bit for row in bits for bit in row]
    width, wins = cells.bit_length(), None
    if width < 13:  # a larger table would leave no room in the processor's nearest cache
        wins = np.array([find_line(stones, k, stride) for stones in range(1 << width)], np.bool_)
    return BoardLayout(stride, k, cells, base, gravity_mask), wins, moves


@inline_kernel_part
def has_won(stones: int, wins: Array | None, stride: int, k: int) -> bool:
    """Return whether there is a line: small boards have a table of all sets of stones.

    Of None the compiler makes another kernel, without the table, but only where `wins` is an
    argument of its own.
    """
    if wins is None:
        return bool(has_line(stones, stride, k))
    return bool(wins[np.uint64(stones)])


@kernel_part
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


@inline_kernel_part
def _next_move(todo: int, order: Array | None) -> int:
    """Return the cell to try next: the lowest bit, or that of the first set in `order`."""
    if order is not None:
        for cells in order:
            if todo & cells:
                return todo & cells
    return todo & -todo


@inline_kernel_part
def _prepend(move: int, line: int) -> int:
    return line << 6 | lowest_bit(move) + 1


def _search(prune: bool) -> Callable[..., bool]:
    """Return alpha-beta, or minimax: to the compiler `prune` is a constant, so it tests nothing."""

    @kernel
    def search(
        work: Workspace, board: BoardLayout, wins: Array | None,
        heuristic: tuple[Array, Array, float], order: Array | None, begin: bool,
        mine: int, taken: int, depth: int, win: tuple[float, float], ties: int, most_nodes: int,
    ) -> bool:  # fmt: skip
        """Begin, or go on, with the search of a position; return whether it is done.

        win    a win by the action at ply n is worth win[0] - win[1] * n
        order  sets of cells, to be tried one after the other; None for the lowest bits first
        ties   at so many plies a window begins just below the best, so that a tie is inside it
        """
        stack, values, root_values, roots, registers = work
        stride, k, cells, base, gravity_mask = board
        lines, weights, scale = heuristic
        sooner = win[1]
        if begin:
            stack[0, UNTRIED] = ((taken & gravity_mask) + base) & cells & ~taken
            values[0, BEST], values[0, ALPHA], values[0, BETA] = -np.inf, -np.inf, np.inf
            roots[:, KIND] = 0
            registers[:] = 0
            registers[ROOT_MOVES] = stack[0, UNTRIED]
        else:
            mine, taken = registers[MINE], registers[TAKEN]
        # All that changes at every node is kept in the processor, and written back at the end.
        nodes, inner = registers[NODES], registers[INNER]
        evaluations, cutoffs = registers[EVALUATIONS], registers[CUTOFFS]
        ply = np.uint64(registers[PLY])
        deepest = np.uint64(depth - 1)  # the last ply with children
        todo, line = stack[ply, UNTRIED], stack[ply, LINE]
        best, alpha, beta = values[ply, BEST], values[ply, ALPHA], values[ply, BETA]
        gain = win[0] - sooner * float(ply)
        last = nodes + most_nodes
        finished = False
        while True:
            # Down: try the next action; what follows has a value at once, or a place on the stack.
            if todo:
                move = _next_move(todo, order)
                todo ^= move
                nodes += 1
                stones, left, rest = mine | move, cells ^ taken ^ move, 0
                if has_won(stones, wins, stride, k):
                    value = gain
                elif left == 0:
                    value = 0.0
                elif ply == deepest:
                    evaluations += 1
                    value = 0.0
                    if len(lines):
                        value = estimate(stones, mine ^ taken, lines, weights, scale)
                elif not prune and left & (left - 1) == 0:
                    nodes += 1
                    inner += 1
                    rest = _prepend(left, 0)
                    value = 0.0
                    if has_won(mine ^ taken | left, wins, stride, k):
                        value = sooner - gain
                elif (
                    prune
                    and order is None
                    and popcount(left) == 2
                    and ((taken | move) & gravity_mask) + base & left == left
                    and ply + ONE != deepest
                    and ties < 2
                ):
                    # Two cells are left, which is so at half of all inner nodes: here they take no
                    # place on the stack.  A function of their own would make a search of
                    # tic-tac-toe 1.7 times as long.
                    inner += 1
                    theirs = mine ^ taken
                    value, limit = np.inf, beta
                    for reply in (left & -left, left & (left - 1)):
                        nodes += 1
                        if has_won(theirs | reply, wins, stride, k):
                            result, end = sooner - gain, 0
                        else:
                            nodes += 1
                            inner += 1
                            result, end = 0.0, _prepend(left ^ reply, 0)
                            if has_won(stones | left ^ reply, wins, stride, k):
                                result = gain - 2 * sooner
                            if result >= limit:
                                cutoffs += 1
                        if result < value:
                            value = result
                            if result <= alpha:
                                cutoffs += 1
                                break
                            if result < limit:
                                limit, rest = result, _prepend(reply, end)
                else:
                    stack[ply, MOVE], stack[ply, UNTRIED], values[ply, BEST] = move, todo, best
                    mine, taken, best = mine ^ taken, taken | move, -np.inf
                    if prune:
                        values[ply, BETA] = beta
                        alpha, beta = -beta, -alpha
                    else:
                        stack[ply, LINE] = line
                    todo = ((taken & gravity_mask) + base) & left
                    ply += ONE
                    gain -= sooner
                    inner += 1
                    if nodes >= last:
                        break
                    continue
            # Up: no action is left here, so the best of them is the value of the action above.
            elif ply:
                value, rest = -best, line
                if prune:
                    rest = stack[ply, LINE]  # of use only where the value is in the window
                ply -= ONE
                gain += sooner
                move, todo, best = stack[ply, MOVE], stack[ply, UNTRIED], values[ply, BEST]
                if prune:
                    alpha, beta = -beta, values[ply, BETA]
                else:
                    line = stack[ply, LINE]
                taken ^= move
                mine ^= taken
            else:
                finished = True
                break
            # Take the value of the action, which may be the best; at the root it is written down.
            if ply == 0:
                root = popcount(registers[ROOT_MOVES] & (move - 1))
                root_values[root], roots[root, KIND] = value, UPPER
                roots[root, ESTIMATES] = evaluations - registers[ROOT_EVALUATIONS]
                registers[ROOT_EVALUATIONS] = evaluations
                if not prune or value > alpha:
                    roots[root, KIND], roots[root, ROOT_LINE] = EXACT, _prepend(move, rest)
            if value > best:
                best = value
                if prune and value >= beta:
                    cutoffs += 1
                    todo = 0
                elif not prune:
                    line = _prepend(move, rest)
                elif value > alpha:
                    stack[ply, LINE] = _prepend(move, rest)
                    alpha = np.nextafter(value, -np.inf) if ply < ties else value
        stack[ply, UNTRIED] = todo
        if not prune:
            stack[ply, LINE] = line
        values[ply, BEST], values[ply, ALPHA], values[ply, BETA] = best, alpha, beta
        registers[PLY], registers[MINE], registers[TAKEN] = ply, mine, taken
        registers[NODES], registers[INNER] = nodes, inner
        registers[EVALUATIONS], registers[CUTOFFS] = evaluations, cutoffs
        return finished

    return search


minimax, alphabeta = _search(prune=False), _search(prune=True)
