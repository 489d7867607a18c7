"""What the widgets know for certain: the cost of a full search, and its verdict on every action."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from gamelib.draw.board import Mark
from gamelib.search import solve
from gamelib.search.limits import Progress, Stop
from gamelib.state import Action, GameState

CHEAP = 1_000_000  # nodes of the tree; a solver that remembers positions visits few of them
HOPELESS = 1e16
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
    state: GameState,
    progress: Progress | None = None,
    stop: Stop | None = None,
    *,
    patience: float = 2,
) -> Mapping[Action, Verdict] | None:
    """Return the exact verdict on every action, or None where that takes too long to find out.

    A tree of a million nodes or less is always solved, one of 1e16 or more is not tried, and what
    lies between is given up after `patience` seconds.
    """
    if state.is_terminal() or state.num_players != 2:
        return None
    size = estimated_nodes(state)
    if size > HOPELESS:
        return None
    deadline = inf if size <= CHEAP else time.monotonic() + patience

    def enough() -> bool:
        return time.monotonic() > deadline or bool(stop and stop())

    try:
        result = solve(state, progress=progress, stop=enough)
    except ValueError:  # payoffs that are not whole numbers, or not zero-sum
        return None
    if result.stopped:
        return None
    distances = result.distances
    return {a: Verdict(bound.value, distances.get(a)) for a, bound in result.values.items()}


def best_actions(known: Mapping[Action, Verdict]) -> list[Action]:
    """Return the actions of the highest value, whatever their distance."""
    best = max(verdict.value for verdict in known.values())
    return [action for action, verdict in known.items() if verdict.value == best]
