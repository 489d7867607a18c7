"""What the widgets know for certain: the cost of a full search, and its verdict on every action."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from course.kit.openings import column_values
from course.widgets.looks import Mark
from gamelib.compiled.fast import fastest
from gamelib.games import ConnectFour, Nim, TicTacToe, nim_winning_actions
from gamelib.search import SearchResult, solve
from gamelib.search.limits import Progress, SearchStopped, Stop, Watch
from gamelib.state import MOST_PLIES, Action, BrokenRuleError, GameState, not_over

CHEAP = 1_000_000  # nodes of the tree; a solver that remembers positions visits few of them
HOPELESS = 1e16
MOST_FREE = 38  # cells of Connect Four: with more, all columns take longer than anybody waits
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
            if ply == MOST_PLIES:
                break
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
    partial: bool = False,
) -> Mapping[Action, Verdict] | None:
    """Return the exact verdict on every action, or None where that takes too long to find out.

    With `partial` it returns the verdicts that were found in time, if there are any: the compiled
    solver answers one action after the other.

    A tree of a million nodes or less is always solved, one of 1e16 or more is not tried, and what
    lies between is given up after `patience` seconds.  The first plies of Connect Four are stored;
    the compiled solver, where it is there, goes on from there.

    With more than two players these are the actions after which nobody else can change what the
    player to move gets; None unless they tell which action is best.

    BrokenRuleError where the game breaks a rule, so that no search can go on.
    """
    if state.is_terminal():
        return None
    if state.num_players > 2:
        return _certain_verdicts(state, stop)
    if isinstance(state, ConnectFour) and (stored := column_values(state)):
        return {action: Verdict(*known) for action, known in stored.items()}
    try:
        result = _solved(state, progress, stop, patience)
    except BrokenRuleError:
        raise
    except ValueError:  # too large to remember, or payoffs not whole numbers, or not zero-sum
        result = None
    exact = {a: b for a, b in result.values.items() if b.kind == "exact"} if result else {}
    if result and exact and (partial or len(exact) == len(state.legal_actions())):
        return {a: Verdict(b.value, result.distances.get(a)) for a, b in exact.items()}
    return _theory(state) if type(state) is Nim else None


def _solved(
    state: GameState, progress: Progress | None, stop: Stop | None, patience: float
) -> SearchResult | None:
    """Return what the fastest solver finds in time; None if that is hopeless."""
    # Tic-tac-toe has the same solver as machine code.
    solver = solve if isinstance(state, TicTacToe) else fastest(solve, state)
    quick = solver is not solve
    if quick and isinstance(state, ConnectFour) and _free_cells(state) > MOST_FREE:
        return None
    if not quick and (size := estimated_nodes(state)) > HOPELESS:
        return None
    always = not quick and size <= CHEAP
    deadline = inf if always else time.monotonic() + patience

    def enough() -> bool:
        return time.monotonic() > deadline or bool(stop and stop())

    return solver(state, progress=progress, stop=enough)


def _free_cells(state: ConnectFour) -> int:
    taken = sum(state.stones(player).bit_count() for player in range(2))
    return state.rows * state.cols - taken


def _theory(state: Nim) -> dict[Action, Verdict]:
    """Return who wins after each action by the theory of Nim, which knows no distances."""
    winning = nim_winning_actions(state)
    return {a: Verdict(1 if a in winning else -1) for a in state.legal_actions()}


def _certain_verdicts(state: GameState, stop: Stop | None) -> dict[Action, Verdict] | None:
    """Return the verdicts that hold whatever the others play, if they tell the best action."""
    if estimated_nodes(state) > CHEAP:
        return None
    watch = Watch(None, stop)
    me = state.current_player
    known: dict[GameState, tuple[float, float]] = {}

    def least_and_most(state: GameState) -> tuple[float, float]:
        """Return what I am sure of from `state`, and what I get if everyone helps me."""
        watch(0, None)
        if state.is_terminal():
            return state.utility(me), state.utility(me)
        if state not in known:
            replies = [least_and_most(state.successor(a)) for a in state.legal_actions()]
            if not replies:
                raise not_over(state)
            choose = max if state.current_player == me else min
            known[state] = choose(low for low, _ in replies), max(high for _, high in replies)
        return known[state]

    try:
        ranges = {a: least_and_most(state.successor(a)) for a in state.legal_actions()}
    except (SearchStopped, RecursionError):
        return None
    certain = {a: Verdict(low) for a, (low, high) in ranges.items() if low == high}
    best = max((verdict.value for verdict in certain.values()), default=-inf)
    return certain if best >= max(high for _, high in ranges.values()) else None


def best_actions(known: Mapping[Action, Verdict]) -> list[Action]:
    """Return the actions of the highest verdict, whatever their distance."""
    best = max(verdict.value for verdict in known.values())
    return [action for action, verdict in known.items() if verdict.value == best]
