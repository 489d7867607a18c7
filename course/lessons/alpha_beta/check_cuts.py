"""The checks of one line of alpha-beta and of exercise 1 of notebook 03, alpha-beta as negamax."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from random import Random
from typing import Any

from course.draw.wording import format_path, why_not_visited
from course.exercises.answer_key import AnswerKey, cache_per_seed, cached_answer, seeded_cases
from course.exercises.check_runner import guarded
from course.exercises.covered_lines import cover_line
from course.exercises.feedback import Case, Feedback, WrongAnswer
from course.exercises.run_cases import NUMBER, call_and_count, first_wrong_feedback, with_hint
from course.exercises.state_space import open_positions
from course.exercises.tree_exercises import FAR_TREES, random_tree, uneven_tree, why_visited
from course.exercises.visit_counter import Path, visited_paths
from course.tracing import record
from gamelib.games import TicTacToe
from gamelib.search import SearchResult, alphabeta, minimax
from gamelib.state import GameState

FAIL_HARD_MESSAGE = (
    "The values inside the window are right. Outside, your program returns the bound of the window "
    "(fail-hard). Make it fail-soft: start with best = -inf and return best, which may say more."
)
VISITED_TWICE_MESSAGE = (
    "The values are right, but nodes are visited twice. Does your program call itself twice for a "
    "child, once to compare and once to keep? Put the value into a variable."
)
STRICT_CUTS_MESSAGE = (
    "You cut only on <. That is right, too, but it costs more: a value that equals the bound "
    "cannot change what is chosen above."
)
MAX_NODES = 50_000  # for one tree
# A wrong window for the children often has no effect if the first window is full.
WINDOWS = ((-inf, inf), (-1, 2), (2, 4), (-4, -3))
STRICT = partial(alphabeta, strict=True)


@dataclass(frozen=True)
class _Run:
    """The answer of a program on one tree with one window, and the nodes that it visited."""

    case: Case
    answer: float
    paths: tuple[Path, ...]

    @property
    def is_full(self) -> bool:
        """Whether the window was (-inf, inf)."""
        return self.case.arguments[-2:] == (-inf, inf)

    @property
    def in_order(self) -> bool:
        """Whether the actions were tried from left to right."""
        return list(self.paths) == sorted(self.paths)


@guarded
def check_cut_negamax(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `cut_negamax(state, alpha, beta)`: its values, then its cuts.

    A value outside the window must be a bound.  If the actions are tried from left to right, the
    nodes must be those of alpha-beta, with cuts on equality or without; in another order there must
    be cuts.
    """
    return _judge(function, CUT, CUT_PATHS)


# How the library's line begins that section 2 asks for.
cover_line("check_my_alphabeta", "if beta < alpha")


@guarded
def check_my_alphabeta(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `my_alphabeta(state, player, alpha, beta)`."""
    return _judge(function, OWN, OWN_PATHS)


def _judge(function: Callable[..., Any], values: AnswerKey, visits: AnswerKey) -> Feedback:
    """Return feedback on a function with a window: its values, then its cuts."""
    runs = [_run(function, case) for case in values.cases()]
    # An error that also occurs with a full window is easier to follow there.
    given = [(run.case, run) for run in sorted(runs, key=lambda run: not run.is_full)]
    again = partial(_run, function)
    fault = first_wrong_feedback(
        values, given, _value_fault, again, function, partial(_right, values)
    )
    if fault is not None:
        return with_hint(fault, values.hint([run.answer for run in runs]))
    if _is_hard(runs):
        return Feedback(False, FAIL_HARD_MESSAGE)
    return _judge_visits(function, runs, visits)


@partial(seeded_cases, name="course.lessons.alpha_beta.cuts._cases")
def _cases(rng: Random) -> Iterator[Case]:
    """Yield trees and positions, each with every window."""
    for state in _states(rng):
        yield from _in_windows(_case(state, *WINDOWS[0]))


@partial(seeded_cases, name="course.lessons.alpha_beta.cuts._own_cases")
def _own_cases(rng: Random) -> Iterator[Case]:
    """Yield the same questions for a program with an argument `player`: the player to move."""
    for case in _cases()[:: len(WINDOWS)]:  # one of each position
        yield from _in_windows(_own_case(case.state, case.state.current_player, *WINDOWS[0]))


def _in_windows(case: Case) -> Iterator[Case]:
    """Yield a question with every window; the words for its position are put together once."""
    for window in WINDOWS:
        yield replace(case, arguments=(*case.arguments[:-2], *window))


def _states(rng: Random) -> list[GameState]:
    states: list[GameState] = [
        random_tree(seed, branching=(1, 3), depth=depth, values=(-5, 5))
        for depth in (2, 3, 4, 5)
        for seed in (*range(50), *rng.sample(range(50, 10**9), 50))
    ]
    states += [uneven_tree(seed, values=(-5, 5)) for seed in rng.sample(range(10**9), 60)]
    states += FAR_TREES
    ends = open_positions(TicTacToe())[-1500:]
    states += [*ends[::60], *rng.sample(ends, 25)]
    return states


def _case(state: GameState, *window: float) -> Case:
    """Return a question that expects the true value; ValueError for an empty window."""
    _check_window(*window)
    words = f"the value of {state!r} for the player to move"
    return Case((state, *window), exact(state), words, state)


def _check_window(alpha: float, beta: float) -> None:
    """Raise a ValueError for an empty window, with which no search is called."""
    if alpha >= beta:
        raise ValueError(f"alpha must be less than beta; got {alpha} and {beta}")


def _own_case(state: GameState, player: int, *window: float) -> Case:
    _check_window(*window)
    value = exact(state) if state.current_player == player else -exact(state)
    words = f"the value of {state!r} for {state.player_name(player)}"
    return Case((state, player, *window), value, words, state)


@cached_answer
def exact(state: GameState) -> Any:
    """Return the library's value of a state, terminal or not, for the player to move."""
    if state.is_terminal():
        return state.utility(state.current_player)
    return _all_nodes_searched(state).value


@cached_answer
def _all_nodes_searched(state: GameState) -> SearchResult:
    """Return the result of the search that cuts nothing."""
    return minimax(state)


def _run(function: Callable[..., Any], case: Case) -> _Run:
    """Return the answer and the nodes of a program; WrongAnswerError if they cannot be marked."""
    return _Run(case, *call_and_count(function, case, NUMBER, max_nodes=MAX_NODES))


CUT = AnswerKey("alpha_beta", "cut_negamax", _cases, group="wrong_cuts", make=_case)
CUT_PATHS = AnswerKey(
    "alpha_beta", "cut_negamax", _cases, view=visited_paths, group="few_cuts", make=_case
)

OWN = AnswerKey("alpha_beta", "my_alphabeta", _own_cases, make=_own_case)
OWN_PATHS = AnswerKey(
    "alpha_beta",
    "my_alphabeta",
    _own_cases,
    view=visited_paths,
    group="my_alphabeta_cuts",
    make=_own_case,
)


def _right(key: AnswerKey, arguments: tuple[Any, ...], answer: Any) -> Any:
    """Return the correct value for a question of a key; None if the answer is a bound on it."""
    assert key.make
    case = key.make(*arguments)
    return None if is_bound(answer, case.expected, *arguments[-2:]) else case.expected


def is_bound(answer: float, value: float, alpha: float, beta: float) -> bool:
    """Return whether an answer is the true value, or outside the window a bound on it."""
    if answer <= alpha:
        return value <= answer
    return value >= answer if answer >= beta else value == answer


def asked_for(case: Case, alpha: float, beta: float) -> str:
    """Return a sentence with the question of a case and the answers that are correct."""
    if (alpha, beta) == (-inf, inf):
        return f"asked for {case.prompt}, expected {case.expected!r}"
    limits = "an upper bound at or below alpha, a lower bound at or above beta"
    return (
        f"asked for {case.prompt} with alpha = {alpha} and beta = {beta}: "
        f"the true value is {case.expected!r}, and the answer must agree with it ({limits})"
    )


def _value_fault(case: Case, run: _Run) -> str:
    """Return a sentence about a wrong answer; "" if it is right."""
    window = case.arguments[-2:]
    if is_bound(run.answer, case.expected, *window):
        return ""
    left_out = _left_out(run) if run.is_full else ""
    return f"{asked_for(case, *window)}, got {run.answer!r}. {left_out}".strip()


def _left_out(run: _Run) -> str:
    """Return why the first node that alpha-beta visits and the program does not is needed.

    "" if there is none, or if the program tries the actions in another order.
    """
    state = run.case.arguments[0]
    missing = [path for path in visited_paths(alphabeta)(state) if path not in set(run.paths)]
    if not run.in_order or not missing:
        return ""
    where, why = format_path(missing[0]), why_visited(record(alphabeta, state), missing[0])
    return (
        f"Your program does not visit {where}, which is needed. For the player at the root, {why}"
    )


def _is_hard(runs: Sequence[_Run]) -> bool:
    """Return whether the program is fail-hard: on one side all answers are the limit itself."""
    ends = [(*run.case.arguments[-2:], run.answer) for run in runs]
    low = [(alpha, answer) for alpha, _, answer in ends if -inf < alpha and answer <= alpha]
    high = [(beta, answer) for _, beta, answer in ends if beta < inf and answer >= beta]
    return any(all(limit == answer for limit, answer in side) for side in (low, high) if side)


def _judge_visits(function: Callable[..., Any], runs: Sequence[_Run], key: AnswerKey) -> Feedback:
    """Return feedback on the nodes visited by a program whose values are all right."""
    full = [run for run in runs if run.is_full]
    if any(len(set(run.paths)) < len(run.paths) for run in full):
        return Feedback(False, VISITED_TWICE_MESSAGE)
    mine, usual = [run.paths for run in full], _visited_by(alphabeta)
    nodes = sum(map(len, mine))
    everything = sum(_all_nodes_searched(run.case.state).stats.nodes for run in full)
    count = f"you visit {nodes:,} of {everything:,} nodes"
    if not all(run.in_order for run in full):
        if nodes == everything:
            return Feedback(False, f"all values are right, but {count}: nothing is cut.")
        return Feedback(True, f"all values are right; {count}, in an order of your own.")
    if mine == usual:
        return Feedback(
            True,
            f"right for {len(full):,} trees and positions, with wide windows and with narrow ones; "
            f"{count}, exactly those of alpha-beta.",
        )
    if mine == _visited_by(STRICT):
        fewer = sum(map(len, usual))
        return Feedback(
            True, f"all values are right; {count}. {STRICT_CUTS_MESSAGE} {fewer:,} are enough."
        )
    given = [(run.case, run) for run in full]
    fault = first_wrong_feedback(key, given, _visits_fault, partial(_run, function), function)
    assert fault is not None  # the nodes differ on some tree
    shown = fault.wrong_answer and replace(
        fault.wrong_answer, view=None, node=_first_difference(function, fault.wrong_answer)
    )
    words = f"all values are right, but {count}{fault.message}"
    fault = replace(fault, message=words, wrong_answer=shown)
    return with_hint(fault, key.hint([run.paths for run in runs]))


def _visits_fault(case: Case, run: _Run) -> str:
    """Return the first node that only alpha-beta or only the program visits, and the reason."""
    state = case.arguments[0]
    if run.paths == (right := visited_paths(alphabeta)(state)):
        return ""
    extra = [path for path in run.paths if path not in right]
    if not extra:  # fewer than alpha-beta, with right values on these trees by luck
        return f", fewer than alpha-beta needs. {_left_out(run)}".strip()
    why = why_not_visited(record(alphabeta, state), extra[0])
    return f". In {state!r} {format_path(extra[0])} needs no visit. {why}"


def _first_difference(function: Callable[..., Any], wrong: WrongAnswer) -> Path:
    """Return the first node that only the program visits; of others, the node it leaves too soon.

    The program is in order, so the second is the parent of the first node that it does not visit.
    """
    mine, right = (visited_paths(each) for each in (function, alphabeta))
    paths, usual = mine(*wrong.arguments), right(wrong.arguments[0])
    extra = [path for path in paths if path not in usual]
    missing = [path[:-1] for path in usual if path not in paths]
    return (extra or missing)[0]


@cache_per_seed
def _visited_by(search: Callable[[GameState], Any]) -> list[tuple[Path, ...]]:
    """Return the nodes of each tree that a search visits."""
    asked = (case.arguments for case in CUT.cases())
    return [visited_paths(search)(state) for state, *window in asked if window == [-inf, inf]]
