"""The checks of the exercises of notebook 05; the solutions are in `reference.py`."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from random import Random
from typing import Any

from course.exercises.answer_key import FROM_REFERENCE, AnswerKey, seeded_cases
from course.exercises.check_runner import guarded
from course.exercises.error_report import safe_repr
from course.exercises.feedback import Case, Feedback
from course.exercises.run_cases import check_cases, make_check
from gamelib.games import Nim, TicTacToe, nim_sum, nim_winning_actions
from gamelib.search import mcts, solve
from gamelib.state import GameState

# Section 2: one line of the proof


@seeded_cases
def _wins_cases(rng: Random) -> Iterator[Case]:
    heaps = [heaps for heaps in product(range(4), repeat=2) if sum(heaps)]
    three = [(1, 2, 3), (1, 1, 2), (1, 1, 1), (2, 2, 2), (1, 2, 2), (1, 1, 3)]
    for more in (*heaps, *three, *(rng.sample(range(1, 5), 3) for _ in range(4))):
        yield _wins_case(Nim(more))


def _wins_case(state: Nim) -> Case:
    words = f"whether the player to move with the heaps {state} can force a win"
    return Case((state,), bool(nim_winning_actions(state)), words, state)


check_wins = make_check(AnswerKey("solver", "wins", _wins_cases, make=_wins_case), bool)


# Exercise 1: the rules of proof

RESULTS = ("X wins", "O wins", "draw", "unknown")


def _cases(rng: Random, found: Sequence[Any], words: str) -> Iterator[Case]:
    """Yield a node of X and one of O above each list of one, two and three children, and more.

    The longer lists are drawn at random, so that nobody can know them all.
    """
    short = [children for n in (1, 2, 3) for children in product(found, repeat=n)]
    # Each list has only some of the results, because a missing result lets another one decide.
    longer = [rng.choices(rng.sample(found, 3), k=rng.randint(4, 9)) for _ in range(40)]
    for children in (*short, *longer):
        for player in "XO":
            named = words.format(player, ", ".join(map(str, children)))
            yield Case((player, list(children)), FROM_REFERENCE, named)


@seeded_cases
def _proven_cases(rng: Random) -> Iterator[Case]:
    yield from _cases(rng, RESULTS, "what is proven where {} moves and the children are {}")


check_proven = make_check(AnswerKey("solver", "proven", _proven_cases), str)


# Exercise 2: the nim-sum move


@seeded_cases
def _nim_cases(rng: Random) -> Iterator[Case]:
    """Yield all heaps up to 5, and larger ones, in which some action wins."""
    more = [[rng.randint(0, 30) for _ in range(rng.randint(3, 5))] for _ in range(40)]
    for heaps in (*sorted(product(range(6), repeat=3), key=sum), *more):
        if nim_sum(heaps):
            state = Nim(heaps)
            yield Case((list(heaps),), None, f"the winning action with heaps {state}", state)


NIM = AnswerKey("solver", "nim_move", _nim_cases)


@guarded
def check_nim_move(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `nim_move(heaps)`: any winning action is right."""
    success = "your action wins in all {cases} positions."
    return check_cases(function, NIM, tuple, success, fault=_nim_fault)


def _nim_fault(case: Case, answer: Any) -> str:
    """Return a sentence about an action that does not win; "" if it wins."""
    state: Any = case.state
    if answer in nim_winning_actions(state):
        return ""
    if answer not in state.legal_actions():
        return f"with heaps {state}, {safe_repr(answer)} is no legal action (heap, take)."
    left = state.successor(answer).heaps
    return f"with heaps {state}, {answer!r} leaves {left}: the nim-sum is {nim_sum(left)}, not 0."


# Exercise 3: the same with bounds

Pair = tuple[int, int]
PAIRS: tuple[Pair, ...] = ((-1, 1), (-1, -1), (0, 0), (1, 1), (0, 1), (-1, 0))


@seeded_cases
def _bounds_cases(rng: Random) -> Iterator[Case]:
    yield from _cases(rng, PAIRS, "the bounds where {} moves and the children have {}")


check_proven_bounds = make_check(AnswerKey("solver", "proven_bounds", _bounds_cases), tuple)


# Exercise 4: a position in which the most visited action is wrong

SHOWN = TicTacToe.parse(".O. / X.. / ..X")


@guarded
def check_not_most_visited(state: GameState, simulations: int) -> Feedback:
    """Return feedback on a position where the most visited action loses, and the solver draws."""
    if not isinstance(state, TicTacToe) or state.rows * state.cols > 9 or state.num_players != 2:
        words = f"give a tic-tac-toe position of at most 9 cells; got {safe_repr(state)}."
        return Feedback(False, words)
    if state.is_terminal():
        return Feedback(False, "this game is over; nobody has to choose.", state)
    if state.symmetry_key() == SHOWN.symmetry_key():
        words = "that is the position of section 5, perhaps rotated or mirrored; find another."
        return Feedback(False, words, state)
    if type(simulations) is not int or not 1 <= simulations <= 5000:
        return Feedback(
            False, f"simulations must be an int, 1 to 5000; got {safe_repr(simulations)}."
        )
    result = mcts(state, simulations=simulations, solver=True, rng=0)
    visits = result.visits or {}
    favourite = max(visits, key=visits.__getitem__)
    truth = solve(state).values
    visited = f"the most visited action is {favourite} (true value {truth[favourite].value:+g})"
    if result.action == favourite:
        words = f"{visited}, and the solver plays it. Try another one."
        return Feedback(False, words, state, attempted=state != TicTacToe())
    worth = truth[result.action].value
    found = f"{visited}; the solver plays {result.action} (true value {worth:+g})"
    if (truth[favourite].value, worth) != (-1, 0):
        words = "visits alone must lose here, and the solver must draw. Try another position"
        return Feedback(False, f"{found}: {words}.", state)
    return Feedback(True, f"{found}.", state)
