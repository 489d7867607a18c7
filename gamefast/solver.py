"""The compiled `solve` for Connect Four and tic-tac-toe, by the scores of `solver_kernels`.

A score is positive for a win of the player to move, and higher for an earlier win; negative for a
loss, and higher for a later loss; 0 for a draw.
"""

from __future__ import annotations

import time
from contextlib import suppress
from functools import cache, lru_cache
from itertools import product
from typing import Any

import numpy as np

from gamefast import solver_kernels
from gamefast.alphabeta_kernels import layout
from gamefast.backend import Array, bind_kernel
from gamefast.fast import BOARD_GAMES, check_supported, is_supported_board, supports
from gamefast.solver_kernels import (
    BEST_LINE,
    FAULT,
    LINE_LENGTH,
    NODES,
    SCORE,
    SOLVED,
    STAGE,
    UNKNOWN,
)
from gamelib.games import ConnectFour, TicTacToe
from gamelib.games.k_in_a_row import LineRules, directions
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
UTILITIES: dict[tuple[float | None, int], tuple[float, float]] = {
    (value, player): checks.utilities_from_value(value, player, quick_wins=False)
    for value, player in product(BOUNDS, range(2))
}
MAX_CELLS = 32  # of tic-tac-toe, so that two boards fit into an int


class SolverTables:
    """The tables of one board size, with the bounds of all positions that were searched."""

    def __init__(self, kind: type[ConnectFour | TicTacToe], rows: int, cols: int, k: int) -> None:
        (self.stride, self.k, self.all, *_), _, self.moves = layout(kind, rows, cols, k)
        self.cells, self.actions, self.images = rows * cols, len(self.moves), None
        self.size, self.far_from = (rows, cols, k), LARGE_TABLE_MIN_CELLS
        if kind is TicTacToe:
            self.size, self.far_from = (cols, rows, k), self.cells - PLIES_FAR
            self.images = images(rows, cols)
        self.log_far = min(max(SIZES_FAR[0], self.cells // 2), SIZES_FAR[1])
        self.table = np.zeros(2 * ((1 << self.log_far) + solver_kernels.NEAR), np.int64)
        self.lines = self.lines_by_cell()
        self.spare = list[solver_kernels.SolverWorkspace]()  # a search takes one and returns it
        no_nodes = 0  # so the call that binds the kernel searches nothing
        empty_board = True, 0, 0, False, *self.size
        self.solve = bind_kernel(
            solver_kernels.solve, self.take_workspace(), self.images, *empty_board, no_nodes
        )
        self.meanings = cache(self.meanings_of_scores)

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

    def meanings_of_scores(self, left: int) -> dict[int, tuple[Bound, int | None]]:
        """Return the value and the plies to the end of each score, with `left` cells left."""
        # The winner moves last, and the parity of the cells left shows who moves last.
        return {
            score: (
                BOUNDS[(score > 0) - (score < 0)],
                left + 1 - 2 * abs(score) + (left + (score < 0)) % 2 if score else None,
            )
            for score in range(-self.cells, self.cells + 1)
        }

    def take_workspace(self) -> solver_kernels.SolverWorkspace:
        """Return the arrays for a search, which puts them into `spare` at its end."""
        if self.spare:
            return self.spare.pop()
        stack = np.zeros((solver_kernels.END + 1, self.cells + 3), np.int64)
        moves = np.zeros((solver_kernels.KEY + 1, (self.cells + 3) * self.actions), np.int64)
        by_kind = zip(*map(self.cell_weight, range(64)), strict=True)
        registers = np.zeros(solver_kernels.MIRROR + 64, np.int64)
        registers[[solver_kernels.FAR, solver_kernels.LOG_FAR]] = self.far_from, self.log_far
        registers[solver_kernels.CELL_WEIGHTS :] = [weight for kind in by_kind for weight in kind]
        actions = np.array(self.moves, np.int64)
        answers = np.zeros((BEST_LINE + 1, self.cells), np.int64)
        return solver_kernels.SolverWorkspace(stack, moves, self.table, registers, actions, answers)


@lru_cache(4)  # for the whole process; the table of a large board is 0.1 GB
def _tables_of(kind: Any, rules: LineRules) -> SolverTables | None:
    """Return the tables of one configuration; None if the kernel does not solve its boards."""
    if not rules.max_utility or rules.num_players != 2:
        return None  # gamelib's solver sees without a search that nobody can win
    fits = kind is ConnectFour or rules.rows * rules.cols <= MAX_CELLS
    if not (fits and is_supported_board(kind(rules.rows, rules.cols, rules.k))):
        return None
    return SolverTables(kind, rules.rows, rules.cols, rules.k)


def tables_for(state: Any) -> SolverTables | None:
    """Return the tables for a position, or None if the solver of gamelib solves it.

    TypeError unless gamefast plays the game.
    """
    kind: Any = type(state)  # a subclass may change any rule
    if kind in BOARD_GAMES and (tables := _tables_of(kind, state.rules)):
        return tables
    check_supported(supports(state), state)
    return None


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
    """One search: a kernel that is called slice by slice until it has all answers."""

    def __init__(self, state: Any, board: SolverTables, only_value: bool) -> None:
        self.state, self.board, self.only_value = state, board, only_value
        self.mine = state.stones(state.current_player)
        self.taken = self.mine | state.stones(1 - state.current_player)
        self.work = board.take_workspace()
        self.answers = self.work.answers

    def run_slice(self, begin: bool) -> bool:
        """Begin or continue the search; return whether it is finished."""
        board = self.board
        return board.solve(
            self.work, board.images, begin, self.mine, self.taken, self.only_value, *board.size,
            SLICE,
        )  # fmt: skip

    def scores(self) -> dict[int, int]:
        """Return the scores that are known so far, in `legal_actions` order."""
        scores, unknown = self.answers[SCORE, : self.board.actions].tolist(), UNKNOWN
        return {action: score for action, score in enumerate(scores) if score != unknown}

    def finish(self, poller: callbacks.Poller | None) -> None:
        """Run slices to the end and report the progress; raise SearchStopped if it must end."""
        finished = False
        while not finished:
            if poller and poller.is_due():
                scores = self.scores()
                poller(len(scores) / len(self.state.legal_actions()), checks.argmax(scores))
            finished = self.run_slice(begin=False)

    def result(self, started: float) -> SearchResult:
        """Return the result, and make the arrays available to the next search.

        It is not deferred: whoever solves a position wants its value, so a copy of the arrays would
        only take longer.
        """
        count = self.work.registers.item
        self.nodes, self.stage, self.length = count(NODES), count(STAGE), count(LINE_LENGTH)
        result = self.read_answers(started)
        self.board.spare.append(self.work)
        return result

    def read_answers(self, started: float) -> SearchResult:
        """Return the result that the answers hold."""
        board, state, scores = self.board, self.state, self.scores()
        if self.stage == FAULT:
            bug = "which is a bug in gamefast.  Please report the call"
            raise RuntimeError(f"no action reaches the score of the position, {bug}")
        # If all scores are known, a stop has only cut the line short.
        expected = 1 if self.only_value else len(state.legal_actions())
        stopped = self.stage != SOLVED and len(scores) < expected
        line = tuple(self.answers[BEST_LINE, : self.length].tolist())
        if not line:
            line = (checks.argmax(scores) if scores else state.legal_actions()[0],)
        meanings = board.meanings(board.cells - self.taken.bit_count())
        values: dict[int, Bound] = {}
        distances: dict[int, int | None] = {}
        for each, score in scores.items():
            values[each], distances[each] = meanings[score]
        action = line[0]
        value = values[action].value if scores else None
        return SearchResult(
            action,
            value,
            values,
            utilities=None if stopped else UTILITIES[value, state.current_player],
            line=line,
            distance=distances.get(action),
            distances=distances,
            stats=Stats(self.nodes),
            stopped=stopped,
            kind="lower" if stopped else "exact",
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
    nodes than that of `gamelib`.  Nim has few positions, so its result comes from `gamelib.solve`.

    only_value  find only the value and distance of the position and one best action
    """
    started = time.perf_counter()
    board = tables_for(state)
    if board is None:
        return readable_solve(state, only_value=only_value, progress=progress, stop=stop)
    if state.is_terminal():
        checks.check_searchable(state)  # its error shows the position
    search = ScoreSearch(state, board, bool(only_value))
    if not search.run_slice(begin=True):
        with suppress(callbacks.SearchStopped):
            search.finish(callbacks.poller_or_none(progress, stop))
    return search.result(started)
