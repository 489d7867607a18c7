"""What the widgets know for certain: the cost of a full search, its verdicts, and hints."""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from course.draw.wording import action_names
from course.exercises.opening_book import column_values
from course.exercises.validation import validated, validated_successor
from gamefast.fast import fastest
from gamelib.conformance import check_hashable
from gamelib.games import ConnectFour, Nim, TicTacToe, nim_winning_actions
from gamelib.search import (
    SearchResult,
    expectiminimax,
    safe_actions,
    solve,
    two_step_wins,
    winning_actions,
)
from gamelib.search.callbacks import Poller, SearchStopped, Stop
from gamelib.search.checks import TooLargeError
from gamelib.state import CHANCE, MAX_PLIES, Action, BrokenRuleError, GameState, no_actions_error
from gamelib.svg.board import OutcomeColour

# Nodes of the tree; a solver that remembers positions visits few of them.
MAX_CHEAP_NODES = 1_000_000
MAX_SOLVABLE_NODES = 1e16
MAX_DEPTH = 30
ESTIMATE_SECONDS = 1  # seconds to estimate the size of a tree, which no Stop ends
MAX_FREE_CELLS = 38  # cells of Connect Four: with more, all columns take longer than anybody waits
SEARCHING = "gamelib.search", "gamefast"
SOLVE_SECONDS = 8  # seconds to look for verdicts in the background
MAX_LINES = 1_000_000  # of three moves, to look at all of them in a second or two
RESULTS: dict[float, Any] = {1: "win", 0: "draw", -1: "loss"}

ExactValues = Mapping[Action, "ExactValue"]
OnUpdate = Callable[[ExactValues], object]


@dataclass(frozen=True)
class Mark:
    """What a board writes over one action: a short text, on a tint that says the same."""

    text: str
    kind: OutcomeColour = "plain"


class UnsolvableError(ValueError):
    """What the solver says of a game that it cannot solve, whatever time it has."""


@dataclass(frozen=True)
class ExactValue:
    """The proven value of one action for the player to move, and the plies to the end if known."""

    value: float
    distance: int | None = None

    def result(self, state: GameState) -> str:
        """Return in words to what it leads in `state`: "X wins", "a draw", "max gets 3"."""
        me = state.player_name(state.current_player)
        if self.value not in RESULTS:
            return f"{me} gets {float(self.value):.3g}"
        draw, lost = f"a draw for {me}", f"{me} loses"
        if state.num_players == 2:
            draw, lost = "a draw", f"{state.player_name(1 - state.current_player)} wins"
        return {1: f"{me} wins", 0: draw, -1: lost}[int(self.value)]

    def mark(self) -> Mark:
        """Return what a board shows of it, like "win 3"."""
        if self.value not in RESULTS:
            return Mark(f"= {float(self.value):.3g}")
        plies = "" if self.distance is None else f" {self.distance}"
        return Mark(f"{RESULTS[self.value]}{plies}", RESULTS[self.value])


def estimated_nodes(state: GameState, depth: int | None = None, *, probes: int = 100) -> float:
    """Return about how many nodes a full search visits down to `depth`.

    The mean over random games of 1 + b1 + b1 b2 + ..., with b the number of actions on the way,
    is the size of the tree (Knuth 1975, "Estimating the efficiency of backtrack programs").
    Games as slow as those of a thousand actions are fewer: a second has to do.
    """
    rng = random.Random(0)
    total, enough = 0.0, time.monotonic() + ESTIMATE_SECONDS
    for done in range(probes):
        if done and time.monotonic() > enough:
            return total / done
        here, width, ply = state, 1.0, 0
        total += 1
        while (actions := here.legal_actions()) and ply not in (depth, MAX_PLIES) and width < 1e30:
            width *= len(actions)
            total += width
            here = validated_successor(here, rng.choice(actions))
            ply += 1
    return total / probes


def affordable_depth(state: GameState, nodes: float) -> int | None:
    """Return the largest depth at which the tree has `nodes` at most; None if all of it has."""
    if estimated_nodes(state) <= nodes:
        return None
    depth = 1
    while depth < MAX_DEPTH and estimated_nodes(state, depth + 1, probes=20) <= nodes:
        depth += 1
    return depth


def exact_action_values(
    state: GameState,
    stop: Stop | None = None,
    *,
    patience: float = 2,
    on_update: OnUpdate | None = None,
) -> ExactValues | None:
    """Return the exact verdict on every action, or None where that takes too long to find out.

    With `on_update` it returns those that were found in time, if there are any; `on_update` is
    called with the ones found so far, where the compiled solver answers one action after the other.

    A tree of a million nodes or less is always solved, one of 1e16 or more is not tried, and what
    lies between is given up after `patience` seconds.  The first plies of Connect Four are stored;
    the compiled solver, where it is there, goes on from there.

    With more than two players these are the actions after which nobody else can change what the
    player to move gets; None unless they tell which action is best.

    UnsolvableError where a game cannot be solved: payoffs not whole numbers, or not zero-sum.  An
    error of the game itself, such as BrokenRuleError, is passed on.
    """
    if validated(state).is_terminal():
        return None
    if state.num_players > 2:
        return _certain_verdicts(state, stop)
    if isinstance(state, ConnectFour) and (stored := column_values(state)):
        return {action: ExactValue(*known) for action, known in stored.items()}
    try:
        known = _solved(state, stop, patience, on_update)
    except TooLargeError:
        known = {}
    except ValueError as error:
        if isinstance(error, BrokenRuleError) or not _said_by_search(error):
            raise
        first, _, _ = str(error).partition("\n")
        raise UnsolvableError(f"{first.rstrip('.:')}.") from None
    if known and (on_update or len(known) == len(state.legal_actions())):
        return known
    return _theory(state) if type(state) is Nim else None


def _said_by_search(error: BaseException) -> bool:
    """Return whether a search raised the error, and not the game that it was given."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__")).startswith(SEARCHING)


def _solved(
    state: GameState, stop: Stop | None, patience: float, on_update: OnUpdate | None
) -> ExactValues:
    """Return what the fastest solver finds in time; nothing if that is hopeless."""
    check_hashable(state, "a state", state)
    # To load machine code takes longer than to solve tic-tac-toe without.
    small = isinstance(state, TicTacToe) and estimated_nodes(state) <= MAX_CHEAP_NODES
    solver = solve if small else fastest(solve, state)
    quick = solver is not solve
    size = MAX_CHEAP_NODES + 1 if quick else estimated_nodes(state)
    full = quick and isinstance(state, ConnectFour) and str(state).count(".") > MAX_FREE_CELLS
    if full or size > MAX_SOLVABLE_NODES or state.current_player == CHANCE:
        return {}
    deadline = inf if size <= MAX_CHEAP_NODES else time.monotonic() + patience

    def enough() -> bool:
        return time.monotonic() > deadline or bool(stop and stop())

    if state.has_chance:
        found = expectiminimax(state, table=True, stop=enough)
        return {} if found.stopped else {a: ExactValue(b.value) for a, b in found.values.items()}
    if quick and on_update:
        return _one_by_one(state, solver, enough, on_update)
    result = solver(state, stop=enough)
    return {
        action: ExactValue(bound.value, result.distances.get(action))
        for action, bound in result.values.items()
        if bound.kind == "exact"
    }


def _one_by_one(
    state: GameState, solver: Callable[..., SearchResult], stop: Stop, on_update: OnUpdate
) -> ExactValues:
    """Return the verdicts found before `stop`, after telling of each as soon as it is proven."""
    known: dict[Action, ExactValue] = {}
    for action in state.legal_actions():
        child = state.successor(action)
        if child.is_terminal():
            known[action] = ExactValue(child.utility(state.current_player), 1)
        else:
            result = solver(child, only_value=True, stop=stop)
            if result.stopped or result.value is None:
                break
            plies = None if result.distance is None else result.distance + 1
            # The games of this solver alternate.
            known[action] = ExactValue(0 - result.value, plies)
        on_update(dict(known))
    return known


def _theory(state: Nim) -> dict[Action, ExactValue]:
    """Return who wins after each action by the theory of Nim, which knows no distances."""
    winning = nim_winning_actions(state)
    return {a: ExactValue(1 if a in winning else -1) for a in state.legal_actions()}


def _certain_verdicts(state: GameState, stop: Stop | None) -> dict[Action, ExactValue] | None:
    """Return the verdicts that hold whatever the others play, if they tell the best action."""
    if estimated_nodes(state) > MAX_CHEAP_NODES:
        return None
    watch = Poller(None, stop)
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
                raise no_actions_error(state)
            choose = max if state.current_player == me else min
            known[state] = choose(low for low, _ in replies), max(high for _, high in replies)
        return known[state]

    try:
        ranges = {a: least_and_most(state.successor(a)) for a in state.legal_actions()}
    except (SearchStopped, RecursionError):
        return None
    certain = {a: ExactValue(low) for a, (low, high) in ranges.items() if low == high}
    best = max((verdict.value for verdict in certain.values()), default=-inf)
    return certain if best >= max(high for _, high in ranges.values()) else None


def best_actions(known: ExactValues) -> list[Action]:
    """Return the actions of the highest verdict, whatever their distance."""
    best = max(verdict.value for verdict in known.values())
    return [action for action, verdict in known.items() if verdict.value == best]


# --- in words ---


def best_action_hint(state: GameState, stop: Stop | None = None) -> str:
    """Return which actions are best, after a search of some seconds."""
    try:
        known = exact_action_values(
            state, stop, patience=SOLVE_SECONDS, on_update=lambda known: None
        )
    except UnsolvableError as error:
        return f"Nothing can be proven here: {error}  {_guess(state)}"
    return hint_of(state, known)


def hint_of(state: GameState, known: ExactValues | None) -> str:
    """Return which actions are best, where so much is known for certain."""
    if known is None:
        two = state.num_players == 2
        why = "Too large to prove anything here." if two else "It depends on the others."
        return f"{why}  {_guess(state)}"
    best = best_actions(known)
    if is_open(state, known) and known[best[0]].value < 1:
        return f"Not everything is proven here.  {_guess(state)}"
    every = len(best) == len(state.legal_actions())
    names = "every action" if every else _names(state, best)
    return f"Proven: {known[best[0]].result(state)} after {names}."


def legend(state: GameState, known: ExactValues | None) -> str:
    """Return what the verdicts on a board mean; why there are none, if there are none."""
    if not known:
        return hint_of(state, None)
    found, me = known.values(), state.player_name(state.current_player)
    said = f"Proven, for {me}"
    if any(verdict.distance is not None for verdict in found):
        said += "; a number counts the plies to the end"
    elif any(verdict.value not in RESULTS for verdict in found):
        said += f"; a number is what {me} gets"
        if state.has_chance:
            said += " on average, with best play"
    late = f"  ?: not proven in {SOLVE_SECONDS} seconds." if is_open(state, known) else ""
    return f"{said}.{late}"


def is_open(state: GameState, known: ExactValues) -> bool:
    """Return whether an action that is not proven could be the best one."""
    return state.num_players == 2 and len(known) < len(state.legal_actions())


def _guess(state: GameState) -> str:
    """Return what looking two moves ahead proves, if anything."""
    legal = state.legal_actions()
    if wins := winning_actions(state):
        return f"This wins at once: {_names(state, wins)}."
    if len(legal) ** 3 > MAX_LINES:
        return "It has too many actions to look two moves ahead, so none is named."
    if wins := two_step_wins(state):
        return f"This wins with the next move, whatever the reply: {_names(state, wins)}."
    if not (safe := safe_actions(state)):
        return "After every action another player can win."
    if len(safe) < len(legal):
        return f"Only this leaves no other player a win: {_names(state, safe)}."
    return "Two moves ahead nothing is forced, so no action is named."


def _names(state: GameState, actions: Iterable[Action]) -> str:
    return "; ".join(action_names(state, actions))
