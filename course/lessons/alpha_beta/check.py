"""The exercises of notebook 03: checks, reference solutions, and the mistakes they recognise.

Exercise 1 is in `cuts.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from math import inf
from typing import Any

from course.kit.asking import ask, matching_hint
from course.kit.blame import name_of, shown
from course.kit.feedback import Case, Feedback, WrongAnswerError
from course.kit.guarded import guarded
from course.kit.mistakes import mistakes
from course.kit.positions import open_positions
from course.kit.trees import random_tree
from course.kit.visits import TooManyVisitsError, Visits
from course.lessons.alpha_beta.cuts import asked_for, check_cut_negamax, cut_negamax, is_bound
from gamelib.games import TicTacToe
from gamelib.search import alphabeta, minimax
from gamelib.state import Action, GameState

__all__ = ["check_at_least", "check_cut_negamax", "check_order", "check_table_negamax"]

NUMBER = (int, float)

# Exercise 2: at least so much?


def at_least(state: GameState, number: int) -> bool:
    """Return whether the value for the player to move is `number` or more; payoffs are ints."""
    return cut_negamax(state, number - 1, number) >= number


LEAST_MISTAKES = mistakes("alpha_beta", "at_least", at_least)
WIDE = (
    "For yes or no you need no value: everything from `number` up is the same to you, and "
    "everything below it. Where must the window end, and where can it begin?"
)


@guarded
def check_at_least(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `at_least(state, number)`: its answers, then its nodes.

    The nodes are those of one alpha-beta search with the narrowest window, cuts on equality.
    """
    asked = []
    nodes = 0
    for case in _least_cases():
        state, number = case.arguments
        visits = Visits(state, most=100_000)
        asked.append((case, ask(function, replace(case, arguments=(visits.root, number)), bool)))
        nodes += visits.nodes
    for case, answer in asked:
        if answer != case.expected:
            message = f"asked for {case.words}, expected {case.expected}, got {answer}."
            hint = matching_hint(asked, LEAST_MISTAKES)
            return Feedback(False, f"{message} {hint}".strip(), case.state)
    narrow = _least_nodes()
    if nodes > narrow:
        words = f"all {len(asked)} answers are right, but you visit {nodes:,} nodes, and {narrow:,}"
        return Feedback(False, f"{words} are enough. {WIDE}")
    return Feedback(True, f"right in all {len(asked)} cases, and {nodes:,} nodes are enough.")


@cache
def _least_cases() -> tuple[Case, ...]:
    """Return trees and positions, each with a number at, above or below its value."""
    states: list[GameState] = [random_tree(seed, depth=4, values=(-3, 3)) for seed in range(20)]
    states += [tree.play(tree.legal_actions()[-1]) for tree in states[:10]]  # min is to move
    states += [state for state in open_positions(TicTacToe()) if len(state.legal_actions()) == 6][
        ::40
    ]
    return tuple(
        Case((state, number), value >= number, f"value at least {number} in {state!r}", state)
        for state in states
        for value in [int(cut_negamax(state))]
        for number in (value - 1, value, value + 1)
    )


@cache
def _least_nodes() -> int:
    """Return how many nodes the narrowest window visits in all cases together."""
    every = [(Visits(case.arguments[0]), case.arguments[1]) for case in _least_cases()]
    for visits, number in every:
        at_least(visits.root, number)
    return sum(visits.nodes for visits, _ in every)


# Exercise 3: an order


MOST_NODES = 4_000
ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8))
LINES = (*ROWS, *zip(*ROWS, strict=True), (0, 4, 8), (2, 4, 6))


def good_order(state: TicTacToe, actions: Sequence[int]) -> list[int]:
    """Return what wins, then what blocks, then the centre, the corners and the edges."""
    mover = state.current_player

    def urgency(action: int) -> tuple[bool, bool, int]:
        wins, blocks = (_completes(state, action, player) for player in (mover, 1 - mover))
        return not wins, not blocks, (4, 0, 2, 6, 8, 1, 3, 5, 7).index(action)

    return sorted(actions, key=urgency)


def _completes(state: TicTacToe, action: int, player: int) -> bool:
    """Return whether a stone of the player on this cell makes three in a row."""
    return any(
        all(cell == action or state.cell(*divmod(cell, 3)) == player for cell in line)
        for line in LINES
        if action in line
    )


@guarded
def check_order(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `order(state, actions)`: alpha-beta with fewer than 4,000.

    Nodes that the order itself looks at count, too.
    """
    visits = Visits(TicTacToe(), most=100_000)
    name = name_of(function)

    def order(state: GameState, actions: Sequence[Action]) -> Sequence[Action]:
        case = Case((state, actions), None, f"an order of the actions {list(actions)}", state)
        answer: Sequence[Action] = ask(function, case, (list, tuple))
        if sorted(answer, key=repr) != sorted(actions, key=repr):
            words = f"{name} must return all of {list(actions)}, each once; it returned"
            raise WrongAnswerError(f"{words} {shown(answer)}.", state)
        return answer

    try:
        searched = alphabeta(visits.root, order=order).stats.nodes
    except TooManyVisitsError:
        return Feedback(
            False,
            f"with {name}, more than {visits.most:,} nodes are visited, those counted that "
            f"{name} itself looks at. An order must be cheap: it guesses, it does not search.",
        )
    found = f"{visits.nodes:,} nodes"
    if visits.nodes > searched:
        found += f", {visits.nodes - searched:,} of them because {name} looks ahead itself"
    if visits.nodes < MOST_NODES:
        return Feedback(True, f"{found}; fewer than {MOST_NODES:,} were asked for.")
    return Feedback(False, f"{found}; fewer than {MOST_NODES:,} are asked for. {_tip(searched)}")


def _tip(searched: int) -> str:
    """Return what to think of next, from what the search alone has cost."""
    plain = alphabeta(TicTacToe()).stats.nodes
    if searched == plain:
        return "The plain order of the rows, or its reverse, costs as much: is yours one of these?"
    if searched > plain:
        return "That is more than the rows cost: your order tries bad cells first."
    if searched < MOST_NODES:
        return "The order is good, but looking ahead costs more than it saves."
    return (
        "It helps already. Now look at the stones: which cell wins at once, and which one must be "
        "taken before the opponent does?"
    )


# Exercise 4: a table with flags

Memory = dict[GameState, tuple[float, str]]


def table_negamax(state: GameState, alpha: float, beta: float, table: Memory) -> float:
    """Return the value for the player who moves, or a bound; `table` holds (value, kind)."""
    if state in table:
        value, kind = table[state]
        if kind == "exact" or (value >= beta if kind == "lower" else value <= alpha):
            return value
    if state.is_terminal():
        return state.utility(state.current_player)
    best = -inf
    for action in state.legal_actions():
        child = state.successor(action)
        best = max(best, -table_negamax(child, -beta, -max(alpha, best), table))
        if best >= beta:
            break
    table[state] = best, "upper" if best <= alpha else "lower" if best >= beta else "exact"
    return best


TABLE_MISTAKES = mistakes("alpha_beta", "table_negamax", table_negamax)
NO_TABLE = "Your table saves nothing: is every result stored, and is the table asked first?"
NO_EXACT = (
    'No entry is "exact". Compare with the alpha that the node was given, not with the one you '
    "have raised."
)
NO_BOUNDS = (
    "A bound is worth storing, too: after a cut, and when nothing beat alpha. "
    'Store (best, "lower") or (best, "upper").'
)
MOST_TABLE_NODES = 5_000
FEW_SAVED = (
    "Is every result stored, is the table asked before anything else, do the children get "
    "(-beta, -max(alpha, best)), and does the loop end when best >= beta?"
)


@guarded
def check_table_negamax(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `table_negamax(state, alpha, beta, table)`."""
    asked = [
        (case, tuple(ask(function, question, NUMBER) for question in _questions(case)))
        for case in _table_cases()
    ]
    for case, answers in asked:
        if fault := _table_fault(case, answers):
            hint = matching_hint(asked, {hint: _answers(f) for hint, f in TABLE_MISTAKES.items()})
            return Feedback(False, f"{fault} {hint}".strip(), case.state)
    return _judge_table(function, len(asked))


def _judge_table(function: Callable[..., Any], trees: int) -> Feedback:
    """Return feedback on the nodes and the table of a program whose values are all right."""
    visits = Visits(TicTacToe())
    table: Memory = {}
    ask(function, Case((visits.root, -inf, inf, table), 0, "the value of an empty board"), NUMBER)
    plain = alphabeta(TicTacToe()).stats.nodes
    count = (
        f"from the empty board you visit {visits.nodes:,} nodes (a node answered by the table is "
        f"not counted here; section 9 counts it); without a table {plain:,}"
    )
    kinds = {entry[1] for entry in table.values() if isinstance(entry, tuple) and len(entry) == 2}
    problem = ""
    if visits.nodes >= plain or not table:
        problem = NO_TABLE
    elif not {"lower", "upper"} <= kinds:
        problem = NO_BOUNDS
    elif "exact" not in kinds:
        problem = NO_EXACT
    elif visits.nodes >= MOST_TABLE_NODES:
        problem = f"Fewer than {MOST_TABLE_NODES:,} are asked for. {FEW_SAVED}"
    if problem:
        return Feedback(False, f"all values are right, but {count}. {problem}")
    return Feedback(
        True, f"right for {trees:,} trees and positions, with six windows each; {count}."
    )


# Two tables: the first window fills one with upper bounds, the other with lower ones.  The full
# window comes last: there a bound that was stored as a value gives a wrong answer.
WINDOWS = (((2, 3), (0, 1), (-inf, inf)), ((-3, -2), (0, 1), (-inf, inf)))


@cache
def _table_cases() -> tuple[Case, ...]:
    """Return trees and positions; each is asked with several windows and the same table."""
    states: list[GameState] = [*open_positions(TicTacToe())[1000:4300:11]]
    states += (random_tree(seed, depth=4, values=(-4, 4)) for seed in range(60))
    return tuple(
        Case((state,), minimax(state).value, f"the value of {state!r}", state) for state in states
    )


def _questions(case: Case) -> list[Case]:
    """Return what is asked of one tree: two series of windows, each with a table of its own."""
    (state,) = case.arguments
    tables: list[Memory] = [{}, {}]
    return [
        replace(
            case,
            arguments=(state, alpha, beta, table),
            words=f"{case.words} with alpha = {alpha} and beta = {beta}",
        )
        for table, windows in zip(tables, WINDOWS, strict=True)
        for alpha, beta in windows
    ]


def _table_fault(case: Case, answers: Sequence[float]) -> str:
    """Return the first wrong answer of several, in words; "" if all are right."""
    for question, answer in zip(_questions(case), answers, strict=True):
        if not is_bound(answer, question):
            asked = asked_for(replace(question, words=case.words))
            return f"with a table that earlier calls have filled, {asked}; got {answer!r}."
    return ""


def _answers(function: Callable[..., float]) -> Callable[[GameState], tuple[float, ...]]:
    """Return a function of a position: the answers of a program to all questions on it."""

    def answers(state: GameState) -> tuple[float, ...]:
        case = Case((state,), None, "", state)
        return tuple(function(*question.arguments) for question in _questions(case))

    return answers
