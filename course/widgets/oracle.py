"""Exact values for the widgets: the estimated cost of a full search, its results, and hints."""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf

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

# Nodes of the whole tree; a solver with a transposition table visits few of them.
MAX_CHEAP_NODES = 1_000_000
MAX_SOLVABLE_NODES = 1e16
MAX_DEPTH = 30
ESTIMATE_SECONDS = 1  # to estimate the size of a tree; Stop does not end it
MAX_FREE_CELLS = 38  # empty cells of Connect Four: with more, solving all columns takes too long
SEARCHING = "gamelib.search", "gamefast"
SOLVE_SECONDS = 8  # to solve a position in the background
MAX_LINES = 1_000_000  # sequences of three moves that can be checked in a second or two
RESULTS: dict[float, OutcomeColour] = {1: "win", 0: "draw", -1: "loss"}

ExactValues = Mapping[Action, "ExactValue"]
OnUpdate = Callable[[ExactValues], object]


@dataclass(frozen=True)
class Mark:
    """The mark of a board on one action: a short text, and a colour with the same meaning."""

    text: str
    kind: OutcomeColour = "plain"


class UnsolvableError(ValueError):
    """The solver can never solve this game; the message is its reason."""


@dataclass(frozen=True)
class ExactValue:
    """The proven value of an action for the player to move, and the plies to the end if known."""

    value: float
    distance: int | None = None

    def result(self, state: GameState) -> str:
        """Return the result of the action in `state` as text: "X wins", "a draw", "max gets 3"."""
        player = state.player_name(state.current_player)
        if self.value not in RESULTS:
            return f"{player} gets {float(self.value):.3g}"
        draw, loss = f"a draw for {player}", f"{player} loses"
        if state.num_players == 2:
            draw, loss = "a draw", f"{state.player_name(1 - state.current_player)} wins"
        return {1: f"{player} wins", 0: draw, -1: loss}[int(self.value)]

    def mark(self) -> Mark:
        """Return the mark of a board for this value, like "win 3"."""
        if self.value not in RESULTS:
            return Mark(f"= {float(self.value):.3g}")
        plies = "" if self.distance is None else f" {self.distance}"
        return Mark(f"{RESULTS[self.value]}{plies}", RESULTS[self.value])


def estimated_nodes(state: GameState, depth: int | None = None, *, probes: int = 100) -> float:
    """Return the estimated number of nodes of a full search to `depth`.

    The mean over random games of 1 + b1 + b1 b2 + ..., with b the number of actions at each ply, is
    the size of the tree (Knuth 1975, "Estimating the efficiency of backtrack programs").  The
    number of games is `probes`, or fewer if they take more than a second.
    """
    rng = random.Random(0)
    total, deadline = 0.0, time.monotonic() + ESTIMATE_SECONDS
    for games in range(probes):
        if games and time.monotonic() > deadline:
            return total / games
        position, width, ply = state, 1.0, 0
        total += 1
        while (
            (actions := position.legal_actions()) and ply not in (depth, MAX_PLIES) and width < 1e30
        ):
            width *= len(actions)
            total += width
            position = validated_successor(position, rng.choice(actions))
            ply += 1
    return total / probes


def affordable_depth(state: GameState, nodes: float) -> int | None:
    """Return the largest depth with at most `nodes` nodes; None if the whole tree has no more."""
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
    """Return action -> its exact value, or None if solving takes too long.

    patience   seconds for a tree between a million nodes, which is always solved, and 1e16, which
               is never tried
    on_update  called with the values found so far, if the compiled solver solves one action after
               another; the values found before the time is up are returned, even if some are
               missing

    The first plies of Connect Four are stored, and the compiled solver, if available, continues.
    For more than two players, the result has the actions after which the others cannot change the
    payoff of the player to move; it is None unless they include a best action.

    UnsolvableError if the solver does not support the game: payoffs that are not whole numbers, or
    not zero-sum.  Errors of the game itself, such as BrokenRuleError, are passed on.
    """
    if validated(state).is_terminal():
        return None
    if state.num_players > 2:
        return _certain_verdicts(state, stop)
    if isinstance(state, ConnectFour) and (stored := column_values(state)):
        return {action: ExactValue(*entry) for action, entry in stored.items()}
    try:
        values = _solved(state, stop, patience, on_update)
    except TooLargeError:
        values = {}
    except ValueError as error:
        raise _unsolvable(error) from None
    if values and (on_update or len(values) == len(state.legal_actions())):
        return values
    return _theory(state) if type(state) is Nim else None


def exact_value(
    state: GameState, stop: Stop | None = None, *, patience: float = SOLVE_SECONDS
) -> float | None:
    """Return the exact value of a position for its player, or None if solving takes too long.

    patience   seconds for the search; the result is also None if `stop` ends it

    The value of a terminal state is the payoff of its `current_player`.  The result is None for
    more than two players, and for games with chance.  Errors are those of `exact_action_values`.
    """
    if validated(state).is_terminal():
        return state.utility(state.current_player)
    if state.num_players != 2 or state.has_chance:
        return None
    if type(state) is Nim:
        return 1 if nim_winning_actions(state) else -1
    if isinstance(state, ConnectFour) and (stored := column_values(state)):
        return max(value for value, _ in stored.values())
    check_hashable(state, "a state", state)
    deadline = time.monotonic() + patience
    try:
        result = _solver_of(state)(
            state,
            only_value=True,
            stop=lambda: time.monotonic() > deadline or bool(stop and stop()),
        )
    except TooLargeError:
        return None
    except ValueError as error:
        raise _unsolvable(error) from None
    return None if result.stopped else result.value


def _unsolvable(error: ValueError) -> ValueError:
    """Return the UnsolvableError for an error of a solver, or an error of the game unchanged."""
    if isinstance(error, BrokenRuleError) or not _said_by_search(error):
        return error
    first, _, _ = str(error).partition("\n")
    return UnsolvableError(f"{first.rstrip('.:')}.")


def _said_by_search(error: BaseException) -> bool:
    """Return whether an error was raised by a search and not by the game."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__")).startswith(SEARCHING)


def _solved(
    state: GameState, stop: Stop | None, patience: float, on_update: OnUpdate | None
) -> ExactValues:
    """Return the values that the fastest solver finds in time; {} for a larger position."""
    check_hashable(state, "a state", state)
    solver = _solver_of(state)
    quick = solver is not solve
    size = MAX_CHEAP_NODES + 1 if quick else estimated_nodes(state)
    full = quick and isinstance(state, ConnectFour) and str(state).count(".") > MAX_FREE_CELLS
    if full or size > MAX_SOLVABLE_NODES or state.current_player == CHANCE:
        return {}
    deadline = inf if size <= MAX_CHEAP_NODES else time.monotonic() + patience

    def is_over() -> bool:
        return time.monotonic() > deadline or bool(stop and stop())

    if state.has_chance:
        found = expectiminimax(state, table=True, stop=is_over)
        return {} if found.stopped else {a: ExactValue(b.value) for a, b in found.values.items()}
    if quick and on_update:
        return _one_by_one(state, solver, is_over, on_update)
    result = solver(state, stop=is_over)
    return {
        action: ExactValue(bound.value, result.distances.get(action))
        for action, bound in result.values.items()
        if bound.kind == "exact"
    }


def _solver_of(state: GameState) -> Callable[..., SearchResult]:
    """Return the solver that finds the value of a position soonest."""
    # Loading compiled code takes longer than solving tic-tac-toe without it.
    small = isinstance(state, TicTacToe) and estimated_nodes(state) <= MAX_CHEAP_NODES
    return solve if small else fastest(solve, state)


def _one_by_one(
    state: GameState, solver: Callable[..., SearchResult], stop: Stop, on_update: OnUpdate
) -> ExactValues:
    """Return the values found before `stop`, and report each one as soon as it is proven."""
    values: dict[Action, ExactValue] = {}
    for action in state.legal_actions():
        child = state.successor(action)
        if child.is_terminal():
            values[action] = ExactValue(child.utility(state.current_player), 1)
        else:
            result = solver(child, only_value=True, stop=stop)
            if result.stopped or result.value is None:
                break
            plies = None if result.distance is None else result.distance + 1
            # In the games of this solver the players alternate.
            values[action] = ExactValue(0 - result.value, plies)
        on_update(dict(values))
    return values


def _theory(state: Nim) -> dict[Action, ExactValue]:
    """Return the winner after each action by the theory of Nim, which has no distances."""
    winning = nim_winning_actions(state)
    return {action: ExactValue(1 if action in winning else -1) for action in state.legal_actions()}


def _certain_verdicts(state: GameState, stop: Stop | None) -> dict[Action, ExactValue] | None:
    """Return the values that hold for any play of the others, if they include a best action."""
    if estimated_nodes(state) > MAX_CHEAP_NODES:
        return None
    poller = Poller(None, stop)
    player = state.current_player
    known: dict[GameState, tuple[float, float]] = {}

    def worst_and_best(state: GameState) -> tuple[float, float]:
        """Return the guaranteed payoff from `state`, and the payoff if everyone helps."""
        poller(0, None)
        if state.is_terminal():
            return state.utility(player), state.utility(player)
        if state not in known:
            replies = [worst_and_best(state.successor(action)) for action in state.legal_actions()]
            if not replies:
                raise no_actions_error(state)
            choose = max if state.current_player == player else min
            known[state] = choose(low for low, _ in replies), max(high for _, high in replies)
        return known[state]

    try:
        ranges = {
            action: worst_and_best(state.successor(action)) for action in state.legal_actions()
        }
    except (SearchStopped, RecursionError):
        return None
    certain = {action: ExactValue(low) for action, (low, high) in ranges.items() if low == high}
    best = max((verdict.value for verdict in certain.values()), default=-inf)
    return certain if best >= max(high for _, high in ranges.values()) else None


def best_actions(values: ExactValues) -> list[Action]:
    """Return the actions with the highest value, regardless of their distance."""
    best = max(verdict.value for verdict in values.values())
    return [action for action, verdict in values.items() if verdict.value == best]


# --- texts ---


def best_action_hint(state: GameState, stop: Stop | None = None) -> str:
    """Return a sentence with the best actions, after a search of some seconds."""
    try:
        values = exact_action_values(
            state, stop, patience=SOLVE_SECONDS, on_update=lambda values: None
        )
    except UnsolvableError as error:
        return f"Nothing can be proven here: {error}  {_guess(state)}"
    return hint_of(state, values)


def hint_of(state: GameState, values: ExactValues | None) -> str:
    """Return a sentence with the best actions, if the values are known."""
    if values is None:
        is_two_player = state.num_players == 2
        reason = (
            "Too large to prove anything here." if is_two_player else "It depends on the others."
        )
        return f"{reason}  {_guess(state)}"
    best = best_actions(values)
    if is_open(state, values) and values[best[0]].value < 1:
        return f"Not everything is proven here.  {_guess(state)}"
    every = len(best) == len(state.legal_actions())
    names = "every action" if every else _names(state, best)
    return f"Proven: {values[best[0]].result(state)} after {names}."


def legend(state: GameState, values: ExactValues | None) -> str:
    """Return the meaning of the values on a board, or why there are none."""
    if not values:
        return hint_of(state, None)
    shown, player = values.values(), state.player_name(state.current_player)
    text = f"Proven, for {player}"
    if any(verdict.distance is not None for verdict in shown):
        text += "; a number counts the plies to the end"
    elif any(verdict.value not in RESULTS for verdict in shown):
        text += f"; a number is what {player} gets"
        if state.has_chance:
            text += " on average, with best play"
    open_text = f"  ?: not proven in {SOLVE_SECONDS} seconds." if is_open(state, values) else ""
    return f"{text}.{open_text}"


def is_open(state: GameState, values: ExactValues) -> bool:
    """Return whether an action without a proven value could be the best one."""
    return state.num_players == 2 and len(values) < len(state.legal_actions())


def _guess(state: GameState) -> str:
    """Return what a search of two moves proves, if anything."""
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
