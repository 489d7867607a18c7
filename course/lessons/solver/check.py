"""The exercises of notebook 05: checks, reference solutions, and the mistakes they recognise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from course.kit.asking import ask, check_cases, matching_hint
from course.kit.blame import shown
from course.kit.feedback import Case, Feedback
from course.kit.guarded import guarded
from course.kit.mistakes import mistakes
from gamelib.games import Nim, TicTacToe, nim_sum, nim_winning_actions
from gamelib.search import mcts, solve
from gamelib.state import GameState

# Lab 5B: what large budgets bring on Nim


class NimRuns(NamedTuple):
    """Runs of `mcts` on Nim with the seeds 0, 1, ...: how many were optimal, how many proven."""

    heaps: tuple[int, ...]
    solver: bool
    simulations: int
    runs: int
    optimal: int
    proven: int


NIM_RUNS: tuple[NimRuns, ...] = (
    NimRuns((3, 4, 5), False, 1_000, 20, 2, 0),
    NimRuns((3, 4, 5), False, 10_000, 20, 5, 0),
    NimRuns((3, 4, 5), False, 100_000, 20, 15, 0),
    NimRuns((3, 4, 5), True, 1_000, 20, 2, 0),
    NimRuns((3, 4, 5), True, 10_000, 20, 7, 0),
    NimRuns((3, 4, 5), True, 100_000, 20, 20, 20),
    NimRuns((5, 5, 5), False, 1_000, 20, 7, 0),
    NimRuns((5, 5, 5), False, 10_000, 20, 15, 0),
    NimRuns((5, 5, 5), False, 100_000, 20, 12, 0),
    NimRuns((5, 5, 5), True, 1_000, 20, 11, 0),
    NimRuns((5, 5, 5), True, 10_000, 20, 17, 0),
    NimRuns((5, 5, 5), True, 100_000, 20, 20, 20),
)


def nim_runs(heaps: tuple[int, ...], solver: bool, simulations: int, runs: int) -> NimRuns:
    """Return one row of the table, measured now."""
    state = Nim(heaps)
    best = nim_winning_actions(state)
    results = [mcts(state, simulations=simulations, solver=solver, rng=i) for i in range(runs)]
    optimal = sum(result.action in best for result in results)
    proven = sum(result.utilities is not None for result in results)
    return NimRuns(heaps, solver, simulations, runs, optimal, proven)


def nim_table() -> str:
    """Return `NIM_RUNS` as text: for each number of simulations, the runs that were optimal."""
    lines = ["heaps      search       simulations   optimal    proven"]
    for row in NIM_RUNS:
        search = "with proofs" if row.solver else "UCT"
        lines.append(
            f"{row.heaps!s:<10} {search:<12} {row.simulations:>11,}"
            f"  {row.optimal:>2} of {row.runs:>2}  {row.proven:>2} of {row.runs:>2}"
        )
    return "\n".join(lines)


# Exercise 1: the rules of proof

OUTCOMES = ("win", "draw", "loss", "unknown")


def proven(children: Sequence[str]) -> str:
    """Return what is proven for the player to move, from what is for the mover at each child."""
    if "loss" in children:
        return "win"
    if "unknown" in children:
        return "unknown"
    return "draw" if "draw" in children else "loss"


PROVEN_MISTAKES = mistakes("solver", "proven", proven)


@guarded
def check_proven(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `proven(children)`."""
    return check_cases(
        function,
        _proven_cases(),
        PROVEN_MISTAKES,
        kind=str,
        success="right for all {cases} lists of one, two and three children.",
    )


def _proven_cases() -> Iterator[Case]:
    for length in (1, 2, 3):
        for children in product(OUTCOMES, repeat=length):
            words = f"what is proven when the children are {', '.join(children)}"
            yield Case((list(children),), proven(children), words)


# Exercise 2: the nim-sum move


def nim_move(heaps: Sequence[int]) -> tuple[int, int]:
    """Return a (heap, take) that leaves a nim-sum of 0; ValueError if there is none."""
    total = nim_sum(heaps)
    for heap, size in enumerate(heaps):
        if size ^ total < size:
            return heap, size - (size ^ total)
    raise ValueError(f"the nim-sum of {heaps} is 0: every action loses")


NIM_MISTAKES = mistakes("solver", "nim_move", nim_move)


@guarded
def check_nim_move(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `nim_move(heaps)`: any action that wins is right."""
    asked: list[tuple[Case, Any]] = []
    fault: tuple[str, Nim] | None = None
    for heaps in product(range(6), repeat=3):
        if not nim_sum(heaps):
            continue
        state = Nim(heaps)
        case = Case((list(heaps),), None, f"the winning action with heaps {state}", state)
        answer = ask(function, case, tuple)
        asked.append((case, answer))
        if fault is None and answer not in nim_winning_actions(state):
            fault = nim_fault(state, answer), state
    if fault is None:
        return Feedback(True, f"your action wins in all {len(asked)} positions.")
    hint = matching_hint(asked, NIM_MISTAKES)
    return Feedback(False, f"{fault[0]} {hint}".strip(), fault[1])


def nim_fault(state: Nim, answer: Any) -> str:
    """Return what is wrong with an action that does not win, in words."""
    if answer not in state.legal_actions():
        return f"with heaps {state}, {shown(answer)} is no legal action (heap, take)."
    left = state.successor(answer).heaps
    return f"with heaps {state}, {answer!r} leaves {left}: the nim-sum is {nim_sum(left)}, not 0."


# Exercise 3: the same with bounds

Pair = tuple[int, int]


def mover_bounds(children: Sequence[Pair]) -> Pair:
    """Return (at least, at most) for the player to move, from the bounds at each child.

    The bounds of a child are for the player who moves there, the opponent.
    """
    return max(-high for _, high in children), max(-low for low, _ in children)


BOUNDS_MISTAKES = mistakes("solver", "mover_bounds", mover_bounds)


@guarded
def check_mover_bounds(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `mover_bounds(children)`."""
    return check_cases(
        function,
        _bounds_cases(),
        BOUNDS_MISTAKES,
        kind=tuple,
        success="right for all {cases} lists of one, two and three children.",
    )


def _bounds_cases() -> Iterator[Case]:
    pairs = ((-1, 1), (-1, -1), (0, 0), (1, 1), (0, 1), (-1, 0))
    for length in (1, 2, 3):
        for children in product(pairs, repeat=length):
            words = f"the bounds above children with {', '.join(map(str, children))}"
            yield Case((list(children),), mover_bounds(children), words)


# Exercise 4: where visits alone would be wrong

SHOWN = TicTacToe.parse(".O. / X.. / ..X")


@guarded
def check_not_most_visited(state: GameState, simulations: int) -> Feedback:
    """Return feedback on a position where the solver does not play the most visited action."""
    if not isinstance(state, TicTacToe) or state.rows * state.cols > 9 or state.num_players != 2:
        words = f"give a tic-tac-toe position of at most 9 cells; got {shown(state)}."
        return Feedback(False, words)
    if state.is_terminal():
        return Feedback(False, "this game is over; nobody has to choose.", state)
    if state == SHOWN:
        return Feedback(False, "that is the position of section 5; find another.", state)
    if type(simulations) is not int or not 1 <= simulations <= 5000:
        return Feedback(False, f"simulations must be an int, 1 to 5000; got {shown(simulations)}.")
    result = mcts(state, simulations=simulations, solver=True, rng=0)
    visits = result.visits or {}
    favourite = max(visits, key=visits.__getitem__)
    truth = solve(state).values
    visited = f"the most visited action is {favourite} (true value {truth[favourite].value:+g})"
    if result.action == favourite:
        words = f"{visited}, and the solver plays it. Try another one."
        return Feedback(False, words, state, written=state != TicTacToe())
    plays = f"the solver plays {result.action} (true value {truth[result.action].value:+g})"
    return Feedback(True, f"{visited}; {plays}.", state)
