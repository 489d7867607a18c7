"""Minimax and alpha-beta on the bits of an int: tic-tac-toe and Connect Four for two players.

Both games are one: a player takes a free cell and wins with k in a row.  In Connect Four only the
lowest free cell of a column can be taken, and adding 1 to the stones of a column finds it.  So the
cells that can be taken are ((taken & rising) + base) & board & ~taken, with rising = -1 and base
the bottom row in Connect Four, rising = 0 and base the whole board in tic-tac-toe.

Values are those of the player to move; a child's value changes its sign.  The recursion is written
as a loop over a stack, so that it can pause; leaves are looked at without a place on the stack.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from gamelib.compiled.bits import has_line
from gamelib.compiled.machine import inlined, kernel, part, popcount
from gamelib.games.lines import has_line as find_line

Array = np.ndarray[Any, Any]

# The sizes of a board, in an array of ints.
STRIDE, K, BOARD, BASE, RISING = range(5)
# The rows of the stack, one column for each ply; and those that hold values.  Column 0 has the
# position of the node where the search is, and its beta: those above can be worked out from it.
MINE, TAKEN, UNTRIED, MOVE, LINE = range(5)
BEST, ALPHA, BETA = range(3)
# What is kept between two slices, and the counts.
PLY, NODES, LEAVES, EVALUATIONS, CUTOFFS, DONE = range(6)
# How root actions come out: their value is an upper bound, or exact.
UPPER, EXACT = 1, 2
LAST_IS_FREE = (1 << 54) - 1  # nine actions of a line: one more can be put before them


@cache
def table_of_wins(width: int, k: int, stride: int) -> Array:
    """Return whether each set of stones of so many bits has a line; no table of large boards."""
    wins = [find_line(stones, k, stride) for stones in range(1 << width)] if width < 13 else []
    return np.array(wins, np.bool_)


@inlined
def won(stones: int, wins: Array, stride: int, k: int) -> bool:
    """Return whether there is a line: small boards have a table of all sets of stones."""
    if len(wins):
        return bool(wins[np.uint64(stones)])
    return bool(has_line(stones, stride, k))


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
    sizes: Array,
    wins: Array,
    lines: Array,
    weights: Array,
    scale: float,
    depth: int,
    win: float,
    sooner: float,
    most_nodes: int,
) -> bool:
    """Go on with the full search of ply 0; return whether it is done.

    A win by the action at ply n is worth win - sooner * n.  Values of the root actions go to
    `root_values`, the best line to row LINE of the stack: 6 bits for each action, the first in the
    lowest, its bit number plus 1, as many as there is room for.
    """
    stride, k, board = sizes[STRIDE], sizes[K], sizes[BOARD]
    base, rising = sizes[BASE], sizes[RISING]
    todos, moves, found, bests = stack[UNTRIED], stack[MOVE], stack[LINE], values[BEST]
    nodes, leaves = registers[NODES], registers[LEAVES]
    evaluations, done = registers[EVALUATIONS], registers[DONE]
    one = np.uint64(1)
    ply = np.uint64(registers[PLY])
    deepest = np.uint64(depth - 1)  # the last ply with children
    mine, taken, todo, best = stack[MINE, 0], stack[TAKEN, 0], todos[ply], bests[ply]
    line, rest = found[ply], 0
    last = nodes + most_nodes
    finished = False
    while True:
        if todo:
            move = todo & -todo
            todo ^= move
            nodes += 1
            stones = mine | move
            rest = 0
            if won(stones, wins, stride, k):
                leaves += 1
                value = win - sooner * float(ply)
            elif taken | move == board:
                leaves += 1
                value = 0.0
            elif ply == deepest:
                evaluations += 1
                value = 0.0
                if len(lines):
                    value = estimate(stones, mine ^ taken, lines, weights, scale)
            else:
                todos[ply], moves[ply], found[ply], bests[ply] = todo, move, line, best
                mine, taken, best = mine ^ taken, taken | move, -np.inf
                todo = ((taken & rising) + base) & board & ~taken
                ply += one
                if nodes >= last:
                    break
                continue
        elif ply:
            value, rest = -best, line
            ply -= one
            todo, move, line, best = todos[ply], moves[ply], found[ply], bests[ply]
            taken ^= move
            mine ^= taken
        else:
            finished = True
            break
        if value > best:
            best = value
            line = (rest & LAST_IS_FREE) << 6 | popcount(move - 1) + 1
        if ply == 0:
            root_values[done] = value
            done += 1
    stack[MINE, 0], stack[TAKEN, 0] = mine, taken
    todos[ply], found[ply], bests[ply] = todo, line, best
    registers[PLY], registers[NODES], registers[LEAVES] = ply, nodes, leaves
    registers[EVALUATIONS], registers[DONE] = evaluations, done
    return finished


@kernel
def alphabeta(
    stack: Array,
    values: Array,
    root_values: Array,
    root_kinds: Array,
    path: Array,
    root_paths: Array,
    registers: Array,
    sizes: Array,
    order: Array,
    wins: Array,
    lines: Array,
    weights: Array,
    scale: float,
    depth: int,
    win: float,
    sooner: float,
    strict: bool,
    all_best: bool,
    most_nodes: int,
) -> bool:
    """Go on with the search of ply 0; return whether it is done.

    `order` holds sets of cells, to be tried one after the other; if it is empty, the lowest bits
    come first.  Row p of `path` is the best line from ply p on, ended by a 0.  Of the root actions,
    one for each bit number, `root_values`, `root_kinds` and `root_paths` tell the results.
    """
    stride, k, board = sizes[STRIDE], sizes[K], sizes[BOARD]
    base, rising = sizes[BASE], sizes[RISING]
    todos, moves, bests, alphas = stack[UNTRIED], stack[MOVE], values[BEST], values[ALPHA]
    nodes, leaves = registers[NODES], registers[LEAVES]
    evaluations, cutoffs, done = registers[EVALUATIONS], registers[CUTOFFS], registers[DONE]
    one = np.uint64(1)
    ply = np.uint64(registers[PLY])
    deepest = np.uint64(depth - 1)  # the last ply with children
    # Of the nodes above, only this is kept: the rest can be worked out on the way back.
    mine, taken = stack[MINE, 0], stack[TAKEN, 0]
    todo, best, alpha, beta = todos[ply], bests[ply], alphas[ply], values[BETA, 0]
    last = nodes + most_nodes
    finished = False
    while True:
        if todo:
            move = todo & -todo
            for i in range(len(order)):
                if todo & order[i]:
                    move = todo & order[i]
                    break
            todo ^= move
            nodes += 1
            stones = mine | move
            if won(stones, wins, stride, k):
                leaves += 1
                value = win - sooner * float(ply)
            elif taken | move == board:
                leaves += 1
                value = 0.0
            elif ply == deepest:
                evaluations += 1
                value = 0.0
                if len(lines):
                    value = estimate(stones, mine ^ taken, lines, weights, scale)
            else:
                todos[ply], moves[ply], bests[ply], alphas[ply] = todo, move, best, alpha
                mine, taken, best = mine ^ taken, taken | move, -np.inf
                alpha, beta = -beta, -alpha
                todo = ((taken & rising) + base) & board & ~taken
                ply += one
                path[ply, 0] = 0
                if nodes >= last:
                    break
                continue
            path[ply + one, 0] = 0
        elif ply:
            value = -best
            ply -= one
            todo, move, best, alpha = todos[ply], moves[ply], bests[ply], alphas[ply]
            taken ^= move
            mine ^= taken
            beta = -alphas[ply - one] if ply else np.inf
        else:
            finished = True
            break
        if ply == 0:
            root = popcount(move - 1)
            root_values[root] = value
            root_kinds[root] = UPPER
            done += 1
            if value > alpha or (strict and value == alpha):
                root_kinds[root] = EXACT
                _lengthen(root_paths[root], move, path[1])
        if value > best:
            best = value
            if alpha < value < beta or (strict and alpha <= value <= beta):
                _lengthen(path[ply], move, path[ply + one])
            if value > alpha:
                alpha = np.nextafter(value, -np.inf) if all_best and ply == 0 else value
            if beta < alpha or (beta == alpha and not strict):
                cutoffs += 1
                todo = 0
    stack[MINE, 0], stack[TAKEN, 0], values[BETA, 0] = mine, taken, beta
    todos[ply], bests[ply], alphas[ply] = todo, best, alpha
    registers[PLY], registers[NODES], registers[LEAVES] = ply, nodes, leaves
    registers[EVALUATIONS], registers[CUTOFFS], registers[DONE] = evaluations, cutoffs, done
    return finished


@part
def _lengthen(path: Array, move: int, rest: Array) -> None:
    """Make `path` the line of `move` and then `rest`."""
    path[0] = move
    i = 0
    while rest[i]:
        path[i + 1] = rest[i]
        i += 1
    path[i + 1] = 0
