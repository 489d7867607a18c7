"""The exercises of notebook 03: checks, reference solutions, and the mistakes they recognise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any

from course.kit.asking import ask, matching_hint
from course.kit.blame import name_of, shown
from course.kit.feedback import Case, Feedback, WrongAnswerError
from course.kit.guarded import guarded
from course.kit.mistakes import edited, mistakes
from course.kit.positions import exact_values, open_positions, optimal_actions
from course.kit.trees import random_tree, why_visited
from course.kit.visits import Path, TooManyVisitsError, Visits
from gamelib.games import TicTacToe
from gamelib.search import alphabeta, minimax
from gamelib.state import Action, GameState
from gamelib.trace import record
from gamelib.trace.words import path_in_words

NUMBER = (int, float)

# Exercise 1: cuts in negamax


def cut_negamax(state: GameState, alpha: float = -inf, beta: float = inf) -> float:
    """Return the value for the player who moves, fail-soft: a bound outside alpha to beta."""
    if state.is_terminal():
        return state.utility(state.current_player)
    best = -inf
    for action in state.legal_actions():
        best = max(best, -cut_negamax(state.successor(action), -beta, -max(alpha, best)))
        if best >= beta:
            break
    return best


# A mistake that no edit of a line can say; mistakes.toml calls this.
def _cut_of_all(state: GameState, alpha: float = -inf, beta: float = inf) -> float:
    """Return what alpha-beta returns if a cut below ends the nodes above as well."""

    def value(state: GameState, alpha: float, beta: float) -> tuple[float, bool]:
        if state.is_terminal():
            return state.utility(state.current_player), False
        best = -inf
        for action in state.legal_actions():
            found, cut = value(state.successor(action), -beta, -max(alpha, best))
            best = max(best, -found)
            if cut or best >= beta:
                return best, True
        return best, False

    return value(state, alpha, beta)[0]


WRONG_CUTS = mistakes("alpha_beta", "wrong_cuts", cut_negamax)
HARD_CUTS = (
    "The values inside the window are right. Outside, your program returns the limit of the window "
    "(fail-hard); asked for was fail-soft: start with best = -inf and return best, which may say "
    "more."
)
FEW_CUTS = mistakes("alpha_beta", "few_cuts", cut_negamax)
TWICE = (
    "The values are right, but nodes are visited twice. Does your program call itself twice for a "
    "child, once to compare and once to keep? Put the value into a variable."
)
LENIENT = (
    "You cut on < only. That is right, too, and costs more: a value that equals the limit cannot "
    "change what is chosen above."
)


@dataclass(frozen=True)
class _Asked:
    """What a program answered on one tree with one window, and which nodes it visited."""

    answer: float
    paths: tuple[Path, ...]


@guarded
def check_cut_negamax(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `cut_negamax(state, alpha, beta)`: its values, then its cuts.

    A value outside the window must be a bound.  From left to right the nodes must be those of
    alpha-beta, with cuts on equality or without; in another order there must be cuts.
    """
    cases = _cut_cases()
    asked: list[_Asked] = []
    wrong = None
    for case in cases:
        asked.append(_watched(function, case))
        if wrong is None and not _is_bound(asked[-1].answer, case):
            wrong = case, asked[-1]
    if wrong is not None:
        case, one = wrong
        pairs = [(case, one.answer) for case, one in zip(cases, asked, strict=True)]
        parts = (
            f"{_asked_for(case)}, got {one.answer!r}.",
            _left_out(case, one.paths),
            matching_hint(pairs, WRONG_CUTS),
        )
        return Feedback(False, " ".join(filter(None, parts)), case.state)
    if _is_hard(cases, asked):
        return Feedback(False, HARD_CUTS)
    return _judge_visits(cases, asked)


@cache
def _cut_cases() -> tuple[Case, ...]:
    """Return trees and positions with windows; what is expected is the true value."""
    states: list[GameState] = [
        random_tree(seed, branching=(1, 3), depth=depth, values=(-5, 5))
        for depth in (2, 3, 4, 5)
        for seed in range(100)
    ]
    states += open_positions(TicTacToe())[-1500::30]
    windows = ((-inf, inf), (-1, 2), (2, 4), (-4, -3))
    return tuple(
        Case((state, *window), minimax(state).value, f"the value of {state!r}", state)
        for state in states
        for window in windows
    )


def _watched(function: Callable[..., Any], case: Case) -> _Asked:
    """Return what a program answers and visits; WrongAnswerError if it cannot be marked."""
    visits = Visits(case.arguments[0], most=50_000)
    watched = Case((visits.root, *case.arguments[1:]), case.expected, case.words, case.state)
    return _Asked(ask(function, watched, NUMBER), tuple(visits.paths))


def _is_bound(answer: float, case: Case) -> bool:
    """Return whether an answer is the true value, or outside the window a bound on it."""
    _, alpha, beta = case.arguments
    if answer <= alpha:
        return bool(case.expected <= answer)
    if answer >= beta:
        return bool(case.expected >= answer)
    return bool(answer == case.expected)


def _asked_for(case: Case) -> str:
    _, alpha, beta = case.arguments
    if (alpha, beta) == (-inf, inf):
        return f"asked for {case.words} for its mover, expected {case.expected!r}"
    limits = "an upper bound at or below alpha, a lower bound at or above beta"
    return (
        f"asked for {case.words} for its mover with alpha = {alpha} and beta = {beta}: the true "
        f"value is {case.expected!r}, and the answer must agree with it ({limits})"
    )


def _left_out(case: Case, paths: Sequence[Path]) -> str:
    """Return why the first node that alpha-beta visits, and the program does not, is needed.

    An empty string if there is none, or if the program takes the actions in another order.
    """
    if not _is_full(case) or list(paths) != sorted(paths):
        return ""
    trace = record(alphabeta, case.arguments[0])
    missing = [path for path in trace.visited() if path not in set(paths)]
    if not missing:
        return ""
    why = why_visited(trace, missing[0])
    where = path_in_words(missing[0])
    return (
        f"Your program does not visit {where}, which is needed. For the player at the root, {why}"
    )


def _is_hard(cases: Sequence[Case], asked: Sequence[_Asked]) -> bool:
    """Return whether on one side of the window all answers are the limit itself."""
    pairs = [(case.arguments, one.answer) for case, one in zip(cases, asked, strict=True)]
    low = [(alpha, answer) for (_, alpha, _), answer in pairs if -inf < alpha and answer <= alpha]
    high = [(beta, answer) for (_, _, beta), answer in pairs if beta < inf and answer >= beta]
    return any(all(limit == answer for limit, answer in side) for side in (low, high) if side)


def _judge_visits(cases: Sequence[Case], asked: Sequence[_Asked]) -> Feedback:
    """Return feedback on the nodes visited by a program whose values are all right."""
    full = [(c, one.paths) for c, one in zip(cases, asked, strict=True) if _is_full(c)]
    if any(len(set(paths)) < len(paths) for _, paths in full):
        return Feedback(False, TWICE)
    nodes, everything = sum(len(paths) for _, paths in full), sum(_sizes())
    count = f"you visit {nodes:,} of {everything:,} nodes"
    if any(list(paths) != sorted(paths) for _, paths in full):
        if nodes == everything:
            return Feedback(False, f"all values are right, but {count}: nothing is cut.")
        return Feedback(True, f"all values are right; {count}, in an order of your own.")
    usual, strict = _reference_visits()
    if all(paths == right for (_, paths), right in zip(full, usual, strict=True)):
        return Feedback(
            True,
            f"right for {len(full):,} trees and positions, with wide windows and with narrow ones; "
            f"{count}, exactly those of alpha-beta.",
        )
    if all(paths == right for (_, paths), right in zip(full, strict, strict=True)):
        fewer = sum(map(len, usual))
        return Feedback(True, f"all values are right; {count}. {LENIENT} {fewer:,} are enough.")
    return _too_many(full, usual, count, cases, asked)


def _too_many(
    full: Sequence[tuple[Case, tuple[Path, ...]]],
    usual: Sequence[tuple[Path, ...]],
    count: str,
    cases: Sequence[Case],
    asked: Sequence[_Asked],
) -> Feedback:
    """Return feedback that names the first node that alpha-beta does not visit, and why."""
    (case, paths), right = next(
        (one, right) for one, right in zip(full, usual, strict=True) if one[1] != right
    )
    hint = next(
        (hint for hint, mutant in FEW_CUTS.items() if _visits_the_same(mutant, cases, asked)), ""
    )
    extra = [path for path in paths if path not in right]
    if not extra:  # fewer than alpha-beta, with the right value on these trees: luck
        why = _left_out(case, paths)
        message = f"all values are right, but {count}, fewer than alpha-beta needs. {why}"
        return Feedback(False, message.strip(), case.state)
    why = record(alphabeta, case.arguments[0]).why_cut(extra[0])
    where = path_in_words(extra[0])
    message = f"all values are right, but {count}. In {case.state!r} {where} needs no visit. {why}"
    return Feedback(False, f"{message} {hint}".strip(), case.state)


def _visits_the_same(
    mutant: Callable[..., float], cases: Sequence[Case], asked: Sequence[_Asked]
) -> bool:
    return all(
        _watched(mutant, case).paths == one.paths for case, one in zip(cases, asked, strict=True)
    )


def _is_full(case: Case) -> bool:
    return case.arguments[1:] == (-inf, inf)


@cache
def _sizes() -> tuple[int, ...]:
    """Return the size of each tree of the cases."""
    return tuple(minimax(c.arguments[0]).stats.nodes for c in _cut_cases() if _is_full(c))


@cache
def _reference_visits() -> tuple[tuple[tuple[Path, ...], ...], ...]:
    """Return the nodes of each tree that alpha-beta visits: with `<=`, and with `<` only."""
    strict = edited(cut_negamax, ("best >= beta", "best > beta"))
    return tuple(
        tuple(_watched(program, case).paths for case in _cut_cases() if _is_full(case))
        for program in (cut_negamax, strict)
    )


# Exercise 2: all best actions


def all_best(state: GameState) -> list[Action]:
    """Return all best actions: each value is found with a full window, so that none is a bound."""
    values = {action: -cut_negamax(state.successor(action)) for action in state.legal_actions()}
    return [action for action, value in values.items() if value == max(values.values())]


BEST_MISTAKES = mistakes("alpha_beta", "all_best", all_best)


@guarded
def check_all_best(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `all_best(state)`; lists, tuples and sets are accepted."""
    asked: list[tuple[Case, set[Action]]] = []
    wrong = None
    nodes = 0
    for case in _best_cases():
        visits = Visits(case.arguments[0])
        watched = Case((visits.root,), case.expected, case.words, case.state)
        answer = _set_of(ask(function, watched, (list, tuple, set, frozenset)), case)
        nodes += visits.nodes
        asked.append((case, answer))
        if wrong is None and answer != case.expected:
            wrong = case, answer
    if wrong is not None:
        case, answer = wrong
        hint = matching_hint(asked, {hint: _as_set(f) for hint, f in BEST_MISTAKES.items()})
        message = f"asked for {case.words}, expected {_listed(case.expected)}, got"
        return Feedback(False, f"{message} {shown(_listed(answer))}. {hint}".strip(), case.state)
    everything = sum(minimax(case.arguments[0]).stats.nodes for case, _ in asked)
    return Feedback(
        True,
        f"all best actions, and only these, in {len(asked):,} positions; you visit {nodes:,} "
        f"nodes, minimax {everything:,}.",
    )


@cache
def _best_cases() -> tuple[Case, ...]:
    """Return positions near the end, a quarter of which deceive whoever trusts bounds."""
    values = exact_values(TicTacToe())
    late = [state for state in open_positions(TicTacToe()) if 2 < len(state.legal_actions()) < 7]
    return tuple(
        Case((state,), set(optimal_actions(state, values)), f"all best actions of {state!r}", state)
        for state in late[::13]
    )


def _set_of(answer: Iterable[Any], case: Case) -> set[Action]:
    try:
        return set(answer)
    except TypeError:
        words = f"the answer {shown(answer)} holds something that is no action."
        raise WrongAnswerError(words, case.state) from None


def _as_set(function: Callable[[GameState], Iterable[Action]]) -> Callable[..., set[Action]]:
    return lambda state: set(function(state))


def _listed(actions: Iterable[Action]) -> list[Action]:
    return sorted(actions, key=repr)


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
    asked: list[tuple[Case, tuple[float, ...]]] = []
    wrong = None
    for case in _table_cases():
        answers = tuple(ask(function, one, NUMBER) for one in _questions(case))
        asked.append((case, answers))
        if wrong is None and (fault := _table_fault(case, answers)):
            wrong = case, fault
    if wrong is not None:
        case, fault = wrong
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


WINDOWS = (((2, 3), (0, 1), (-inf, inf)), ((-3, -2), (0, 1), (-inf, inf)))  # two tables


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
        Case((state, alpha, beta, table), case.expected, _in_window(case, alpha, beta), state)
        for table, windows in zip(tables, WINDOWS, strict=True)
        for alpha, beta in windows
    ]


def _in_window(case: Case, alpha: float, beta: float) -> str:
    return f"{case.words} with alpha = {alpha} and beta = {beta}"


def _table_fault(case: Case, answers: Sequence[float]) -> str:
    """Return the first wrong answer of several, in words; "" if all are right."""
    for (state, alpha, beta, _), answer in zip(
        (question.arguments for question in _questions(case)), answers, strict=True
    ):
        one = Case((state, alpha, beta), case.expected, case.words, state)
        if not _is_bound(answer, one):
            return (
                f"with a table that earlier calls have filled, {_asked_for(one)}; got {answer!r}."
            )
    return ""


def _answers(function: Callable[..., float]) -> Callable[[GameState], tuple[float, ...]]:
    """Return a function of a position: the answers of a program to all questions on it."""

    def answers(state: GameState) -> tuple[float, ...]:
        case = Case((state,), None, "", state)
        return tuple(function(*question.arguments) for question in _questions(case))

    return answers
