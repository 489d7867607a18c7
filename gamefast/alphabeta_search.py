"""The compiled `minimax` and `alphabeta`, which run the kernels and read their results."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from struct import Struct, unpack_from
from typing import Any

import numpy as np

from gamefast import alphabeta_kernels
from gamefast.backend import SLICE, Array, bind_kernel
from gamefast.fast import BOARD_GAMES, check_supported, is_supported_board
from gamelib.games.k_in_a_row import LineRules, has_line
from gamelib.search.callbacks import Poller, Progress, SearchStopped, Stop, poller_or_none
from gamelib.search.checks import (
    WIN_SCORE,
    Evaluate,
    check_count,
    check_searchable,
    check_two_players,
    utilities_from_value,
)
from gamelib.search.heuristics import OpenLines, straights
from gamelib.search.ordering import Order, centre_first, preferred
from gamelib.search.registry import check_option_types
from gamelib.search.result import ESTIMATED_KINDS, Bound, Kind, SearchResult, Stats
from gamelib.state import Action, GameState

NO_LINES = np.zeros(0, np.int64), np.zeros(1), 1.0
# The value of a win, and how much less it is worth a ply later, with `quick_wins` and without.
QUICK_WIN_SCALE = WIN_SCORE - 1.0, 1.0
PLAIN_SCALE = 1.0, 0.0
MAX_PLIES = 64
# A result is read from these registers, and from a row of these columns for each root action.
BEST_ROOT = alphabeta_kernels.BEST_ROOT
NUM_REGISTERS, NUM_COLUMNS = BEST_ROOT + 1, alphabeta_kernels.ESTIMATES + 1
REGISTERS, ROW = Struct(f"{NUM_REGISTERS}q"), Struct(f"{NUM_COLUMNS}q")


class Workspace:
    """The arrays of a search; those that a result is read from are parts of one, `found`."""

    def __init__(self, plies: int, actions: int) -> None:
        rows, end = NUM_REGISTERS, NUM_REGISTERS + actions * NUM_COLUMNS
        self.found = np.zeros(end + actions, np.int64)
        self.numbers = self.found.data  # faster than the array for single numbers
        self.arrays = alphabeta_kernels.Workspace(
            stack=np.zeros((plies, alphabeta_kernels.LINE + 1), np.int64),
            values=np.zeros((plies, 3)),
            root_values=self.found[end:].view(np.float64),
            roots=self.found[rows:end].reshape(actions, NUM_COLUMNS),
            registers=self.found[:rows],
        )


class BoardRules:
    """The data of one configuration of a board game that the searches need."""

    def __init__(self, kind: Any, configuration: LineRules) -> None:
        rows, cols, k = configuration.rows, configuration.cols, configuration.k
        self.empty_board = kind(rows, cols, k)
        check_supported(is_supported_board(self.empty_board), self.empty_board)
        self.board, self.wins, self.moves = alphabeta_kernels.layout(kind, rows, cols, k)
        self.plies, bit = rows * cols, self.empty_board.bit
        self.action_of = {
            number: action
            for action, cells in enumerate(self.moves)
            for number in range(cells.bit_length())
            if cells >> number & 1
        }
        self.straights = [[bit(*cell) for cell in line] for line in straights(rows, cols)]
        self.spare: list[Workspace] = []  # a search takes one and returns it
        self.bound: dict[tuple[Callable[..., bool], bool], Callable[..., bool]] = {}

    def take_workspace(self) -> Workspace:
        """Return the arrays for a search, which puts them into `spare` at its end."""
        if self.spare:
            return self.spare.pop()
        return Workspace(self.plies + 2, len(self.moves))  # enough for the longest game

    def bind(self, kernel: Callable[..., bool], *arguments: Any) -> Callable[..., bool]:
        """Return a kernel that skips the test of the types of its arguments.

        The types depend only on the board, and on whether there is an order of the cells.
        """
        *_, cells = arguments
        key = kernel, cells is None
        if key not in self.bound:
            work, begin, stones, plies, ties, no_nodes = self.take_workspace(), True, 0, 1, 0, 0
            self.bound[key] = bind_kernel(
                kernel, *arguments, work.arrays, begin, stones, stones, plies, ties, no_nodes
            )
            self.spare.append(work)
        return self.bound[key]

    def heuristic(self, evaluate: Evaluate | None) -> tuple[Array, Array, float]:
        """Return the lines that a heuristic counts, their weights, and the scale."""
        if not isinstance(evaluate, OpenLines):
            return NO_LINES
        lines: list[int] = []
        for straight in self.straights:
            starts = range(len(straight) - self.board.k + 1)
            lines += [*(sum(straight[i : i + self.board.k]) for i in starts), 0]
        return np.array(lines, np.int64), np.array(evaluate.weights, float), float(evaluate.scale)

    def order(self, order: Order | None) -> Array | None:
        """Return the cells in the order to try them; None for the order of `legal_actions`."""
        if order is None:
            return None
        actions = order(self.empty_board, range(len(self.moves)))
        return np.array([self.moves[action] for action in actions], np.int64)


_rules = cache(BoardRules)


@lru_cache(1024)  # because a search has few different values
def _bound(value: float, kind: Kind, estimated: bool) -> Bound:
    """Return a bound, which is an estimate if estimates were met and it is not a win or a loss."""
    value = int(value) if value == int(value) else value
    return Bound(value, ESTIMATED_KINDS[kind] if estimated and abs(value) < 1 else kind)


class Preparation:
    """What all calls of a search with the same board and the same options have in common."""

    def __init__(
        self, kernel: Callable[..., bool], kind: Any, configuration: Any, depth: int | None,
        evaluate: Evaluate | None, quick_wins: bool, order: Order | None, ties: int,
    ) -> None:  # fmt: skip
        rules = self.rules = _rules(kind, configuration)
        self.is_minimax = kernel is alphabeta_kernels.minimax
        check_two_players(configuration, "minimax" if self.is_minimax else "alphabeta")
        self.options = depth, evaluate, quick_wins
        whole_game = rules.plies + 1
        self.plies, self.ties = min(depth or whole_game, whole_game), ties
        self.slice = SLICE if evaluate is None else SLICE >> 5  # a heuristic takes most of the time
        win = QUICK_WIN_SCALE if quick_wins else PLAIN_SCALE
        self.data = rules.board, rules.wins, rules.heuristic(evaluate), win, rules.order(order)
        self.kernel = rules.bind(kernel, *self.data)


_prepare = lru_cache(256)(Preparation)


class KernelRun:
    """A run of a kernel on one position, slice by slice; `mine` is of the player to move."""

    def __init__(self, prepared: Preparation, mine: int, taken: int, plies: int) -> None:
        self.prepared, self.mine, self.taken, self.plies = prepared, mine, taken, plies
        self.work = prepared.rules.take_workspace()
        self.begin, self.is_finished = True, False

    def run_slice(self) -> None:
        """Search one more slice."""
        prepared = self.prepared
        self.is_finished = prepared.kernel(
            *prepared.data, self.work.arrays, self.begin, self.mine, self.taken, self.plies,
            prepared.ties, prepared.slice,
        )  # fmt: skip
        self.begin = False

    def copy_found(self) -> None:
        """Copy what the kernel has found so far, for `read` and `best_action`."""
        self.found, self.best_root = self.work.found.tobytes(), self.work.numbers[BEST_ROOT]

    def read(self, num_actions: int) -> None:
        """Read the copy: the counts, and two rows for the root actions."""
        # The arrays have space for more actions than there are here.
        roots, all_actions = 8 * NUM_REGISTERS, len(self.prepared.rules.moves)
        self.counts: tuple[int, ...] = REGISTERS.unpack_from(self.found)
        self.rows = list(ROW.iter_unpack(self.found[roots : roots + num_actions * ROW.size]))
        self.values = unpack_from(f"{num_actions}d", self.found, roots + all_actions * ROW.size)

    def give_back(self) -> None:
        """Make the workspace available to the next search."""
        self.prepared.rules.spare.append(self.work)

    def best_action(self, actions: Sequence[Action]) -> Action:
        """Return the first root action with the highest exact value; None if there is none."""
        return None if self.best_root < 0 else actions[self.best_root]

    def finish(self, actions: Sequence[Action], poller: Poller | None) -> None:
        """Search to the end, slice by slice; raise SearchStopped if the search must end."""
        while not self.is_finished:
            if poller and poller.is_due():
                self.copy_found()
                self.read(len(actions))
                known = sum(kind > 0 for kind, _, _ in self.rows)
                poller(known / len(actions), self.best_action(actions))
            self.run_slice()

    def best_line(self) -> int:
        """Search to the end, and return the first actions of the line of best play in an int."""
        while not self.is_finished:
            self.run_slice()
        line = int(self.work.arrays.stack[0, alphabeta_kernels.LINE])
        self.give_back()
        return line

    def line(self, root: int) -> tuple[Action, ...]:
        """Return the line of best play from a root action on, which is given by its index.

        If an int cannot hold the whole line, the rest is searched again.
        """
        rules, mine, taken, plies = self.prepared.rules, self.mine, self.taken, self.plies
        board, actions = rules.board, list[Action]()
        line = self.rows[root][alphabeta_kernels.ROOT_LINE]
        while line:
            for shift in range(0, 6 * alphabeta_kernels.TEN, 6):
                if bit := line >> shift & 63:
                    actions.append(rules.action_of[bit - 1])
                    mine, taken = mine ^ taken, taken | 1 << bit - 1
            line, left = 0, plies - len(actions)
            if len(actions) % alphabeta_kernels.TEN or left <= 0 or taken == board.cells:
                break
            if not has_line(mine ^ taken, board.k, board.stride):
                line = KernelRun(self.prepared, mine, taken, left).best_line()
        return tuple(actions)


def read_fields(run: KernelRun, state: Any, stopped: bool) -> dict[str, Any]:
    """Return the fields of the result of a search, from all that its run has found.

    Every estimate is worse than a win and better than a loss, as in `DepthFirst`.
    """
    actions, (_, _, quick_wins) = state.legal_actions(), run.prepared.options
    run.read(len(actions))
    *_, nodes, inner, evaluations, cutoffs, best_root = run.counts
    values: dict[Action, Bound] = {}
    name: Kind
    for action, number, (kind, _, estimates) in zip(actions, run.values, run.rows, strict=True):
        if kind:
            name = "exact" if kind == alphabeta_kernels.EXACT else "upper"
            values[action] = _bound(number, name, bool(estimates))
    best = run.best_action(actions)
    fields: dict[str, Any] = {
        "action": actions[0] if best is None else best,
        "value": None,
        "values": values,
        "utilities": None,
        "vectors": {},
        "line": (actions[0],),
        "distance": None,
        "distances": {},
        "visits": None,
        "stats": Stats(nodes + 1, nodes - inner - evaluations, evaluations, cutoffs),
        "stopped": stopped,
        "kind": "exact",
    }
    if best is not None:
        value = fields["value"] = values[best].value
        # Another action may be better, unless this one wins.
        name = "lower" if stopped and (value < 1 or quick_wins) else "exact"
        fields["kind"] = _bound(value, name, bool(evaluations)).kind
        if not evaluations and not stopped:
            fields["utilities"] = utilities_from_value(value, state.current_player, quick_wins)
        only_action = stopped and run.prepared.is_minimax
        fields["line"] = (best,) if only_action else run.line(best_root)
    return fields


def _search(
    kernel: Callable[..., bool], state: Any, depth: int | None, evaluate: Evaluate | None,
    quick_wins: bool, order: Order | None, ties: int, progress: Progress | None, stop: Stop | None,
) -> SearchResult:  # fmt: skip
    """Return the result of a search, which is read later if the search takes one slice only."""
    started = time.perf_counter()
    if progress is not None or stop is not None:
        check_option_types({"progress": progress, "stop": stop})
    kind: Any = type(state)  # a subclass may change any rule
    if kind not in BOARD_GAMES:
        check_supported(False, state)
    if state.is_terminal():
        check_searchable(state)  # its error shows the position
    if evaluate is not None or order is not None:
        check_compiled(evaluate, order)
    depth, quick_wins = check_count("depth", depth), bool(quick_wins)
    prepared = _prepare(kernel, kind, state.rules, depth, evaluate, quick_wins, order, ties)
    mine, taken = state.mine_and_taken()
    run, actions = KernelRun(prepared, mine, taken, prepared.plies), state.legal_actions()
    run.run_slice()
    if run.is_finished:
        run.copy_found()
        run.give_back()
        action, seconds = run.best_action(actions), time.perf_counter() - started
        return SearchResult.deferred(action, seconds, read_fields, run, state, False)
    stopped = False
    try:
        run.finish(actions, poller_or_none(progress, stop))
    except SearchStopped:
        stopped = True
    run.copy_found()
    run.give_back()
    fields = read_fields(run, state, stopped)
    return SearchResult(**fields, seconds=time.perf_counter() - started)


def check_compiled(evaluate: object, order: object) -> None:
    """Raise a ValueError for a heuristic or an order that is not compiled."""
    if not isinstance(evaluate, OpenLines | None):
        must = "evaluate must be None, lines_heuristic(...) or windows_heuristic(...) here"
        raise ValueError(f"{must}, because others are not compiled; got {evaluate!r}")
    name = getattr(order, "__qualname__", "")  # some callables have no name
    if order is not None and order is not centre_first and name != preferred(0).__qualname__:
        must = "order must be None, centre_first or preferred(...) here"
        raise ValueError(f"{must}, because others are not compiled; got {order!r}")


def minimax(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return the result of `gamelib.minimax`: the best action, and the value of every root action.

    evaluate  a heuristic from `lines_heuristic` or `windows_heuristic`
    """
    no_order, no_ties = None, 0
    return _search(
        alphabeta_kernels.minimax, state, depth, evaluate, quick_wins, no_order, no_ties, progress,
        stop,
    )  # fmt: skip


def alphabeta(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    order: Order | None = None,
    strict: bool = False,
    all_best: bool = False,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return the result of `gamelib.alphabeta` without a table, by fail-soft alpha-beta.

    evaluate  a heuristic from `lines_heuristic` or `windows_heuristic`
    order     `centre_first` or `preferred(...)`
    """
    ties = MAX_PLIES if strict else 1 if all_best else 0
    return _search(
        alphabeta_kernels.alphabeta, state, depth, evaluate, quick_wins, order, ties, progress, stop
    )
