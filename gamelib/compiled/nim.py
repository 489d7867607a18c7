"""Nim for two players solved: the scores of all positions, by dynamic programming."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from gamelib.compiled.machine import SLICE, Array, kernel
from gamelib.games import Nim
from gamelib.search.limits import TooLargeError
from gamelib.state import Action

MOST_POSITIONS = 1 << 24


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


class NimProver:
    """What `solve` asks of Nim, see `Prover`: all positions below are solved in a table."""

    def __init__(self, state: Nim, look: Callable[[], None]) -> None:
        self.state = state
        sizes = [heap + 1 for heap in state.heaps]
        self.positions = prod(sizes)
        if self.positions > MOST_POSITIONS:
            has = f"it has {self.positions:,} positions, more than {MOST_POSITIONS:,}"
            theory = "`nim_winning_actions` knows the theory"
            raise TooLargeError(f"this game is too large for solve: {has}.  {theory}")
        self.steps = [prod(sizes[:heap]) for heap in range(len(sizes))]
        self.limit = sum(state.heaps) + 2
        self.scores = np.empty(self.positions, np.int32)
        self.look = look
        self.nodes = 0  # the positions solved so far

    def fill(self) -> None:
        """Solve all positions."""
        most_take = self.state.max_take or max(self.state.heaps)
        sizes = np.array(self.state.heaps, np.int64) + 1
        steps = np.array(self.steps, np.int64)
        payoff = -1 if self.state.misere else 1
        step = max(1, SLICE // int(sizes.sum()))
        while self.nodes < self.positions:
            self.look()
            last = min(self.nodes + step, self.positions)
            fill(self.scores, steps, sizes, self.nodes, last, most_take, payoff, self.limit)
            self.nodes = last

    def first_best(self, limit: int) -> tuple[Action, int]:
        """Return the first best action and the score of the position, at most `limit`."""
        action = max(self.state.legal_actions(), key=lambda each: self.reply_score(each, limit))
        return action, self.reply_score(action, limit)

    def reply_score(self, action: Action, limit: int) -> int:
        """Return the score of the position if `action` is played, from -`limit` to `limit`."""
        return min(max(-limit, self.reply(self.state, action)), limit)

    def reply(self, state: Nim, action: Action) -> int:
        """Return the score of `state` if `action` is played: one ply farther away."""
        self.fill()
        reply = int(self.scores[sum(map(int.__mul__, state.successor(action).heaps, self.steps))])
        return -reply - 1 if reply < 0 else 1 - reply

    def distance(self, score: int) -> int | None:
        """Return the plies to the end of the game with this score."""
        return self.limit - abs(score)

    def line(self, score: int) -> tuple[Action, ...]:
        """Return the line of first best actions."""
        state, line = self.state, []
        while not state.is_terminal():
            line.append(max(state.legal_actions(), key=lambda a: self.reply(state, a)))
            state = state.successor(line[-1])
        return tuple(line)
