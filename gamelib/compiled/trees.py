"""`minimax` and `alphabeta` as machine code."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from math import inf
from typing import Any

import numpy as np

from gamelib.compiled import boards
from gamelib.compiled.games import check_supported
from gamelib.compiled.machine import SLICE
from gamelib.compiled.nim import NimSearch
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.games.lines import has_line
from gamelib.search.heuristics import OpenLines, _straights
from gamelib.search.limits import (
    WIN,
    Evaluate,
    Progress,
    SearchStopped,
    Stop,
    best_of,
    check_count,
    check_not_over,
    check_two_players,
    two_utilities,
    watch_or_none,
)
from gamelib.search.minimax import minimax_result
from gamelib.search.ordering import Order, centre_first, preferred
from gamelib.search.result import Bound, SearchResult, Stats
from gamelib.state import Action, GameState

Array = np.ndarray[Any, Any]
NO_LINES = np.zeros(0, np.int64), np.zeros(1), 1.0
FIRST = np.zeros(0, np.int64)


class Board:
    """What the searches need to know of one configuration of a board game."""

    def __init__(self, state: TicTacToe | ConnectFour) -> None:
        rows, cols = state.rows, state.cols
        self.cells = rows * cols
        bits = [[state.bit(row, col) for col in range(cols)] for row in range(rows)]
        board = sum(map(sum, bits))
        if isinstance(state, ConnectFour):
            stride, base, rising = rows + 1, sum(bits[-1]), -1
            self.moves = [sum(column) for column in zip(*bits, strict=True)]
        else:
            stride, base, rising = cols + 1, board, 0
            self.moves = [bit for row in bits for bit in row]
        self.action_of = {
            (bit & -bit).bit_length() - 1: action
            for action, cells in enumerate(self.moves)
            for bit in _bits(cells)
        }
        self.sizes = np.array([stride, state.k, board, base, rising], np.int64)
        self.base, self.rising, self.all = base, rising, board
        self.wins = boards.table_of_wins(board.bit_length(), state.k, stride)
        self.straights = [
            [state.bit(*place) for place in straight] for straight in _straights(rows, cols)
        ]
        self.k = state.k

    def todo(self, taken: int) -> int:
        """Return the cells that can be taken."""
        return ((taken & self.rising) + self.base) & self.all & ~taken

    def actions(self, path: Sequence[int]) -> tuple[Action, ...]:
        """Return the actions that take these cells, given as bits; a 0 ends them."""
        line = []
        for bit in path:
            if not bit:
                break
            line.append(self.action_of[int(bit).bit_length() - 1])
        return tuple(line)

    def heuristic(self, evaluate: Evaluate | None) -> tuple[Array, Array, float]:
        """Return the lines that a heuristic counts, their weights, and the scale."""
        if evaluate is None:
            return NO_LINES
        if not isinstance(evaluate, OpenLines):
            raise ValueError(
                "here evaluate must be None or what lines_heuristic(...) or windows_heuristic(...) "
                f"returns, which can be machine code; got {evaluate!r}"
            )
        lines: list[int] = []
        for straight in self.straights:
            places = range(len(straight) - self.k + 1)
            lines += [*(sum(straight[i : i + self.k]) for i in places), 0]
        return np.array(lines), np.array(evaluate.weights, float), float(evaluate.scale)

    def order(self, state: GameState, order: Order | Sequence[Action] | None) -> Array:
        """Return the cells in the order to try them."""
        if order is None:
            return FIRST
        if not callable(order):
            order = preferred(*order)
        if order is not centre_first and order.__qualname__ != preferred(0).__qualname__:
            raise ValueError(
                "here order must be centre_first, preferred(...) or a sequence of actions: an "
                f"order that is the same in every position; got {order!r}"
            )
        return np.array([self.moves[action] for action in order(state, range(len(self.moves)))])


@cache
def _board(kind: Any, rows: int, cols: int, k: int) -> Board:
    return Board(kind(rows, cols, k))


def _bits(cells: int) -> list[int]:
    return [1 << i for i in range(cells.bit_length()) if cells >> i & 1]


class BoardSearch:
    """One search of a board: the arrays of its kernel, and the results in the words of the game."""

    def __init__(
        self, state: Any, depth: int | None, evaluate: Evaluate | None, quick_wins: bool
    ) -> None:
        kind: Any = type(state)
        board = self.board = _board(kind, state.rows, state.cols, state.k)
        self.mine = state.stones(state.current_player)
        self.taken = self.mine | state.stones(1 - state.current_player)
        self.depth = board.cells + 1 if depth is None else min(depth, board.cells + 1)
        self.whole = quick_wins or evaluate is None  # values are whole numbers
        plies = board.cells + 2
        self.stack = np.empty((boards.LINE + 1, plies), np.int64)
        self.values = np.empty((boards.BETA + 1, plies))
        self.registers = np.zeros(boards.DONE + 1, np.int64)
        self.root_values = np.empty(64)
        self.win = float(WIN - 1) if quick_wins else 1.0, 1.0 if quick_wins else 0.0
        self.heuristic = board.heuristic(evaluate)
        self.begin(self.mine, self.taken)

    def begin(self, mine: int, taken: int) -> None:
        """Go to the root of a search: this position."""
        self.stack[:, 0] = mine, taken, self.board.todo(taken), 0, 0
        self.values[:, 0] = -inf, -inf, inf
        self.registers[boards.PLY] = self.registers[boards.DONE] = 0

    def stats(self) -> Stats:
        """Return the counts."""
        _, nodes, leaves, evaluations, cutoffs, _ = map(int, self.registers)
        return Stats(nodes=nodes + 1, leaves=leaves, evaluations=evaluations, cutoffs=cutoffs)


class BoardMinimax(BoardSearch):
    """Minimax on a board."""

    def go_on(self, most_nodes: int = SLICE) -> bool:
        """Search so many nodes more; return whether the search is done."""
        board = self.board
        done: bool = boards.minimax(
            self.stack, self.values, self.root_values, self.registers, board.sizes, board.wins,
            *self.heuristic, self.depth, *self.win, most_nodes,
        )  # fmt: skip
        return done

    def found(self, actions: Sequence[Action]) -> dict[Action, float]:
        """Return the values of the root actions that are done."""
        values = map(_number, self.root_values[: self.registers[boards.DONE]].tolist())
        return dict(zip(actions, values, strict=False))

    def progress(self, actions: Sequence[Action]) -> tuple[float, Action]:
        """Return the share of the root actions that are done, and the best so far."""
        values = self.found(actions)
        return len(values) / len(actions), best_of(values)

    def line(self, actions: Sequence[Action], action: Action) -> tuple[Action, ...]:
        """Return the line of best play."""
        board, mine, taken = self.board, self.mine, self.taken
        line: list[int] = []
        while True:
            packed = int(self.stack[boards.LINE, 0])
            while packed:
                move = 1 << (packed & 63) - 1
                line.append(board.action_of[(packed & 63) - 1])
                mine, taken, packed = mine ^ taken, taken | move, packed >> 6
            ended = taken == board.all or has_line(mine ^ taken, board.k, int(board.sizes[0]))
            if ended or len(line) == self.depth:
                return tuple(line)
            # Only so many actions are kept: the rest of the line is the line of the rest.
            depth, counts = self.depth, self.registers.copy()
            self.begin(mine, taken)
            self.depth -= len(line)
            while not self.go_on():
                pass
            self.depth, self.registers = depth, counts


class BoardAlphaBeta(BoardSearch):
    """Alpha-beta on a board."""

    def __init__(
        self,
        state: Any,
        depth: int | None,
        evaluate: Evaluate | None,
        quick_wins: bool,
        order: Order | Sequence[Action] | None,
        strict: bool,
        all_best: bool,
    ) -> None:
        super().__init__(state, depth, evaluate, quick_wins)
        plies = self.stack.shape[1]
        self.kinds = np.zeros(64, np.int8)
        self.path = np.empty((plies, plies), np.int64)
        self.root_paths = np.empty((64, plies), np.int64)
        self.options = bool(strict), bool(all_best)
        self.tried = self.board.order(state, order)

    def go_on(self, most_nodes: int = SLICE) -> bool:
        """Search so many nodes more; return whether the search is done."""
        board = self.board
        done: bool = boards.alphabeta(
            self.stack, self.values, self.root_values, self.kinds, self.path, self.root_paths,
            self.registers, board.sizes, self.tried, board.wins, *self.heuristic, self.depth,
            *self.win, *self.options, most_nodes,
        )  # fmt: skip
        return done

    def bounds(self, actions: Sequence[Action]) -> dict[Action, Bound]:
        """Return what is known of the root actions that were looked at."""
        found = {}
        values, kinds = self.root_values.tolist(), self.kinds.tolist()
        for action in actions:
            root = self.root(action)
            if kinds[root]:
                exact = kinds[root] == boards.EXACT
                found[action] = Bound(_number(values[root]), "exact" if exact else "upper")
        return found

    def progress(self, actions: Sequence[Action]) -> tuple[float, Action]:
        """Return the share of the root actions that are done, and the best so far."""
        found = self.bounds(actions)
        exact = {action: bound.value for action, bound in found.items() if bound.kind == "exact"}
        return len(found) / len(actions), best_of(exact)

    def root(self, action: Action) -> int:
        """Return the number of the bit that a root action takes."""
        move: int = self.board.moves[action] & self.board.todo(self.taken)
        return move.bit_length() - 1

    def line(self, actions: Sequence[Action], action: Action) -> tuple[Action, ...]:
        """Return the line of best play after a root action whose value is exact."""
        return self.board.actions(self.root_paths[self.root(action)].tolist())


def minimax(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return what `gamelib.minimax` returns: the best action, and the value of every root action.

    evaluate  a heuristic from `lines_heuristic` or `windows_heuristic`
    """
    check_supported(state)
    check_two_players(state, "minimax")
    check_count("depth", depth)
    check_not_over(state)
    started = time.perf_counter()
    actions = state.legal_actions()
    search: Any
    if isinstance(state, Nim):
        _check_no_heuristic(evaluate)
        search = NimSearch(state, depth, quick_wins, prune=False)
    else:
        search = BoardMinimax(state, depth, evaluate, quick_wins)
    stopped = _run(search, actions, progress, stop)
    values = search.found(actions)
    line = search.line(actions, best_of(values)) if values and not stopped else ()
    return minimax_result(state, values, line, search.stats(), stopped, quick_wins, started)


def _check_no_heuristic(evaluate: Evaluate | None) -> None:
    if evaluate is not None:
        raise ValueError(f"evaluate must be None for Nim; got {evaluate!r}")


def _run(
    search: Any, actions: Sequence[Action], progress: Progress | None, stop: Stop | None
) -> bool:
    """Search to the end, or until it is stopped; return whether it was."""
    watch = watch_or_none(progress, stop)
    while not search.go_on():
        if watch and watch.due():
            try:
                watch(*search.progress(actions))
            except SearchStopped:
                return True
    return False


def _number(value: float) -> float:
    """Return a whole number as an int."""
    return int(value) if value.is_integer() else value


def alphabeta(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    order: Order | Sequence[Action] | None = None,
    strict: bool = False,
    all_best: bool = False,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return what `gamelib.alphabeta` returns without a table, fail-soft.

    evaluate  a heuristic from `lines_heuristic` or `windows_heuristic`
    order     `centre_first`, `preferred(...)`, or the actions in the order to try them
    """
    check_supported(state)
    check_two_players(state, "alphabeta")
    check_count("depth", depth)
    check_not_over(state)
    started = time.perf_counter()
    actions = state.legal_actions()
    search: Any
    if isinstance(state, Nim):
        _check_no_heuristic(evaluate)
        if order is not None:
            raise ValueError(f"order must be None for Nim; got {order!r}")
        search = NimSearch(state, depth, quick_wins, prune=True, strict=strict, all_best=all_best)
    else:
        search = BoardAlphaBeta(state, depth, evaluate, quick_wins, order, strict, all_best)
    stopped = _run(search, actions, progress, stop)
    found = search.bounds(actions)
    exact = {action: bound.value for action, bound in found.items() if bound.kind == "exact"}
    action = best_of(exact) if exact else actions[0]
    value = exact.get(action)
    stats = search.stats()
    utilities = None
    if value is not None and not stats.evaluations and not stopped:
        utilities = two_utilities(value, state.current_player, quick_wins)
    return SearchResult(
        action=action,
        value=value,
        values=found,
        utilities=utilities,
        line=search.line(actions, action) if exact else (action,),
        stats=stats,
        stopped=stopped,
        seconds=time.perf_counter() - started,
    )
