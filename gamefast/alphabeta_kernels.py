"""Minimax and alpha-beta for two players, on boards of tic-tac-toe and Connect Four as ints.

The same code plays both games, because in both a player takes a free cell and wins with k in a
row.  In Connect Four only the lowest free cell of a column can be taken, and adding 1 to the stones
of a column finds it.  So the cells that can be taken are ((taken & gravity_mask) + base) & cells &
~taken.  In Connect Four gravity_mask is -1 and base is the bottom row; in tic-tac-toe they are 0
and the whole board.

Values are for the player to move, so the value of a child is negated.  The recursion is written as
a loop over a stack, so that it can pause.  Leaves are not put on the stack, and neither are the
positions in which only the last cell, or the last two, are free.

A line of actions is one int, 6 bits for each action: the number of its bit plus 1, the first action
in the lowest bits.  It has space for TEN actions, so of a longer line it has only the first ones.
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
    """A board size of one of the games, in the form that the kernels use."""

    stride: int  # bits from one line of cells to the next
    k: int  # the number of cells in a row that wins
    cells: int  # the bits of all cells
    base: int
    gravity_mask: int


class Workspace(NamedTuple):
    """The arrays of a search, with everything that it needs after a pause."""

    stack: Array  # a row of ints for each ply: MOVE, UNTRIED, LINE
    values: Array  # a row of floats for each ply: BEST, ALPHA, BETA
    root_values: Array  # the values of the root actions, in the order of their bits
    roots: Array  # a row for each root action: KIND, ROOT_LINE, ESTIMATES
    registers: Array  # PLY to BEST_ROOT


MOVE, UNTRIED, LINE = range(3)
BEST, ALPHA, BETA = range(3)
# INNER counts the nodes with children; ROOT_EVALUATIONS counts the evaluations below the root
# actions that are finished.  BEST_ROOT is the first root action with the highest exact value; -1 if
# there is none.
PLY, MINE, TAKEN, ROOT_MOVES, ROOT_EVALUATIONS = range(5)
NODES, INNER, EVALUATIONS, CUTOFFS, BEST_ROOT = range(5, 10)
# The KIND of a root action is 0 before its search, then UPPER for an upper bound, or EXACT.
# ESTIMATES is the number of evaluations below it.
KIND, ROOT_LINE, ESTIMATES = range(3)
UPPER, EXACT = 1, 2
TEN = 10
ONE = np.uint64(1)  # an unsigned index does not have to be tested for negative values


@cache
def layout(kind: Any, rows: int, cols: int, k: int) -> tuple[BoardLayout, Array | None, list[int]]:
    """Return a board size, its table for `has_won`, and the cells that each action can take."""
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
    if width < 13:  # a larger table would fill the processor's nearest cache
        wins = np.array([find_line(stones, k, stride) for stones in range(1 << width)], np.bool_)
    return BoardLayout(stride, k, cells, base, gravity_mask), wins, moves


@inline_kernel_part
def has_won(stones: int, wins: Array | None, stride: int, k: int) -> bool:
    """Return whether there is a line; small boards have a table of all sets of stones.

    If `wins` is None, the compiler makes another kernel without the table, but only if `wins` is a
    separate argument.
    """
    if wins is None:
        return bool(has_line(stones, stride, k))
    return bool(wins[np.uint64(stones)])


@kernel_part
def estimate(mine: int, theirs: int, lines: Array, weights: Array, scale: float) -> float:
    """Return the estimate of `OpenLines` for the player who has `mine`; 0 without lines.

    A line of 0 ends a straight.  So the sum is computed in the same order, and is the same to the
    last bit.
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
    """Return the cell to try next: the lowest bit, or the one in the first set of `order`."""
    if order is not None:
        for cells in order:
            if todo & cells:
                return todo & cells
    return todo & -todo


@inline_kernel_part
def _prepend(move: int, line: int) -> int:
    return line << 6 | lowest_bit(move) + 1


def _search(prune: bool) -> Callable[..., bool]:
    """Return the kernel of alpha-beta or minimax; `prune` is a constant for the compiler."""

    @kernel
    def search(
        board: BoardLayout, wins: Array | None, heuristic: tuple[Array, Array, float],
        win: tuple[float, float], order: Array | None, work: Workspace, begin: bool, mine: int,
        taken: int, depth: int, ties: int, most_nodes: int,
    ) -> bool:  # fmt: skip
        """Begin or continue the search of a position, and return whether it is finished.

        win    a win by the action at ply n is worth win[0] - win[1] * n
        order  sets of cells, to be tried in turn; None for the lowest bits first
        ties   the number of plies at which a window begins one ulp below the best value, so that a
               tie is inside it
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
            registers[ROOT_MOVES], registers[BEST_ROOT] = stack[0, UNTRIED], -1
        else:
            mine, taken = registers[MINE], registers[TAKEN]
        # The values that change at every node are local, so that they stay in the processor; they
        # are written back at the end.
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
            # Down: try the next action; its successor gets a value now, or is put on the stack.
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
                    # Two cells are left, as in half of all inner nodes.  These nodes are searched
                    # here without the stack.  With a function for them, a search of tic-tac-toe
                    # would take 1.7 times as long.
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
            # Up: no action is left here, so the best value is the value of the parent's action.
            elif ply:
                value, rest = -best, line
                if prune:
                    rest = stack[ply, LINE]  # only used if the value is inside the window
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
            # Compare the value of the action with the best one; at the root, record it, too.
            if ply == 0:
                root = popcount(registers[ROOT_MOVES] & (move - 1))
                root_values[root], roots[root, KIND] = value, UPPER
                roots[root, ESTIMATES] = evaluations - registers[ROOT_EVALUATIONS]
                registers[ROOT_EVALUATIONS] = evaluations
                if not prune or value > alpha:
                    roots[root, KIND], roots[root, ROOT_LINE] = EXACT, _prepend(move, rest)
                    if value > best or (value == best and root < registers[BEST_ROOT]):
                        registers[BEST_ROOT] = root
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
