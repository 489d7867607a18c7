"""`minimax` and `alphabeta` as machine code."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from gamelib.compiled import boards
from gamelib.compiled.games import check_supported
from gamelib.compiled.machine import SLICE
from gamelib.compiled.nim import NimSearch
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.games.lines import has_line
from gamelib.search.heuristics import OpenLines, straights
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
from gamelib.search.ordering import Order, centre_first, preferred
from gamelib.search.result import Bound, SearchResult, Stats
from gamelib.state import Action, GameState

Array = np.ndarray[Any, Any]
NO_LINES = np.zeros(0, np.int64), np.zeros(1), 1.0
# What a win is worth, and how much less a ply later: with `quick_wins` and without.
SOONER = WIN - 1.0, 1.0
ANY_TIME = 1.0, 0.0


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
        self.all = board
        self.wins = boards.table_of_wins(board.bit_length(), state.k, stride)
        self.straights = [
            [state.bit(*place) for place in straight] for straight in straights(rows, cols)
        ]
        self.stride, self.k = stride, state.k
        self.spare: list[Arrays] = []  # a search takes one, and gives it back

    def over(self, mine: int, taken: int) -> bool:
        """Return whether the game is over where the player with `mine` would move."""
        return taken == self.all or has_line(mine ^ taken, self.k, self.stride)

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

    def order(self, state: GameState, order: Order | Sequence[Action] | None) -> Array | None:
        """Return the cells in the order to try them; None for the order of the rules."""
        if order is None:
            return None
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


class Arrays:
    """What a search works in: enough for the longest game on a board."""

    def __init__(self, plies: int) -> None:
        self.stack = np.zeros((plies, boards.LINE + 1), np.int64)
        self.values = np.zeros((plies, boards.BETA + 1))
        self.root_values = np.zeros(64)
        self.roots = np.zeros((64, boards.ROOT_LINE + 1), np.int64)
        self.registers = np.zeros(boards.DONE + 1, np.int64)


class BoardSearch:
    """One search of a board: what its kernel works with, and the results in words of the game."""

    def __init__(
        self, state: Any, depth: int | None, evaluate: Evaluate | None, quick_wins: bool
    ) -> None:
        kind: Any = type(state)
        board = self.board = _board(kind, state.rows, state.cols, state.k)
        self.arrays = board.spare.pop() if board.spare else Arrays(board.cells + 2)
        self.mine = state.stones(state.current_player)
        self.taken = self.mine | state.stones(1 - state.current_player)
        self.depth = board.cells + 1 if depth is None else min(depth, board.cells + 1)
        self.win = SOONER if quick_wins else ANY_TIME
        self.heuristic = board.heuristic(evaluate)
        self.begin = True

    def go_on(self) -> bool:
        """Search a slice more; return whether the search is done."""
        raise NotImplementedError

    def stats(self) -> Stats:
        """Return the counts."""
        *_, nodes, inner, evaluations, cutoffs, _ = self.arrays.registers.tolist()
        leaves = nodes - inner - evaluations
        return Stats(nodes=nodes + 1, leaves=leaves, evaluations=evaluations, cutoffs=cutoffs)

    def whole_line(self, line: int) -> tuple[Action, ...]:
        """Return the actions of a line, to its end; what is known of this search is lost then."""
        board, mine, taken, depth = self.board, self.mine, self.taken, self.depth
        actions: list[Action] = []
        while line:
            for bit in boards.bits_of(line):
                actions.append(board.action_of[bit])
                mine, taken = mine ^ taken, taken | 1 << bit
            line = 0
            if (
                len(actions) % boards.TEN == 0
                and len(actions) < depth
                and not board.over(mine, taken)
            ):
                self.mine, self.taken, self.depth = mine, taken, depth - len(actions)
                self.begin = True
                while not self.go_on():
                    pass
                line = int(self.arrays.stack[0, boards.LINE])
        board.spare.append(self.arrays)
        return tuple(actions)


class BoardMinimax(BoardSearch):
    """Minimax on a board."""

    def go_on(self) -> bool:
        """Search a slice more; return whether the search is done."""
        board, arrays = self.board, self.arrays
        done: bool = boards.minimax(
            arrays.stack, arrays.values, arrays.root_values, arrays.registers, self.begin,
            self.mine, self.taken, board.sizes, board.wins, *self.heuristic, self.depth, *self.win,
            SLICE,
        )  # fmt: skip
        self.begin = False
        return done

    def found(self, actions: Sequence[Action]) -> dict[Action, float]:
        """Return the values of the root actions that are done."""
        done = self.arrays.registers[boards.DONE]
        return dict(
            zip(actions, map(_number, self.arrays.root_values[:done].tolist()), strict=False)
        )

    def progress(self, actions: Sequence[Action]) -> tuple[float, Action]:
        """Return the share of the root actions that are done, and the best so far."""
        values = self.found(actions)
        return len(values) / len(actions), best_of(values)

    def line(self, actions: Sequence[Action], action: Action) -> tuple[Action, ...]:
        """Return the line of best play."""
        return self.whole_line(int(self.arrays.stack[0, boards.LINE]))


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
        self.ties = self.depth if strict else int(all_best)
        self.order = self.board.order(state, order)

    def go_on(self) -> bool:
        """Search a slice more; return whether the search is done."""
        board, arrays = self.board, self.arrays
        done: bool = boards.alphabeta(
            arrays.stack, arrays.values, arrays.root_values, arrays.roots, arrays.registers,
            self.begin, self.mine, self.taken, board.sizes, self.order, board.wins,
            *self.heuristic, self.depth, *self.win, self.ties, SLICE,
        )  # fmt: skip
        self.begin = False
        return done

    def bounds(self, actions: Sequence[Action]) -> dict[Action, Bound]:
        """Return what is known of the root actions that were looked at."""
        kinds = self.arrays.roots[:, boards.KIND].tolist()
        values = self.arrays.root_values.tolist()
        return {
            action: _bound(value, kind)
            for action, value, kind in zip(actions, values, kinds, strict=False)
            if kind
        }

    def progress(self, actions: Sequence[Action]) -> tuple[float, Action]:
        """Return the share of the root actions that are done, and the best so far."""
        found = self.bounds(actions)
        return len(found) / len(actions), best_of(_exact(found))

    def line(self, actions: Sequence[Action], action: Action) -> tuple[Action, ...]:
        """Return the line of best play after a root action whose value is exact."""
        return self.whole_line(int(self.arrays.roots[actions.index(action), boards.ROOT_LINE]))


def _number(value: float) -> float:
    """Return a whole number as an int."""
    return int(value) if value.is_integer() else value


@lru_cache(1024)
def _bound(value: float, kind: int) -> Bound:
    return Bound(_number(value), "exact" if kind == boards.EXACT else "upper")


def _exact(found: dict[Action, Bound]) -> dict[Action, float]:
    return {action: bound.value for action, bound in found.items() if bound.kind == "exact"}


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
    return _minimax_result(state, values, line, search.stats(), stopped, quick_wins, started)


def _minimax_result(
    state: GameState,
    values: dict[Action, float],
    line: tuple[Action, ...],
    stats: Stats,
    stopped: bool,
    quick_wins: bool,
    started: float,
) -> SearchResult:
    """Return the result of a search that has looked at the root actions in `values`."""
    action = best_of(values) if values else state.legal_actions()[0]
    value = values.get(action)
    utilities = None
    if value is not None and not stats.evaluations and not stopped:
        utilities = two_utilities(value, state.current_player, quick_wins)
    return SearchResult(
        action=action,
        value=value,
        values={action: Bound(value) for action, value in values.items()},
        utilities=utilities,
        line=line or (action,),
        stats=stats,
        stopped=stopped,
        seconds=time.perf_counter() - started,
    )


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
    exact = _exact(found)
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
