"""What the widgets know for certain: the cost of a full search, and its verdict on every action."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gamelib.draw.board import Mark
from gamelib.search import negamax
from gamelib.search.limits import WIN, Progress, Stop
from gamelib.state import Action, GameState

CHEAP = 700_000  # nodes: about a second
RESULTS: dict[float, Any] = {1: "win", 0: "draw", -1: "loss"}


@dataclass(frozen=True)
class Verdict:
    """The proven value of one action for the player to move, and the plies to the end if known."""

    value: float
    distance: int | None = None

    @property
    def result(self) -> str:
        """The value in a word; payoffs other than win, draw and loss as a number."""
        return str(RESULTS.get(self.value, f"value of {self.value:g}"))

    def mark(self) -> Mark:
        """Return what a board shows of it, like "win 3"."""
        if self.value not in RESULTS:
            return Mark(f"= {self.value:g}")
        plies = "" if self.distance is None else f" {self.distance}"
        return Mark(f"{RESULTS[self.value]}{plies}", RESULTS[self.value])


def estimated_nodes(state: GameState, depth: int | None = None, *, probes: int = 100) -> float:
    """Return about how many nodes a full search visits down to `depth`.

    The mean over random games of 1 + b1 + b1 b2 + ..., with b the number of actions on the way,
    is the size of the tree (Knuth 1975, "Estimating the efficiency of backtrack programs").
    """
    rng = random.Random(0)
    total = 0.0
    for _ in range(probes):
        here, width, ply = state, 1.0, 0
        total += 1
        while (actions := here.legal_actions()) and ply != depth and width < 1e30:
            width *= len(actions)
            total += width
            here = here.successor(rng.choice(actions))
            ply += 1
    return total / probes


def verdicts(
    state: GameState, progress: Progress | None = None, stop: Stop | None = None
) -> Mapping[Action, Verdict] | None:
    """Return the exact verdict on every action, or None where that takes too long to find out."""
    if state.is_terminal() or state.num_players != 2 or estimated_nodes(state) > CHEAP:
        return None
    try:
        result = negamax(state, quick_wins=True, progress=progress, stop=stop)
        known = {action: _verdict(bound.value) for action, bound in result.values.items()}
    except ValueError:  # payoffs other than -1, 0 and +1 have no distance
        result = negamax(state, progress=progress, stop=stop)
        known = {action: Verdict(bound.value) for action, bound in result.values.items()}
    return None if result.stopped else known


def best_actions(known: Mapping[Action, Verdict]) -> list[Action]:
    """Return the actions of the highest value, whatever their distance."""
    best = max(verdict.value for verdict in known.values())
    return [action for action, verdict in known.items() if verdict.value == best]


def _verdict(value: float) -> Verdict:
    """Return the verdict behind a value of a search that prefers quick wins."""
    if value == 0:
        return Verdict(0)
    return Verdict(1 if value > 0 else -1, int(WIN - abs(value)))
