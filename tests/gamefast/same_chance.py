"""The readable `mcts` with the chance of the machine code, so that both grow the same tree.

It draws from the same sequence of numbers, in the same way, and selects by scores of 32 bits.
"""

from math import log
from random import Random
from unittest import mock

import numpy as np

import gamelib
from gamelib.games import ConnectFour, Nim
from gamelib.search.rollouts import random_rollout

STEP, PLUS, WORD = 6364136223846793005, 1442695040888963407, 1 << 64


class Chance(Random):
    """The upper half of the numbers of the kernels, from a seed on."""

    def __init__(self, seed):
        super().__init__()
        self.last = Random(seed).getrandbits(64) - (1 << 63)

    def random(self):
        self.last = (self.last * STEP + PLUS) % WORD
        return (self.last >> 32) / (1 << 32)


def rollout(state, rng):
    """Return an action as the kernels draw it: on a board among all, until one is legal."""
    if isinstance(state, Nim):
        return random_rollout(state, rng)
    size = state.cols if isinstance(state, ConnectFour) else state.rows * state.cols
    legal = state.legal_actions()
    while (action := int(rng.random() * size)) not in legal:
        pass
    return action


def select(tree):
    """Return what `gamelib.search.mcts.select` does, with scores of 32 bits."""
    edge = tree.root_edge
    path, node, single = [edge], edge.node, np.float32
    while node.expanded:
        scale = single(min(tree.c, 1e30)) * single(log(node.visits) ** 0.5)
        scores = [
            single(each.total) / single(each.visits) + scale * (1 / np.sqrt(single(each.visits)))
            for each in node.open_edges
        ]
        edge = node.open_edges[int(np.argmax(scores))]
        path.append(edge)
        node = edge.node
    return path


def mcts(state, *, rng, **options):
    """Return what `gamelib.mcts` finds with the numbers that machine code draws from this seed."""
    with mock.patch("gamelib.search.mcts.select", select):
        return gamelib.mcts(state, rng=Chance(rng), rollout=rollout, **options)
