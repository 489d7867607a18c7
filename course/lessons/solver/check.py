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
from gamelib.compiled.fast import fast
from gamelib.games import Nim, TicTacToe, nim_sum, nim_winning_actions
from gamelib.search import mcts, solve
from gamelib.state import GameState

# Lab 5B: what large budgets bring on Nim


class NimRuns(NamedTuple):
    """Runs of `mcts` as machine code with the seeds 0, 1, ...: how many were optimal, proven."""

    heaps: tuple[int, ...]
    solver: bool
    simulations: int
    runs: int
    optimal: int
    proven: int


NIM_RUNS: tuple[NimRuns, ...] = (
    NimRuns((3, 4, 5), False, 1_000, 100, 13, 0),
    NimRuns((3, 4, 5), False, 10_000, 100, 5, 0),
    NimRuns((3, 4, 5), False, 100_000, 100, 76, 0),
    NimRuns((3, 4, 5), False, 1_000_000, 100, 100, 0),
    NimRuns((3, 4, 5), True, 1_000, 100, 11, 0),
    NimRuns((3, 4, 5), True, 10_000, 100, 36, 0),
    NimRuns((3, 4, 5), True, 100_000, 100, 100, 100),
    NimRuns((5, 5, 5), False, 1_000, 100, 25, 0),
    NimRuns((5, 5, 5), False, 10_000, 100, 51, 0),
    NimRuns((5, 5, 5), False, 100_000, 100, 65, 0),
    NimRuns((5, 5, 5), True, 1_000, 100, 28, 0),
    NimRuns((5, 5, 5), True, 10_000, 100, 78, 0),
    NimRuns((5, 5, 5), True, 100_000, 100, 100, 100),
)


def nim_runs(heaps: tuple[int, ...], solver: bool, simulations: int, runs: int) -> NimRuns:
    """Return one row of the table, measured now; ImportError without Numba."""
    state = Nim(heaps)
    best = nim_winning_actions(state)
    search = fast(mcts)
    results = [search(state, simulations=simulations, solver=solver, rng=i) for i in range(runs)]
    optimal = sum(result.action in best for result in results)
    proven = sum(result.utilities is not None for result in results)
    return NimRuns(heaps, solver, simulations, runs, optimal, proven)


def nim_table(*, solver: bool = True) -> str:
    """Return `NIM_RUNS` as text, with proofs or without any: the runs that were optimal."""
    lines = ["heaps      search       simulations     optimal      proven"]
    for row in NIM_RUNS:
        if solver or not row.solver:
            search = "with proofs" if row.solver else "UCT"
            lines.append(
                f"{row.heaps!s:<10} {search:<12} {row.simulations:>11,}"
                f"  {row.optimal:>3} of {row.runs}  {row.proven:>3} of {row.runs}"
            )
    return "\n".join(lines)


# Exercise 1: the rules of proof

RESULTS = ("X wins", "O wins", "draw", "unknown")


def proven(player: str, children: Sequence[str]) -> str:
    """Return what is proven of a node where `player` moves, X or O, from what is of its children.

    Here and there it is "X wins", "O wins", "draw" or "unknown".
    """
    wins, loses = ("X wins", "O wins") if player == "X" else ("O wins", "X wins")
    if wins in children:
        return wins
    if "unknown" in children:
        return "unknown"
    return "draw" if "draw" in children else loses


PROVEN_MISTAKES = mistakes("solver", "proven", proven)


@guarded
def check_proven(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `proven(player, children)`."""
    return check_cases(
        function,
        _cases(proven, RESULTS, "what is proven where {} moves and the children are {}"),
        PROVEN_MISTAKES,
        kind=str,
        success="right for X and for O, in all {cases} cases of one, two and three children.",
    )


def _cases(reference: Callable[..., Any], found: Sequence[Any], words: str) -> Iterator[Case]:
    """Yield a node of X and one of O above each list of one, two and three children."""
    for length in (1, 2, 3):
        for player, children in product("XO", product(found, repeat=length)):
            named = words.format(player, ", ".join(map(str, children)))
            yield Case((player, list(children)), reference(player, children), named)


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
PAIRS: tuple[Pair, ...] = ((-1, 1), (-1, -1), (0, 0), (1, 1), (0, 1), (-1, 0))


def proven_bounds(player: str, children: Sequence[Pair]) -> Pair:
    """Return (at least, at most) for a node where `player` moves, X or O, from its children's.

    All bounds are those of what X gets.
    """
    choose = max if player == "X" else min
    return choose(low for low, _ in children), choose(high for _, high in children)


BOUNDS_MISTAKES = mistakes("solver", "proven_bounds", proven_bounds)


@guarded
def check_proven_bounds(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `proven_bounds(player, children)`."""
    return check_cases(
        function,
        _cases(proven_bounds, PAIRS, "the bounds where {} moves and the children have {}"),
        BOUNDS_MISTAKES,
        kind=tuple,
        success="right for X and for O, in all {cases} cases of one, two and three children.",
    )


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
