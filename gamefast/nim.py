"""Nim for two players solved: the scores of all positions, by dynamic programming."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from gamefast.machine import SLICE, Array, kernel
from gamelib.games import Nim
from gamelib.search.limits import TooLargeError
from gamelib.state import Action

MOST_POSITIONS = 1 << 24


@kernel
def fill(
    scores: Array, best: Array, since: Array, steps: Array, sizes: Array, first: int, last: int,
    most_take: int, payoff: int, far: int,
) -> None:  # fmt: skip
    """Fill in the scores of the positions from `first` on, before `last`.

    A position is the sum of heap * step; taking stones leads to a smaller number.  A score is
    far - n for a win in n plies, n - far for a loss; `payoff` is 1 if the last stone wins.

    The best score that taking from a heap brings is nearly always the one of a stone less, or what
    the stone before brings.  So it is kept, with the size of the heap that it leaves, for each set
    of smaller heaps: before a heap grows by a stone, all of these have come once.
    """
    for position in range(first, last):
        found, place = -far - 1, 0
        for heap in range(len(sizes)):
            step = steps[heap]
            lots = position // step
            held, here = lots % sizes[heap], place + position - lots * step
            place += step
            if held == 0:
                continue
            again = held == 1 or held - since[here] > most_take
            if again:
                best[here] = -far - 1
            for take in range(min(held, most_take) if again else 1, 0, -1):
                reply = scores[position - take * step]
                score = -reply - 1 if reply < 0 else 1 - reply
                if score >= best[here]:
                    best[here], since[here] = score, held - take
            found = max(found, best[here])
        scores[position] = found if position else -far * payoff  # the player before took the last


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
        self.most_take = state.max_take or max(state.heaps)
        self.steps = [prod(sizes[:heap]) for heap in range(len(sizes))]
        self.limit = sum(state.heaps) + 2
        self.scores = np.empty(self.positions, np.int32)
        best, since = np.empty((2, sum(self.steps)), np.int32)
        shape = np.array(self.steps, np.int64), np.array(sizes, np.int64)
        self.arrays = self.scores, best, since, *shape
        self.look = look
        self.nodes = 0  # the positions solved so far

    def fill(self) -> None:
        """Solve all positions."""
        rules = self.most_take, -1 if self.state.misere else 1, self.limit
        while self.nodes < self.positions:
            self.look()
            last = min(self.nodes + SLICE, self.positions)
            fill(*self.arrays, self.nodes, last, *rules)
            self.nodes = last

    def replies(self, state: Nim) -> Array:
        """Return the score that each action brings, in `legal_actions` order."""
        self.fill()
        place = sum(map(int.__mul__, state.heaps, self.steps))
        rows = [
            self.scores[place - min(heap, self.most_take) * step : place : step][::-1]
            for heap, step in zip(state.heaps, self.steps, strict=True)
        ]
        found = np.concatenate(rows)
        return np.where(found < 0, -found - 1, 1 - found)

    def first_best(self) -> tuple[Action, int]:
        """Return the first best action and the score of the position."""
        replies = self.replies(self.state)
        first = int(replies.argmax())
        return self.state.legal_actions()[first], int(replies[first])

    def reply_scores(self, scores: dict[Action, int]) -> None:
        """Enter the score of the position for each action in `scores`."""
        replies = self.replies(self.state).tolist()
        scores.update(zip(self.state.legal_actions(), replies, strict=True))

    def close(self) -> int:
        """Return the number of positions that were solved."""
        return self.nodes

    def distance(self, score: int) -> int | None:
        """Return the plies to the end of the game with this score."""
        return self.limit - abs(score)

    def follow(self, score: int, line: list[Action]) -> None:
        """Append the line of first best actions."""
        state = self.state
        while not state.is_terminal():
            self.look()
            line.append(state.legal_actions()[int(self.replies(state).argmax())])
            state = state.successor(line[-1])
