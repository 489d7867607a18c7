"""Nim for two players: the searches of `gamelib.compiled.heaps` in the words of the game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, prod
from typing import Any

import numpy as np

from gamelib.compiled import boards, heaps
from gamelib.compiled.machine import SLICE
from gamelib.games import Nim
from gamelib.search.limits import WIN, best_of
from gamelib.search.result import Bound, Stats
from gamelib.state import Action

Array = np.ndarray[Any, Any]

MOST_PLIES = 500
MOST_POSITIONS = 1 << 24


class NimSearch:
    """Minimax or alpha-beta, and what is found."""

    def __init__(
        self,
        state: Nim,
        depth: int | None,
        quick_wins: bool,
        *,
        prune: bool,
        strict: bool = False,
        all_best: bool = False,
    ) -> None:
        stones = sum(state.heaps)
        self.depth = stones + 1 if depth is None else min(depth, stones + 1)
        if self.depth > MOST_PLIES:
            raise ValueError(
                f"depth must be at most {MOST_PLIES} with so many stones; got {depth!r}, and the "
                f"heaps are {state}"
            )
        actions = len(state.legal_actions())
        self.heaps = np.array(state.heaps, np.int64)
        self.most_take = state.max_take or max(state.heaps)
        self.stack = np.zeros((2, self.depth + 2), np.int64)
        self.values = np.full((3, self.depth + 2), -inf)
        self.values[heaps.BETA] = inf
        self.root_values = np.zeros(actions)
        self.kinds = np.zeros(actions, np.int8)
        self.path = np.zeros((self.depth + 2, self.depth + 3), np.int64)
        self.root_paths = np.zeros((actions, self.depth + 3), np.int64)
        self.registers = np.zeros(heaps.DONE + 1, np.int64)
        payoff = -1 if state.misere else 1
        self.win = payoff * (WIN - 1.0 if quick_wins else 1.0), float(payoff * quick_wins)
        self.options = prune, bool(strict), bool(all_best)

    def go_on(self) -> bool:
        """Search a slice more; return whether the search is done."""
        done: bool = heaps.search(
            self.heaps, self.stack, self.values, self.root_values, self.kinds, self.path,
            self.root_paths, self.registers, self.most_take, self.depth, *self.win, *self.options,
            SLICE,
        )  # fmt: skip
        return done

    def bounds(self, actions: Sequence[Action]) -> dict[Action, Bound]:
        """Return what is known of the root actions that were looked at."""
        return {
            action: Bound(int(value), "exact" if kind == boards.EXACT else "upper")
            for action, value, kind in zip(
                actions, self.root_values.tolist(), self.kinds.tolist(), strict=True
            )
            if kind
        }

    def found(self, actions: Sequence[Action]) -> dict[Action, float]:
        """Return the values of the root actions that were looked at."""
        return {action: bound.value for action, bound in self.bounds(actions).items()}

    def progress(self, actions: Sequence[Action]) -> tuple[float, Action]:
        """Return the share of the root actions that are done, and the best so far."""
        found = self.found(actions)
        return len(found) / len(actions), best_of(found)

    def line(self, actions: Sequence[Action], action: Action) -> tuple[Action, ...]:
        """Return the line of best play after a root action whose value is exact."""
        line = []
        for packed in self.root_paths[list(actions).index(action)].tolist():
            if not packed:
                break
            line.append((packed >> heaps.SHIFT, packed & (1 << heaps.SHIFT) - 1))
        return tuple(line)

    def stats(self) -> Stats:
        """Return the counts."""
        _, nodes, leaves, evaluations, cutoffs, _ = map(int, self.registers)
        return Stats(nodes=nodes + 1, leaves=leaves, evaluations=evaluations, cutoffs=cutoffs)


class NimProver:
    """What `solve` asks of Nim: all positions below this one are solved in a table."""

    def __init__(self, state: Nim, look: Callable[[], None]) -> None:
        self.state = state
        sizes = [heap + 1 for heap in state.heaps]
        self.positions = prod(sizes)
        if self.positions > MOST_POSITIONS:
            raise ValueError(
                f"this game is too large for solve: it has {self.positions:,} positions, more than "
                f"{MOST_POSITIONS:,}.  `nim_winning_actions` knows the theory"
            )
        self.steps = [prod(sizes[:heap]) for heap in range(len(sizes))]
        self.limit = sum(state.heaps) + 2
        self.scores = np.empty(self.positions, np.int32)
        self.look = look
        self.filled = 0

    def fill(self) -> None:
        """Solve all positions."""
        most_take = self.state.max_take or max(self.state.heaps)
        sizes = np.array(self.state.heaps, np.int64) + 1
        steps = np.array(self.steps, np.int64)
        payoff = -1 if self.state.misere else 1
        step = max(1, SLICE // int(sizes.sum()))
        while self.filled < self.positions:
            self.look()
            last = min(self.filled + step, self.positions)
            heaps.fill(self.scores, steps, sizes, self.filled, last, most_take, payoff, self.limit)
            self.filled = last

    @property
    def nodes(self) -> int:
        """The positions solved so far."""
        return self.filled

    def score_of(self, state: Nim) -> int:
        """Return the score of a position."""
        self.fill()
        return int(self.scores[sum(map(int.__mul__, state.heaps, self.steps))])

    def first_best(self, limit: int) -> tuple[Action, int]:
        """Return the first best action and the score of the position, at most `limit`."""
        actions = self.state.legal_actions()
        action = max(actions, key=lambda action: self.reply_score(action, -limit, limit))
        return action, self.reply_score(action, -limit, limit)

    def reply_score(self, action: Action, least: int, most: int) -> int:
        """Return the score of the position if `action` is played, or the bound it is beyond."""
        return min(max(least, self.reply(self.state, action)), most)

    def reply(self, state: Nim, action: Action) -> int:
        """Return the score of `state` if `action` is played: one ply farther away."""
        reply = self.score_of(state.successor(action))
        return -reply - 1 if reply < 0 else 1 - reply

    def distance(self, score: int) -> int | None:
        """Return the plies to the end of the game with this score."""
        return self.limit - abs(score)

    def line(self, score: int) -> tuple[Action, ...]:
        """Return the line of first best actions."""
        state, line = self.state, []
        while not state.is_terminal():
            actions = state.legal_actions()
            line.append(max(actions, key=lambda action: self.reply(state, action)))
            state = state.successor(line[-1])
        return tuple(line)
