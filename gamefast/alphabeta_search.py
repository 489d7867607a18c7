"""The compiled `minimax` and `alphabeta`, which run the kernels and read their results."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, Unpack

import numpy as np

from gamefast import alphabeta_kernels
from gamefast.backend import SLICE, Array, bind_kernel
from gamefast.fast import check_supported, is_supported_board
from gamelib.games.k_in_a_row import LineRules, has_line
from gamelib.search.callbacks import Callbacks, Progress, Stop
from gamelib.search.checks import WIN_SCORE, Evaluate, Line, check_two_players
from gamelib.search.depth_first import DepthFirst, ValueAndLine
from gamelib.search.heuristics import OpenLines, straights
from gamelib.search.ordering import Order, centre_first, preferred
from gamelib.search.result import Bound, Kind, SearchResult
from gamelib.state import Action, GameState

NO_LINES = np.zeros(0, np.int64), np.zeros(1), 1.0
# The value of a win, and how much less it is worth a ply later, with `quick_wins` and without.
QUICK_WIN_SCALE = WIN_SCORE - 1.0, 1.0
PLAIN_SCALE = 1.0, 0.0
MAX_PLIES = 64


class BoardRules:
    """The data of one configuration of a board game that the searches need."""

    def __init__(self, kind: Any, configuration: LineRules) -> None:
        rows, cols, k = configuration.rows, configuration.cols, configuration.k
        self.board, self.wins, self.moves = alphabeta_kernels.layout(kind, rows, cols, k)
        self.plies, bit = rows * cols, kind(rows, cols, k).bit
        self.action_of = {
            number: action
            for action, cells in enumerate(self.moves)
            for number in range(cells.bit_length())
            if cells >> number & 1
        }
        self.straights = [[bit(*cell) for cell in line] for line in straights(rows, cols)]
        self.spare: list[alphabeta_kernels.Workspace] = []  # a search takes one and returns it
        self.prepared: dict[tuple[Callable[..., bool], bool], Callable[..., bool]] = {}

    def take_workspace(self) -> alphabeta_kernels.Workspace:
        """Return the arrays for a search, which puts them into `spare` at its end."""
        if self.spare:
            return self.spare.pop()
        plies = self.plies + 2  # enough for the longest game
        return alphabeta_kernels.Workspace(
            stack=np.zeros((plies, alphabeta_kernels.LINE + 1), np.int64),
            values=np.zeros((plies, 3)),
            root_values=np.zeros(64),
            roots=np.zeros((64, alphabeta_kernels.ESTIMATES + 1), np.int64),
            registers=np.zeros(alphabeta_kernels.CUTOFFS + 1, np.int64),
        )

    def prepare(
        self,
        kernel: Callable[..., bool],
        cells: Array | None,
        arguments: Callable[[], tuple[Any, ...]],
    ) -> Callable[..., bool]:
        """Return a kernel that skips the test of the types of its arguments.

        The types depend only on the board, and on whether there is an order of the cells.
        """
        key = kernel, cells is None
        if key not in self.prepared:
            no_nodes = 0
            self.prepared[key] = bind_kernel(kernel, *arguments(), no_nodes)
        return self.prepared[key]

    def heuristic(self, evaluate: Evaluate | None) -> tuple[Array, Array, float]:
        """Return the lines that a heuristic counts, their weights, and the scale."""
        if evaluate is None:
            return NO_LINES
        if not isinstance(evaluate, OpenLines):
            must = "evaluate must be None, lines_heuristic(...) or windows_heuristic(...) here"
            raise ValueError(f"{must}, because others are not compiled; got {evaluate!r}")
        lines: list[int] = []
        for straight in self.straights:
            starts = range(len(straight) - self.board.k + 1)
            lines += [*(sum(straight[i : i + self.board.k]) for i in starts), 0]
        return np.array(lines, np.int64), np.array(evaluate.weights, float), float(evaluate.scale)

    def order(self, state: GameState, order: Order | None) -> Array | None:
        """Return the cells in the order to try them; None for the order of `legal_actions`."""
        if order is None:
            return None
        name = getattr(order, "__qualname__", "")  # some callables have no name
        if order is not centre_first and name != preferred(0).__qualname__:
            must = "order must be None, centre_first or preferred(...) here"
            raise ValueError(f"{must}, because others are not compiled; got {order!r}")
        cells = [self.moves[action] for action in order(state, range(len(self.moves)))]
        return np.array(cells, np.int64)


_rules = cache(BoardRules)
_bound = lru_cache(1024)(Bound)  # cached, because a search has few different values


class KernelSearch(DepthFirst):
    """One search of a board, which holds the arrays of the kernel and converts its results."""

    def __init__(
        self, kernel: Callable[..., bool], state: Any, depth: int | None, evaluate: Evaluate | None,
        quick_wins: bool, order: Order | None = None, ties: int = 0,
        **callbacks: Unpack[Callbacks],
    ) -> None:  # fmt: skip
        super().__init__(state, depth, evaluate, quick_wins, **callbacks)
        kind: Any = type(state)
        rules = self.rules = _rules(kind, state.rules)
        self.kernel, self.ties, self.begin = kernel, ties, True
        self.mine = state.stones(state.current_player)
        self.taken = self.mine | state.stones(1 - state.current_player)
        self.plies = rules.plies + 1 if depth is None else min(depth, rules.plies + 1)
        self.win = QUICK_WIN_SCALE if quick_wins else PLAIN_SCALE
        self.heuristic, self.cells = rules.heuristic(evaluate), rules.order(state, order)
        self.slice = SLICE if evaluate is None else SLICE >> 5  # a heuristic takes most of the time
        self.work = rules.take_workspace()
        self.prepared_kernel = rules.prepare(kernel, self.cells, self.arguments)

    def arguments(self) -> tuple[Any, ...]:
        """Return the arguments of the kernel, except for the number of nodes."""
        return (
            self.work, self.rules.board, self.rules.wins, self.heuristic, self.cells, self.begin,
            self.mine, self.taken, self.plies, self.win, self.ties,
        )  # fmt: skip

    def run_slice(self) -> bool:
        """Search one more slice, and return whether the search is finished."""
        done = self.prepared_kernel(*self.arguments(), self.slice)
        self.begin = False
        return done

    def result(self) -> SearchResult:
        """Return the result, and give back the workspace."""
        found = super().result()
        self.rules.spare.append(self.work)
        return found

    def search_root(self, state: GameState) -> ValueAndLine:
        """Search to the end, slice by slice, and return the value of the root without a line."""
        while not self.run_slice():
            self.read_results()
            self.poll(state)
        self.read_results()
        return self.recorded_value(self.best_root_action()), ()

    def check_recorded(self, best: Any) -> None:
        """Do nothing, because the value of the root has been read from the recorded values."""

    def read_results(self) -> None:
        """Read the counts, and the values of the root actions, from the arrays."""
        *_, nodes, inner, self.evaluations, self.cutoffs = self.work.registers.tolist()
        self.nodes, self.leaves = nodes + 1, nodes - inner - self.evaluations
        rows = self.work.roots[: len(self.root_actions)].tolist()
        values = self.work.root_values[: len(self.root_actions)].tolist()
        for action, value, (kind, _, estimates) in zip(
            self.root_actions, values, rows, strict=True
        ):
            if not kind:
                continue
            bound_kind: Kind = "exact" if kind == alphabeta_kernels.EXACT else "upper"
            if estimates:
                bound_kind = self.kind_given_estimates(bound_kind, value, estimates)
            value = int(value) if value.is_integer() else value
            self.values[action] = _bound(value, bound_kind)
            if kind == alphabeta_kernels.EXACT:
                self.lines[action] = ()  # `line` reads it

    def line(self, action: Action) -> Line:
        """Return the line of best play after a root action with an exact value.

        If an int cannot hold the whole line, the rest is searched again, which overwrites all the
        results of this search.
        """
        if self.stopped and self.kernel is alphabeta_kernels.minimax:
            return (action,)
        rules, mine, taken, plies = self.rules, self.mine, self.taken, self.plies
        board, roots = rules.board, self.work.roots
        line = int(roots[self.root_actions.index(action), alphabeta_kernels.ROOT_LINE])
        actions: list[Action] = []
        while line:
            for shift in range(0, 6 * alphabeta_kernels.TEN, 6):
                if bit := line >> shift & 63:
                    actions.append(rules.action_of[bit - 1])
                    mine, taken = mine ^ taken, taken | 1 << bit - 1
            line = 0
            if (
                len(actions) % alphabeta_kernels.TEN
                or len(actions) >= plies
                or taken == board.cells
            ):
                break
            if not has_line(mine ^ taken, board.k, board.stride):
                self.mine, self.taken, self.plies = mine, taken, plies - len(actions)
                self.begin = True
                while not self.run_slice():
                    pass
                line = int(self.work.stack[0, alphabeta_kernels.LINE])
        return tuple(actions)


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
    if not is_supported_board(state):
        check_supported(False, state)
    check_two_players(state, "minimax")
    callbacks = Callbacks(progress=progress, stop=stop)
    return KernelSearch(
        alphabeta_kernels.minimax, state, depth, evaluate, quick_wins, **callbacks
    ).run()


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
    if not is_supported_board(state):
        check_supported(False, state)
    check_two_players(state, "alphabeta")
    ties = MAX_PLIES if strict else int(bool(all_best))
    callbacks = Callbacks(progress=progress, stop=stop)
    options = depth, evaluate, quick_wins, order, ties
    return KernelSearch(alphabeta_kernels.alphabeta, state, *options, **callbacks).run()
