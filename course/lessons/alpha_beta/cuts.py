"""One line of alpha-beta, and exercise 1 of notebook 03, alpha-beta as negamax: their checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import inf
from random import Random
from typing import Any

from course.draw.words import path_in_words, why_not_visited
from course.kit.asking import Right, ask, first_fault, hinted
from course.kit.blame import name_of
from course.kit.feedback import Case, Feedback
from course.kit.guarded import guarded
from course.kit.key import Key, Seed, drawn, seed_now
from course.kit.positions import open_positions
from course.kit.trees import random_tree, why_visited
from course.kit.visits import Path, Visits
from course.watch import record
from gamelib.games import TicTacToe
from gamelib.search import alphabeta, minimax
from gamelib.state import GameState

HARD_CUTS = (
    "The values inside the window are right. Outside, your program returns the limit of the window "
    "(fail-hard); asked for was fail-soft: start with best = -inf and return best, which may say "
    "more."
)
TWICE = (
    "The values are right, but nodes are visited twice. Does your program call itself twice for a "
    "child, once to compare and once to keep? Put the value into a variable."
)
LENIENT = (
    "You cut on < only. That is right, too, and costs more: a value that equals the limit cannot "
    "change what is chosen above."
)
MOST = 50_000  # nodes of one tree
STRICT = partial(alphabeta, strict=True)


@dataclass(frozen=True)
class _Run:
    """What a program answered on one tree with one window, and which nodes it visited."""

    case: Case
    answer: float
    paths: tuple[Path, ...]

    @property
    def is_full(self) -> bool:
        """Whether the window was the whole one."""
        return self.case.arguments[1:] == (-inf, inf)

    @property
    def in_order(self) -> bool:
        """Whether the actions were tried from left to right."""
        return list(self.paths) == sorted(self.paths)


@guarded
def check_cut_negamax(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `cut_negamax(state, alpha, beta)`: its values, then its cuts.

    A value outside the window must be a bound.  From left to right the nodes must be those of
    alpha-beta, with cuts on equality or without; in another order there must be cuts.
    """
    return _judge(function, CUT, CUT_PATHS, function, _right)


@guarded
def check_my_alphabeta(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `my_alphabeta(state, player, alpha, beta)`."""
    feedback = _judge(_for_mover(function), OWN, OWN_PATHS, function, _right_for_player)
    if feedback.wrong is None:
        return feedback
    state, *window = feedback.wrong.arguments
    called = replace(feedback.wrong, arguments=(state, state.current_player, *window))
    return replace(feedback, wrong=called)


def _judge(
    function: Callable[..., Any],
    values: Key,
    visits: Key,
    program: Callable[..., Any],
    right: Right,
) -> Feedback:
    """Return feedback on a function for the player who moves: its values, then its cuts.

    program  what the student wrote, with what is right of its calls
    """
    runs = [_run(function, case) for case in values.cases()]
    # What goes wrong with a full window, too, is easier to follow there.
    given = [(run.case, run) for run in sorted(runs, key=lambda run: not run.is_full)]
    again = partial(_run, function)
    fault = first_fault(values, given, _value_fault, again, program, right)
    if fault is not None:
        return hinted(fault, values.hint([run.answer for run in runs]))
    if _is_hard(runs):
        return Feedback(False, HARD_CUTS)
    return _judge_visits(function, runs, visits)


@drawn
def _cases(rng: Random) -> Iterator[Case]:
    """Yield trees and positions with windows."""
    states: list[GameState] = [
        random_tree(seed, branching=(1, 3), depth=depth, values=(-5, 5))
        for depth in (2, 3, 4, 5)
        for seed in (*range(50), *rng.sample(range(50, 10**9), 50))
    ]
    ends = open_positions(TicTacToe())[-1500:]
    states += [*ends[::60], *rng.sample(ends, 25)]
    # A wrong window for the children often does no harm where the first one is full.
    windows = ((-inf, inf), (-1, 2), (2, 4), (-4, -3))
    for state in states:
        for window in windows:
            yield _case(state, *window)


def _case(state: GameState, *window: float) -> Case:
    """Return a question; what is expected is the true value."""
    return Case((state, *window), exact(state), f"the value of {state!r}", state)


@lru_cache(maxsize=2048)
def exact(state: GameState) -> Any:
    """Return the library's value of a position for the player to move, the end of a game too."""
    if state.is_terminal():
        return state.utility(state.current_player)
    return minimax(state).value


def _run(function: Callable[..., Any], case: Case) -> _Run:
    """Return what a program answers and visits; WrongAnswerError if it cannot be marked."""
    state, *window = case.arguments
    visits = Visits(state, most=MOST)
    counted = Case((visits.root, *window), case.expected, case.words, case.state)
    return _Run(case, ask(function, counted, (int, float)), tuple(visits.paths))


def _paths(function: Callable[..., Any]) -> Callable[..., tuple[Path, ...]]:
    """Return a function that says which nodes `function` visits."""

    def paths(state: GameState, *window: float) -> tuple[Path, ...]:
        visits = Visits(state, most=MOST)
        function(visits.root, *window)
        return tuple(visits.paths)

    return paths


CUT = Key("alpha_beta", "cut_negamax", _cases, group="wrong_cuts", make=_case)
CUT_PATHS = Key("alpha_beta", "cut_negamax", _cases, view=_paths, group="few_cuts", make=_case)


def _right(arguments: tuple[Any, ...], answer: Any) -> Any:
    """Return the value of a position where the answer is no bound on it; None where it is."""
    state, alpha, beta = arguments
    case = Case((state, alpha, beta), exact(state), "")
    return None if is_bound(answer, case) else case.expected


def _right_for_player(arguments: tuple[Any, ...], answer: Any) -> Any:
    """Return the same for a program that is told for whom."""
    state, player, alpha, beta = arguments
    value = exact(state) if state.current_player == player else -exact(state)
    return None if is_bound(answer, Case((state, alpha, beta), value, "")) else value


def _for_mover(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function for the player who moves, of one that is told for whom."""
    if not callable(function):
        return function

    def for_mover(state: GameState, alpha: float = -inf, beta: float = inf) -> Any:
        return function(state, state.current_player, alpha, beta)

    for_mover.__name__ = name_of(function)
    return for_mover


def _paths_for_mover(function: Callable[..., Any]) -> Callable[..., tuple[Path, ...]]:
    return _paths(_for_mover(function))


OWN = Key("alpha_beta", "my_alphabeta", _cases, view=_for_mover, make=_case)
OWN_PATHS = Key(
    "alpha_beta",
    "my_alphabeta",
    _cases,
    view=_paths_for_mover,
    group="my_alphabeta_cuts",
    make=_case,
)


def is_bound(answer: float, case: Case) -> bool:
    """Return whether an answer is the true value, or outside the window a bound on it."""
    _, alpha, beta, *_ = case.arguments
    if answer <= alpha:
        return bool(case.expected <= answer)
    if answer >= beta:
        return bool(case.expected >= answer)
    return bool(answer == case.expected)


def asked_for(case: Case) -> str:
    """Return the question of a case, and what the answer may be, in words."""
    _, alpha, beta, *_ = case.arguments
    if (alpha, beta) == (-inf, inf):
        return f"asked for {case.words} for the player to move, expected {case.expected!r}"
    limits = "an upper bound at or below alpha, a lower bound at or above beta"
    return (
        f"asked for {case.words} for the player to move with alpha = {alpha} and beta = {beta}: "
        f"the true value is {case.expected!r}, and the answer must agree with it ({limits})"
    )


def _value_fault(case: Case, run: _Run) -> str:
    """Return what is wrong with an answer, in words; "" if it is right."""
    if is_bound(run.answer, case):
        return ""
    left_out = _left_out(run) if run.is_full else ""
    return f"{asked_for(case)}, got {run.answer!r}. {left_out}".strip()


def _left_out(run: _Run) -> str:
    """Return why the first node that alpha-beta visits, and the program does not, is needed.

    An empty string if there is none, or if the program takes the actions in another order.
    """
    state = run.case.arguments[0]
    missing = [path for path in _paths(alphabeta)(state) if path not in set(run.paths)]
    if not run.in_order or not missing:
        return ""
    where, why = path_in_words(missing[0]), why_visited(record(alphabeta, state), missing[0])
    return (
        f"Your program does not visit {where}, which is needed. For the player at the root, {why}"
    )


def _is_hard(runs: Sequence[_Run]) -> bool:
    """Return whether on one side of the window all answers are the limit itself."""
    ends = [(*run.case.arguments[1:], run.answer) for run in runs]
    low = [(alpha, answer) for alpha, _, answer in ends if -inf < alpha and answer <= alpha]
    high = [(beta, answer) for _, beta, answer in ends if beta < inf and answer >= beta]
    return any(all(limit == answer for limit, answer in side) for side in (low, high) if side)


def _judge_visits(function: Callable[..., Any], runs: Sequence[_Run], key: Key) -> Feedback:
    """Return feedback on the nodes visited by a program whose values are all right."""
    full = [run for run in runs if run.is_full]
    if any(len(set(run.paths)) < len(run.paths) for run in full):
        return Feedback(False, TWICE)
    visited, usual = [run.paths for run in full], _visited_by(alphabeta, seed_now())
    uncut = _visited_by(minimax, seed_now())
    nodes, everything = (sum(map(len, paths)) for paths in (visited, uncut))
    count = f"you visit {nodes:,} of {everything:,} nodes"
    if not all(run.in_order for run in full):
        if nodes == everything:
            return Feedback(False, f"all values are right, but {count}: nothing is cut.")
        return Feedback(True, f"all values are right; {count}, in an order of your own.")
    if visited == usual:
        return Feedback(
            True,
            f"right for {len(full):,} trees and positions, with wide windows and with narrow ones; "
            f"{count}, exactly those of alpha-beta.",
        )
    if visited == _visited_by(STRICT, seed_now()):
        fewer = sum(map(len, usual))
        return Feedback(True, f"all values are right; {count}. {LENIENT} {fewer:,} are enough.")
    given = [(run.case, run) for run in full]
    found = first_fault(key, given, _visits_fault, partial(_run, function))
    fault = Feedback(False, "") if found is None else found
    fault = replace(fault, message=f"all values are right, but {count}{fault.message}")
    return hinted(fault, key.hint([run.paths for run in runs]))


def _visits_fault(case: Case, run: _Run) -> str:
    """Return the first node that alpha-beta does not visit, or that only it visits, and why."""
    state = case.arguments[0]
    if run.paths == (right := _paths(alphabeta)(state)):
        return ""
    extra = [path for path in run.paths if path not in right]
    if not extra:  # fewer than alpha-beta, with the right value on these trees: luck
        return f", fewer than alpha-beta needs. {_left_out(run)}".strip()
    why = why_not_visited(record(alphabeta, state), extra[0])
    return f". In {state!r} {path_in_words(extra[0])} needs no visit. {why}"


@lru_cache(maxsize=6)
def _visited_by(search: Callable[[GameState], Any], seed: Seed) -> list[tuple[Path, ...]]:
    """Return the nodes of each tree that a search visits; the trees are those of the seed."""
    asked = (case.arguments for case in CUT.cases())
    return [_paths(search)(state) for state, *window in asked if window == [-inf, inf]]
