"""Nim for two players: minimax and alpha-beta, and all scores by dynamic programming."""

from __future__ import annotations

from typing import Any

import numpy as np

from gamelib.compiled.boards import EXACT, UPPER
from gamelib.compiled.machine import kernel, part

Array = np.ndarray[Any, Any]

# The rows of the stack, one column for each ply; and those that hold values.
HEAP, TAKE = range(2)
BEST, ALPHA, BETA = range(3)
# What is kept between two slices, and the counts.
PLY, NODES, LEAVES, EVALUATIONS, CUTOFFS, DONE = range(6)
SHIFT = 20  # an action in a line is heap << SHIFT | take


@kernel
def search(
    heaps: Array, stack: Array, values: Array, root_values: Array, root_kinds: Array, path: Array,
    root_paths: Array, registers: Array, most_take: int, depth: int, win: float, sooner: float,
    prune: bool, strict: bool, all_best: bool, most_nodes: int,
) -> bool:  # fmt: skip
    """Go on with the search of ply 0; return whether it is done.

    This is `boards.alphabeta`, or `boards.minimax` if `prune` is false.  Who takes the last stone
    by the action at ply n gets win - sooner * n.
    """
    done = registers[DONE]
    nodes, leaves = registers[NODES], registers[LEAVES]
    evaluations, cutoffs = registers[EVALUATIONS], registers[CUTOFFS]
    ply = registers[PLY]
    heap, take, best = stack[HEAP, ply], stack[TAKE, ply], values[BEST, ply]
    alpha, beta = values[ALPHA, ply], values[BETA, ply]
    left = heaps.sum()
    last = nodes + most_nodes
    finished = False
    while True:
        take += 1
        while heap < len(heaps) and take > min(heaps[heap], most_take):
            heap, take = heap + 1, 1
        if heap < len(heaps):
            nodes += 1
            path[ply + 1, 0] = 0
            if left == take:
                leaves += 1
                value = win - sooner * ply
            elif ply == depth - 1:
                evaluations += 1
                value = 0.0
            else:
                stack[HEAP, ply], stack[TAKE, ply] = heap, take
                values[BEST, ply], values[ALPHA, ply], values[BETA, ply] = best, alpha, beta
                heaps[heap] -= take
                left -= take
                ply += 1
                heap, take, best = 0, 0, -np.inf
                if prune:
                    alpha, beta = -beta, -alpha
                if nodes >= last:
                    stack[HEAP, ply], stack[TAKE, ply] = heap, take
                    values[BEST, ply], values[ALPHA, ply], values[BETA, ply] = best, alpha, beta
                    break
                continue
        elif ply:
            value = -best
            ply -= 1
            heap, take, best = stack[HEAP, ply], stack[TAKE, ply], values[BEST, ply]
            alpha, beta = values[ALPHA, ply], values[BETA, ply]
            heaps[heap] += take
            left += take
        else:
            finished = True
            break
        action = heap << SHIFT | take
        if ply == 0:
            root_values[done] = value
            root_kinds[done] = UPPER
            if value > alpha or (strict and value == alpha):
                root_kinds[done] = EXACT
                _lengthen(root_paths[done], action, path[1])
            done += 1
        if value > best:
            best = value
            if alpha < value < beta or (strict and alpha <= value <= beta):
                _lengthen(path[ply], action, path[ply + 1])
            if prune:
                if value > alpha:
                    alpha = np.nextafter(value, -np.inf) if all_best and ply == 0 else value
                if beta < alpha or (beta == alpha and not strict):
                    cutoffs += 1
                    heap, take = len(heaps), 0
    registers[PLY], registers[NODES], registers[LEAVES] = ply, nodes, leaves
    registers[EVALUATIONS], registers[CUTOFFS], registers[DONE] = evaluations, cutoffs, done
    return finished


@part
def _lengthen(path: Array, action: int, rest: Array) -> None:
    path[0] = action
    i = 0
    while rest[i]:
        path[i + 1] = rest[i]
        i += 1
    path[i + 1] = 0


@kernel
def fill(
    scores: Array, steps: Array, sizes: Array, first: int, last: int, most_take: int, payoff: int,
    far: int,
) -> None:  # fmt: skip
    """Fill in the scores of the positions from `first` on, before `last`.

    A position is the sum of heap * step; taking stones leads to a smaller number.  A score is
    far - n for a win in n plies, n - far for a loss; `payoff` is 1 if the last stone wins.
    """
    for position in range(first, last):
        best = -far * payoff  # no stones: the player before took the last one
        if position:
            best = -far - 1
            for heap in range(len(sizes)):
                held = position // steps[heap] % sizes[heap]
                for take in range(1, min(held, most_take) + 1):
                    reply = scores[position - take * steps[heap]]
                    best = max(best, -reply - 1 if reply < 0 else 1 - reply)
        scores[position] = best
