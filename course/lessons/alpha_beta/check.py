"""The checks of the exercises of notebook 03; the solutions are in `reference.py`.

The checks of the line in section 2 and of exercise 1 are in `check_cuts.py`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial, wraps
from math import inf
from random import Random
from typing import Any

from course.draw.wording import format_path
from course.exercises.answer_key import AnswerKey, apply_view, rng, seeded_cases, without_answers
from course.exercises.check_runner import guarded
from course.exercises.error_report import name_of, safe_repr
from course.exercises.feedback import Case, Feedback, WrongAnswerError
from course.exercises.run_cases import (
    NUMBER,
    call_and_count,
    call_student,
    compare_answer,
    first_wrong_feedback,
    with_hint,
)
from course.exercises.state_space import open_positions
from course.exercises.tree_exercises import (
    FAR_TREES,
    TEXTBOOK,
    check_leaf,
    random_tree,
    uneven_tree,
)
from course.exercises.visit_counter import (
    RECALLED_MESSAGE,
    TooManyVisitsError,
    VisitCounter,
    visit_count,
)
from course.lessons.alpha_beta.check_cuts import asked_for, exact, is_bound
from course.lessons.alpha_beta.check_cuts import check_cut_negamax as check_cut_negamax
from course.lessons.alpha_beta.check_cuts import check_my_alphabeta as check_my_alphabeta
from course.lessons.minimax.check import other_choice as other_choice
from course.tracing import record
from gamelib.games import GameTree, TicTacToe
from gamelib.search import alphabeta
from gamelib.search.ordering import Order
from gamelib.state import Action, GameState

# Section 1: one leaf is changed


def nothing_cut(tree: GameTree) -> Feedback:
    """Return feedback on whether alpha-beta visits all leaves of the textbook tree, one changed."""
    cuts = record(alphabeta, tree).pruned()
    found = f"{format_path(cuts[0])} is cut." if cuts else "every leaf is read."
    return check_leaf(tree, TEXTBOOK, found, reached=not cuts)


MAX_VISITS = 100_000  # a program that visits more is stopped

# Exercise 2: is the value at least this number?

WIDE_WINDOW_MESSAGE = (
    "For yes or no you need no value: everything from `number` up is the same to you, and "
    "everything below it. Where must the window end, and where can it begin?"
)
EXERCISE_1_MESSAGE = (
    "If it calls `cut_negamax`: does exercise 1 pass? Which values must one search tell apart?"
)


# On these trees, an empty window and a window that begins too high give different answers.
EMPTY_WINDOW = (3, 26, 92)


@seeded_cases
def _least_cases(rng: Random) -> Iterator[Case]:
    """Yield trees and positions, each with one number, equal or close to its value.

    No two questions are about the same position, so no answer helps with another one.
    """
    seeds = iter((*range(40), *rng.sample(range(40, 10**9), 110)))
    wide = -(10**5), 10**5  # no two leaves are equal
    states: list[GameState] = [random_tree(next(seeds), depth=4, values=wide) for _ in range(70)]
    states += [random_tree(next(seeds), depth=4, values=(-3, 3)) for _ in range(40)]
    states += [uneven_tree(next(seeds), values=wide) for _ in range(20)]
    trees = [random_tree(next(seeds), depth=4, values=wide) for _ in range(20)]
    states += [tree.play(tree.legal_actions()[-1]) for tree in trees]  # min is to move
    boards = [state for state in open_positions(TicTacToe()) if len(state.legal_actions()) == 6]
    for state in (*states, *boards[::160], *rng.sample(boards, 4)):
        yield _least(state, exact(state) + rng.choice((-1, 0, 0, 1)))
    for seed in EMPTY_WINDOW:
        tree = random_tree(seed, depth=4, values=(-3, 3))
        yield _least(tree, exact(tree) + 1)


def _least(state: GameState, number: int) -> Case:
    player = state.player_name(state.current_player)
    words = f"value at least {number} in {state!r} for {player}, who moves"
    return Case((state, number), exact(state) >= number, words, state)


LEAST = AnswerKey("alpha_beta", "at_least", _least_cases, make=_least)
LEAST_NODES = AnswerKey("alpha_beta", "at_least", without_answers(_least_cases), view=visit_count)


def _in_drawn_order(cases: Sequence[Case]) -> list[Case]:
    """Return the questions in an order that the seed draws; an exercise's own order is known."""
    return rng("order of the questions").sample(cases, len(cases))


@guarded
def check_at_least(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `at_least(state, number)`: its results, then its nodes.

    The nodes must be those of one alpha-beta search with the narrowest window and cuts on equality.
    They are compared for each position, so that remembered answers cannot pay for other nodes.
    """
    cases = _in_drawn_order(LEAST.cases())
    runs = [call_and_count(function, case, bool, max_nodes=MAX_VISITS) for case in cases]
    answers, nodes = [answer for answer, _ in runs], sum(len(paths) for _, paths in runs)
    # Asked in an order that nobody knows; told in the order of the key, with small trees first.
    by_question = dict(zip((case.arguments for case in cases), answers, strict=True))
    answers = [by_question[case.arguments] for case in LEAST.cases()]
    given = zip(LEAST.cases(), answers, strict=True)
    again = partial(call_student, function, kind=bool)
    fault = first_wrong_feedback(LEAST, given, compare_answer, again, function)
    if fault is not None:
        return with_hint(fault, LEAST.hint(answers) or EXERCISE_1_MESSAGE)
    if recalled := sum(len(paths) < 2 for _, paths in runs):
        return Feedback(False, RECALLED_MESSAGE.format(count=recalled))
    enough = {case.arguments: case.expected for case in LEAST_NODES.cases()}
    wide = [
        (enough[case.arguments], len(paths), case.state)
        for case, (_, paths) in zip(cases, runs, strict=True)
        if len(paths) > enough[case.arguments]
    ]
    if wide:
        narrow, visited, state = min(wide, key=lambda case: (case[1], case[0]))
        words = f"all {len(cases)} answers are right, but in {len(wide)} of the positions you visit"
        words += f" too many nodes: in this one {visited:,} nodes, and {narrow:,} are enough"
        return Feedback(False, f"{words}. {WIDE_WINDOW_MESSAGE}", state)
    return Feedback(True, f"right in all {len(cases)} cases, and {nodes:,} nodes are enough.")


# Exercise 3: an order

MAX_NODES = 4_000


@guarded
def check_order(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `order(state, actions)`, which must save alpha-beta nodes.

    On the empty board alpha-beta must visit fewer than 4,000, including those that the order itself
    visits.  From other positions, the order must save some.
    """
    visits = VisitCounter(TicTacToe(), max_nodes=MAX_VISITS)
    name = name_of(function)
    order = _checked_order(function)
    try:
        searched = alphabeta(visits.root, order=order).stats.nodes
    except TooManyVisitsError:
        return Feedback(
            False,
            f"with {name}, more than {visits.max_nodes:,} nodes are visited, those counted that "
            f"{name} itself looks at. An order must be cheap: it guesses, it does not search.",
        )
    found = f"{visits.nodes:,} nodes"
    if visits.nodes > searched:
        found += f", {visits.nodes - searched:,} of them because {name} looks ahead itself"
    if visits.nodes >= MAX_NODES:
        words = f"{found}; fewer than {MAX_NODES:,} are asked for. {_tip(searched, visits.nodes)}"
        return Feedback(False, words)
    later = _order_positions()
    mine = sum(alphabeta(state, order=order).stats.nodes for state in later)
    rows = sum(alphabeta(state).stats.nodes for state in later)
    if mine >= rows:
        words = f"from the empty board {found}, but from {len(later)} later positions {mine:,}: the"
        return Feedback(False, f"{words} plain order of the rows has {rows:,}.")
    return Feedback(True, f"{found}; fewer than {MAX_NODES:,} were asked for.")


@seeded_cases
def _order_positions(rng: Random) -> list[TicTacToe]:
    boards = [state for state in open_positions(TicTacToe()) if len(state.legal_actions()) == 6]
    return rng.sample(boards, 12)


def _checked_order(function: Callable[..., Any]) -> Order:
    """Return the order of a function; an invalid order ends the check."""

    def order(state: GameState, actions: Sequence[Action]) -> Sequence[Action]:
        case = Case((state, actions), None, f"an order of the actions {list(actions)}", state)
        answer: Sequence[Action] = call_student(function, case, (list, tuple))
        if sorted(answer, key=repr) != sorted(actions, key=repr):
            words = f"{name_of(function)} must return all of {list(actions)}, each once"
            raise WrongAnswerError(f"{words}; it returned {safe_repr(answer)}.", state)
        return answer

    return order


def _tip(searched: int, visited: int) -> str:
    """Return a hint, from the nodes of the search alone and of everything together."""
    plain = alphabeta(TicTacToe()).stats.nodes
    if searched == plain:
        return "The plain order of the rows, or its reverse, costs as much: is yours one of these?"
    if searched > plain:
        return "That is more than the rows cost: your order tries bad cells first."
    if searched < MAX_NODES or visited > plain:
        return "The order helps, but looking ahead costs more than it saves."
    return (
        "It helps already. Now look at the marks. Which cell wins at once, and which one must be "
        "taken before the opponent does?"
    )


# Exercise 4: a table with flags

Memory = dict[GameState, tuple[float, str]]


NO_TABLE_MESSAGE = (
    "Your table saves nothing: is every result stored in the `table` that was given, is the same "
    "one handed on to the children, and is it asked first?"
)
NO_EXACT_MESSAGE = (
    'No entry is "exact". Compare with the alpha that the node was given, not with the one you '
    "have raised."
)
NO_BOUNDS_MESSAGE = (
    "A bound is worth storing, too: after a cut, and when nothing beat alpha. "
    'Store (best, "lower") or (best, "upper").'
)
MAX_TABLE_NODES = 5_000
FEW_SAVED_MESSAGE = (
    "Is every result stored, is the table asked first, do bounds answer, too, do the children get "
    "(-beta, -max(alpha, best)), and does the loop end when best >= beta?"
)


@guarded
def check_table_negamax(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `table_negamax(state, alpha, beta, table)`."""
    cases, again = TABLE.cases(), partial(call_student, apply_view(_answers, function), kind=tuple)
    answers = [again(case) for case in cases]
    given = zip(cases, answers, strict=True)
    fault = first_wrong_feedback(TABLE, given, _table_fault, again, function, _right_with_table)
    if fault is not None:
        return with_hint(fault, TABLE.hint(answers))
    return _judge_table(function, len(cases))


def _judge_table(function: Callable[..., Any], trees: int) -> Feedback:
    """Return feedback on the nodes and the table of a program whose values are all right."""
    visits = VisitCounter(TicTacToe())
    case = Case((visits.root,), 0, "the value of an empty board")
    entries, *kinds = call_student(apply_view(_entries, function), case, tuple)
    plain = alphabeta(TicTacToe()).stats.nodes
    count = (
        f"from the empty board you visit {visits.nodes:,} nodes (a node answered by the table is "
        f"not counted here; section 9 counts it); without a table {plain:,}"
    )
    problem = ""
    if visits.nodes >= plain or not entries:
        problem = NO_TABLE_MESSAGE
    elif not {"lower", "upper"} <= {*kinds}:
        problem = NO_BOUNDS_MESSAGE
    elif "exact" not in kinds:
        problem = NO_EXACT_MESSAGE
    elif visits.nodes >= MAX_TABLE_NODES:
        problem = f"Fewer than {MAX_TABLE_NODES:,} are asked for. {FEW_SAVED_MESSAGE}"
    if problem:
        return Feedback(False, f"all values are right, but {count}. {problem}")
    return Feedback(
        True, f"right for {trees:,} trees and positions, with six windows each; {count}."
    )


# Two tables: the first window fills one with upper bounds, the other with lower bounds. The full
# window comes last, where a bound that was stored as a value gives a wrong result.
WINDOWS = (((2, 3), (0, 1), (-inf, inf)), ((-3, -2), (0, 1), (-inf, inf)))


@seeded_cases
def _table_cases(rng: Random) -> Iterator[Case]:
    """Yield trees and positions; each is asked with several windows and the same table."""
    boards = open_positions(TicTacToe())[1000:4300]
    states: list[GameState] = [*boards[::22], *rng.sample(boards, 150)]
    for seed in (*range(30), *rng.sample(range(30, 10**9), 30)):
        states.append(random_tree(seed, depth=4, values=(-4, 4)))
        states.append(uneven_tree(seed))
    for state in (*states, *FAR_TREES, *_with_equal_branches(rng)):
        yield _table_case(state)


def _with_equal_branches(rng: Random) -> Iterator[GameTree]:
    """Yield trees with the same branch at two depths, where different players move.

    A table whose key lacks the player to move confuses the two.
    """
    for height in (1, 1, 2, 2) * 5:
        branch = _branch(rng, height)
        yield GameTree(rng.sample([branch, [branch]], 2))


def _branch(rng: Random, height: int) -> list[Any] | int:
    if height == 0:
        return rng.randint(-2, 2)
    return [_branch(rng, height - 1) for _ in range(rng.randint(2, 3))]


def _table_case(state: GameState) -> Case:
    words = f"the value of {state!r} for the player to move"
    return Case((state,), exact(state), words, state)


def _questions(case: Case) -> list[Case]:
    """Return the questions on one tree: two series of windows, each with a separate table."""
    (state,) = case.arguments
    tables: list[Memory] = [{}, {}]
    return [
        replace(
            case,
            arguments=(state, alpha, beta, table),
            prompt=f"{case.prompt} with alpha = {alpha} and beta = {beta}",
        )
        for table, windows in zip(tables, WINDOWS, strict=True)
        for alpha, beta in windows
    ]


def _table_fault(case: Case, answers: Sequence[float]) -> str:
    """Return a sentence about the first wrong answer; "" if all are right."""
    for question, answer in zip(_questions(case), answers, strict=True):
        window = question.arguments[1:3]
        if not is_bound(answer, case.expected, *window):
            asked = asked_for(case, *window)
            return f"with a table that earlier calls have filled, {asked}; got {answer!r}."
    return ""


def _right_with_table(arguments: tuple[Any, ...], answer: Any) -> Any:
    """Return the correct value for a call with a table; None if the answer is a bound on it."""
    state, alpha, beta, _ = arguments
    return None if is_bound(answer, exact(state), alpha, beta) else exact(state)


def _answers(function: Callable[..., float]) -> Callable[[GameState], tuple[float, ...]]:
    """Return a function of a position that returns a program's answers to all questions on it."""

    @wraps(function)
    def answers(state: GameState) -> tuple[float, ...]:
        case = Case((state,), None, f"the value of {state!r}", state)
        return tuple(call_student(function, question, NUMBER) for question in _questions(case))

    return answers


def _entries(function: Callable[..., float]) -> Callable[[GameState], tuple[Any, ...]]:
    """Return a function of a position: the number of entries in a program's table, and kinds."""

    @wraps(function)
    def entries(state: GameState) -> tuple[Any, ...]:
        table: Memory = {}
        call_student(
            function, Case((state, -inf, inf, table), 0, "the value of an empty board"), NUMBER
        )
        kinds = {entry[1] for entry in table.values() if isinstance(entry, tuple) and entry[1:]}
        return len(table), *kinds

    return entries


TABLE = AnswerKey("alpha_beta", "table_negamax", _table_cases, view=_answers, make=_table_case)
