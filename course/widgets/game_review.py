"""The review of a game: how each move changed the result, exactly or as an estimate.

A move is judged by two exact values for the player who made it: the value of the position before
it, and the value of the position after it.  A move that is not proven gets an estimate of MCTS.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from course.draw.wording import format_value
from course.widgets.oracle import (
    RESULTS,
    SOLVE_SECONDS,
    UnsolvableError,
    exact_action_values,
    exact_value,
)
from gamefast.fast import fastest
from gamelib.search import mcts
from gamelib.search.callbacks import Progress, Stop
from gamelib.state import CHANCE, Action, GameState

PROOF_SECONDS = 20  # for the proofs of a whole game; a single position has SOLVE_SECONDS
SIMULATIONS = 2_000  # of the estimate of a move, with a fixed seed
LOST = "could not be saved"
OPEN = "not judged"
LEGEND = (
    f"An estimate is the mean result of a move in {SIMULATIONS:,} simulations of MCTS, from "
    "-1 (a loss) to 1 (a win) for the player who made it. It proves nothing."
)


@dataclass(frozen=True)
class ReviewedMove:
    """A move, and the values for the player who made it.

    state     the position before the move
    before    the proven value of this position; None if it is unknown
    after     the proven value of the position after the move
    estimate  the estimated values of the move and of the best move found, if not all is proven
    """

    state: GameState
    action: Action
    before: float | None = None
    after: float | None = None
    estimate: tuple[float, float] | None = None

    @property
    def by_chance(self) -> bool:
        """Whether the move is the outcome of a chance node, such as a roll of the dice."""
        return self.state.current_player == CHANCE

    @property
    def proven(self) -> bool:
        """Whether the values before and after the move are proven."""
        return self.before is not None and self.after is not None

    @property
    def thrown_away(self) -> str:
        """The result that the move has lost for certain: "win", "draw" or ""."""
        if not self._has_results or self.before is None or self.after == self.before:
            return ""
        return RESULTS[self.before]

    @property
    def _has_results(self) -> bool:
        """Whether the proven values are results, and not other payoffs or means over the dice."""
        plain = self.state.max_utility == 1 and not self.state.has_chance
        return plain and {self.before, self.after} <= RESULTS.keys()

    @property
    def verdict(self) -> str:
        """How the move changed the result, in a few words."""
        if self.by_chance:
            return "chance"
        if self.before is not None and self.after is not None:
            return self._proven_verdict(self.before, self.after)
        if self.estimate is None:
            return OPEN
        mean, best = self.estimate
        return f"estimate {mean:.2f}, best move {best:.2f}"

    def _proven_verdict(self, before: float, after: float) -> str:
        if not self._has_results:
            if after == before:
                return f"kept {_number(before)}"
            average = " on average" if self.state.has_chance else ""
            return f"gave away {_number(before - after)}{average}"
        if lost := self.thrown_away:
            return f"threw a {lost} away" + (", now a draw" if after == 0 else ", now a loss")
        return LOST if before == -1 else f"kept the {RESULTS[before]}"


def _number(value: float) -> str:
    return format_value(int(value) if value == int(value) else float(value))


def review(
    positions: Sequence[GameState],
    actions: Sequence[Action],
    progress: Progress,
    stop: Stop,
) -> list[ReviewedMove]:
    """Return each move of a game with its values; `positions` has one more entry than `actions`.

    The last moves are judged first, because their positions are the easiest to solve.  `progress`
    receives all moves, with the values known so far.  After a stop, the others have no values.
    """
    reviewer = _Reviewer(positions, actions, stop)
    plies = range(len(actions))[::-1]
    tasks = [(judge, ply) for judge in (reviewer.prove, reviewer.estimate) for ply in plies]
    for done, (judge, ply) in enumerate(tasks, 1):
        if stop():
            break
        judge(ply)
        progress(done / len(tasks), [*reviewer.moves])
    return reviewer.moves


def unjudged_moves(positions: Sequence[GameState], actions: Sequence[Action]) -> list[ReviewedMove]:
    """Return the moves of a game without any values."""
    return [ReviewedMove(*move) for move in zip(positions, actions, strict=False)]


class _Reviewer:
    """The moves of one game, and the proven values of its positions for player 0."""

    def __init__(
        self, positions: Sequence[GameState], actions: Sequence[Action], stop: Stop
    ) -> None:
        self.positions, self.stop = positions, stop
        self.moves = unjudged_moves(positions, actions)
        self.values: dict[int, float | None] = {}  # by ply
        self.deadline = time.monotonic() + PROOF_SECONDS

    @property
    def patience(self) -> float:
        """The seconds that the next proof may take."""
        return min(SOLVE_SECONDS, self.deadline - time.monotonic())

    def prove(self, ply: int) -> None:
        """Store the proven values before and after a move, if they are found in time."""
        move = self.moves[ply]
        if move.by_chance or move.state.num_players != 2:
            return
        with suppress(UnsolvableError):
            values = self.values_with_chance if move.state.has_chance else self.values_without
            before, after = values(ply)
            self.moves[ply] = replace(move, before=before, after=after)

    def values_without(self, ply: int) -> tuple[float | None, float | None]:
        """Return the values before and after a move for its player, in a game without chance."""
        state = self.moves[ply].state
        sign = 1 if state.current_player == 0 else -1
        before, after = (
            None if value is None else sign * value for value in map(self.value_at, (ply, ply + 1))
        )
        # The value before a move is at least the value after it, so one can prove the other.
        if after == state.max_utility:
            before = after
        if before == -state.max_utility:
            after = before
        return before, after

    def value_at(self, ply: int) -> float | None:
        """Return the proven value of a position for player 0; None if it is not found in time."""
        if ply not in self.values:
            state = self.positions[ply]
            value = exact_value(state, self.stop, patience=self.patience)
            if value is not None and state.current_player != 0:
                value = 0 - value
            self.values[ply] = value
        return self.values[ply]

    def values_with_chance(self, ply: int) -> tuple[float | None, float | None]:
        """Return the expected values before and after a move for its player."""
        move = self.moves[ply]
        known = exact_action_values(move.state, self.stop, patience=self.patience) or {}
        if move.action not in known or len(known) < len(move.state.legal_actions()):
            return None, None
        best = max(verdict.value for verdict in known.values())
        return best, known[move.action].value

    def estimate(self, ply: int) -> None:
        """Store the estimated values of a move and of the best one, unless all is proven."""
        move = self.moves[ply]
        if move.proven or move.by_chance:
            return
        with suppress(ValueError):  # payoffs that MCTS does not support
            search = fastest(mcts, move.state)
            found = search(move.state, simulations=SIMULATIONS, rng=0, stop=self.stop)
            own = found.values.get(move.action)
            if not found.stopped and own is not None and found.value is not None:
                means = own.value, max(own.value, found.value)
                self.moves[ply] = replace(move, estimate=means)
