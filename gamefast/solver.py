"""The compiled `solve` for Connect Four and tic-tac-toe, by the scores of `solver_kernels`.

A score is positive for a win of the player to move, and higher for an earlier win; negative for a
loss, and higher for a later loss; 0 for a draw.
"""

from __future__ import annotations

import time
from contextlib import suppress
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from gamefast import solver_kernels
from gamefast.alphabeta_kernels import layout
from gamefast.backend import Array, bind_kernel
from gamefast.fast import check_supported, is_supported_board, supports
from gamelib.games import ConnectFour, TicTacToe
from gamelib.games.k_in_a_row import directions, has_line
from gamelib.search import callbacks, checks
from gamelib.search.result import Bound, SearchResult, Stats
from gamelib.search.solver import solve as readable_solve
from gamelib.state import GameState

SLICE = 1 << 16  # nodes between two checks of `stop`, 0.01 s
# A position of Connect Four with at least this number of cells left is in the large table.
LARGE_TABLE_MIN_CELLS = 21
PLIES_FAR = 10  # of tic-tac-toe, after which a position is no longer in the large table
A_LINE, A_REPLY = 4, 3  # ranks of a line through a cell, and of a reply of the follow-up strategy
SIZES_FAR = 17, 23  # of the large table, as powers of 2, for small and large boards
BOUNDS = {value: Bound(value) for value in (-1, 0, 1)}
MAX_CELLS = 32  # of tic-tac-toe, so that two boards fit into an int


class SolverTables:
    """The tables of one board size, with the bounds of all positions that were searched."""

    def __init__(self, kind: type[ConnectFour | TicTacToe], rows: int, cols: int, k: int) -> None:
        (self.stride, self.k, self.all, *_), _, self.moves = layout(kind, rows, cols, k)
        self.cells, self.images = rows * cols, None
        self.size, self.far_from = (rows, cols, k), LARGE_TABLE_MIN_CELLS
        if kind is TicTacToe:
            self.size, self.far_from = (cols, rows, k), self.cells - PLIES_FAR
            self.images = images(rows, cols)
        self.log_far = min(max(SIZES_FAR[0], self.cells // 2), SIZES_FAR[1])
        self.table = np.zeros(2 * ((1 << self.log_far) + solver_kernels.NEAR), np.int64)
        self.lines = self.lines_by_cell()
        self.spare = list[solver_kernels.SolverWorkspace]()  # a search takes one and returns it
        empty_search = True, 0, 0, 0, 0, *self.size, SLICE
        self.score = bind_kernel(solver_kernels.score, self.work(), self.images, *empty_search)

    def lines_by_cell(self) -> dict[int, int]:
        """Return the number of lines of the board that contain each cell, by the cell's bit."""
        counts = {1 << bit: 0 for bit in range(64) if self.all >> bit & 1}
        for start, step in product(counts, directions(self.stride)):
            line = [start << i * step for i in range(self.k)]
            for cell in line if all(cell in counts for cell in line) else ():
                counts[cell] += 1
        return counts

    def cell_weight(self, bit: int) -> tuple[int, int, int, int]:
        """Return the registers for the cell of a bit, which begin at CELL_WEIGHTS."""
        col, height = divmod(bit, self.stride)
        last = self.all.bit_length() // self.stride  # of the columns
        middle = -abs(2 * col - last) // 2
        replies = 0 if (self.stride - height) % 2 else A_REPLY
        image = 1 << (last - col) * self.stride + height if 1 << bit in self.lines else 0
        return middle, middle + replies, A_LINE * self.lines.get(1 << bit, 0), image

    def work(self) -> solver_kernels.SolverWorkspace:
        """Return the arrays for a search."""
        if self.spare:
            return self.spare.pop()
        count = len(self.moves)
        stack = np.zeros((solver_kernels.END + 1, self.cells + 3), np.int64)
        moves = np.zeros((solver_kernels.KEY + 1, (self.cells + 3) * count), np.int64)
        by_kind = zip(*map(self.cell_weight, range(64)), strict=True)
        weights = [weight for kind in by_kind for weight in kind]
        constants = [self.far_from, self.log_far, *weights]
        registers = np.array([0] * solver_kernels.FAR + constants, np.int64)
        return solver_kernels.SolverWorkspace(stack, moves, self.table, registers)


board_of = lru_cache(4)(SolverTables)  # for the whole process; the table of a large board is 0.1 GB


def images(rows: int, cols: int) -> Array:
    """Return the new positions of the bits for each symmetry of tic-tac-toe except the first."""
    stride = cols + 1
    places = np.array([[row * stride + col for col in range(cols)] for row in range(rows)])
    turned = [places[::-1], places[:, ::-1], places[::-1, ::-1]]
    if rows == cols:
        turned += [image.T for image in (places, *turned)]
    moved = np.zeros((len(turned), 64), np.int64)
    for image, targets in zip(moved, turned, strict=True):
        image[places] = targets
    return moved


class ScoreSearch:
    """One search: the scores of the root actions that are known so far, and the line."""

    def __init__(self, state: Any, poller: callbacks.Poller | None) -> None:
        kind: Any = type(state)
        self.state, self.poller = state, poller
        self.board = board_of(kind, state.rows, state.cols, state.k)
        self.mine = state.stones(state.current_player)
        self.taken = self.mine | state.stones(1 - state.current_player)
        self.work = self.board.work()
        self.scores: dict[int, int] = {}
        self.line: list[int] = []

    def poll(self) -> None:
        """Report the progress; raise SearchStopped if the search must end."""
        if self.poller and self.poller.is_due():
            best = checks.argmax(dict(sorted(self.scores.items())))
            self.poller(len(self.scores) / len(self.state.legal_actions()), best)

    def score_first(self) -> None:
        """Find the score of the position and the first best action."""
        score = self.score(self.mine, self.taken, -self.board.cells, self.board.cells)
        self.scores[self.first_best_action(self.mine, self.taken, score)] = score

    def score_all(self) -> None:
        """Find the score of every action, and the line of best play.

        The actions in the middle come first, because the bounds found there help the others.  Of
        two actions that may be mirror images of each other, the second comes later.
        """
        limit = self.board.cells
        replies = [self.child(self.mine, self.taken, i) for i in range(len(self.board.moves))]
        # The number of lines through the cell of each action; None if the action is not legal.
        lines = [self.board.lines.get(reply[1] ^ self.taken) for reply in replies]
        middle = (len(lines) - 1) / 2
        rank = {i: (-count, abs(i - middle)) for i, count in enumerate(lines) if count is not None}
        before = {i: sum(rank[j] == rank[i] for j in rank if j < i) for i in rank}
        for i in sorted(rank, key=lambda i: (before[i], rank[i])):
            self.scores[i] = -self.score(*replies[i], -limit, limit)
        self.build_line(max(self.scores.values()))

    def first_best_action(self, mine: int, taken: int, score: int) -> int:
        """Return the first action that reaches the score of a position."""
        for action in range(len(self.board.moves)):
            child = self.child(mine, taken, action)
            if child[1] != taken and self.score(*child, -score, 1 - score) == -score:
                return action
        bug = "which is a bug in gamefast.  Please report the call"
        raise RuntimeError(f"no action reaches the score {score}, {bug}")

    def score(self, mine: int, taken: int, least: int, most: int) -> int:
        """Return the score for the player to move, or the bound, `least` or `most`, beyond it.

        `mine` are the stones of the player to move, `taken` all stones.
        """
        board, begin = self.board, True
        while not board.score(
            self.work, board.images, begin, mine, taken, least, most, *board.size, SLICE
        ):
            begin = False
            self.poll()
        return self.work.registers.item(solver_kernels.LEAST)

    def child(self, mine: int, taken: int, action: int) -> tuple[int, int]:
        """Return the other player's stones, and all stones, after an action if it is legal."""
        cells = self.board.moves[action]
        return mine ^ taken, taken | (taken + (cells & -cells)) & cells

    def build_line(self, score: int) -> None:
        """Find the line of first best actions from the position, which has this score."""
        board, mine, taken = self.board, self.mine, self.taken
        while taken != board.all and not has_line(mine ^ taken, board.k, board.stride):
            self.line.append(self.first_best_action(mine, taken, score))
            mine, taken = self.child(mine, taken, self.line[-1])
            score = -score

    def distance(self, score: int) -> int | None:
        """Return the plies to the end of the game with this score; None for a draw."""
        if score == 0:
            return None
        left = self.board.cells - self.taken.bit_count()
        # The winner moves last, and the parity of the cells left shows who moves last.
        return left + 1 - 2 * abs(score) + (left + (score < 0)) % 2

    def close(self) -> int:
        """Return the number of nodes, and make the arrays available to the next search."""
        nodes = self.work.registers.item(solver_kernels.NODES)
        self.work.registers[solver_kernels.NODES] = 0
        self.board.spare.append(self.work)
        return nodes

    def result(self, expected: int, started: float) -> SearchResult:
        """Return the result; it was stopped if it does not have the `expected` number of scores."""
        scores = dict(sorted(self.scores.items()))  # as `legal_actions` are
        action = checks.argmax(scores) if scores else self.state.legal_actions()[0]
        values = {action: BOUNDS[(score > 0) - (score < 0)] for action, score in scores.items()}
        distances = {action: self.distance(score) for action, score in scores.items()}
        value, stopped = values[action].value if scores else None, len(scores) < expected
        utilities = None
        if value is not None and not stopped:
            utilities = checks.utilities_from_value(
                value, self.state.current_player, quick_wins=False
            )
        return SearchResult(
            action=action,
            value=value,
            kind="lower" if stopped else "exact",
            values=values,
            utilities=utilities,
            vectors={},
            line=tuple(self.line) or (action,),
            distance=distances.get(action),
            distances=distances,
            stats=Stats(nodes=self.close()),
            stopped=stopped,
            seconds=time.perf_counter() - started,
        )


def solve(
    state: GameState,
    *,
    only_value: bool = False,
    progress: callbacks.Progress | None = None,
    stop: callbacks.Stop | None = None,
) -> SearchResult:
    """Return the exact value and distance of every action, as in the result of `gamelib.solve`.

    The action is the first that wins soonest, draws, or loses latest.  This solver visits fewer
    nodes than that of `gamelib`, but for Nim it calls `gamelib.solve`, because Nim has few
    positions.

    only_value  find only the value and distance of the position and one best action
    """
    started = time.perf_counter()
    if not supports(state):
        check_supported(False, state)
    checks.check_two_players(state, "solve")
    checks.check_searchable(state)
    fits = type(state) is not TicTacToe or state.rows * state.cols <= MAX_CELLS
    # gamelib's solver sees without a search that nobody can win.
    if not (is_supported_board(state) and fits and state.max_utility):
        return readable_solve(state, only_value=only_value, progress=progress, stop=stop)
    search = ScoreSearch(state, callbacks.poller_or_none(progress, stop))
    with suppress(callbacks.SearchStopped):
        if only_value:
            search.score_first()
        else:
            search.score_all()
    return search.result(1 if only_value else len(state.legal_actions()), started)
