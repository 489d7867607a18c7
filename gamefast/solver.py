"""The compiled `solve` for Connect Four and tic-tac-toe, by the scores of `solver_kernels`.

A score is positive for a win of the player to move, and higher for an earlier win; negative for a
loss, and higher for a later loss; 0 for a draw.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from struct import Struct, unpack_from
from time import perf_counter
from typing import Any

import numpy as np

from gamefast import solver_kernels
from gamefast.alphabeta_kernels import layout
from gamefast.backend import Array, bind_kernel
from gamefast.fast import BOARD_GAMES, check_supported, is_supported_board, supports
from gamefast.solver_kernels import (
    ACTION_MASK,
    BEGIN_ALL,
    BEGIN_VALUE,
    BEST_LINE,
    CONTINUE,
    LINE_LENGTH,
    MEANING_MASK,
    MEANING_SHIFT,
    NODES,
    NODES_SHIFT,
    ROOT_LEFT,
    SCORE_OF_DRAW,
    UNKNOWN,
)
from gamelib.games import ConnectFour, TicTacToe
from gamelib.games.k_in_a_row import LineRules, directions
from gamelib.search import checks
from gamelib.search.callbacks import Poller, Progress, SearchStopped, Stop, poller_or_none
from gamelib.search.registry import check_option_types
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
BUG = "no action reaches the score, which is a bug in gamefast.  Please report the call"


class Workspace:
    """The arrays of a search, and the part of them with the line and the scores."""

    def __init__(self, arrays: solver_kernels.SolverWorkspace) -> None:
        self.arrays = arrays
        self.found = arrays.registers[LINE_LENGTH : BEST_LINE + 64]


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
        self.spare = list[Workspace]()  # a search takes one and returns it
        arrays, empty_board = self.new_workspace().arrays, (0, 0)
        no_nodes = 0  # so the call that binds the kernel searches nothing
        self.solve = bind_kernel(
            solver_kernels.solve, arrays, self.images, BEGIN_VALUE, *empty_board, no_nodes
        )
        self.meanings = self.meanings_of_scores()
        self.unpack_scores = Struct(f"{1 + self.actions}q").unpack_from

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

    def meanings_of_scores(self) -> list[tuple[Bound, int | None]]:
        """Return the value and the plies to the end of each score, with any number of cells left.

        The index is the part of an answer that has these two numbers.
        """
        meanings: list[tuple[Bound, int | None]] = []
        for left, score in product(range(self.cells + 1), range(-SCORE_OF_DRAW, SCORE_OF_DRAW)):
            # The winner moves last, and the parity of the cells left shows who moves last.
            plies = left + 1 - 2 * abs(score) + (left + (score < 0)) % 2 if score else None
            meanings.append((BOUNDS[(score > 0) - (score < 0)], plies))
        return meanings

    def new_workspace(self) -> Workspace:
        """Return the arrays for a search, which puts them into `spare` at its end."""
        stack = np.zeros((solver_kernels.KEY + 1, (self.cells + 3) * self.actions), np.int64)
        by_kind = zip(*map(self.cell_weight, range(64)), strict=True)
        registers = np.zeros(solver_kernels.NUM_REGISTERS, np.int64)
        registers[solver_kernels.FAR : solver_kernels.STAGE] = [
            self.far_from, self.log_far, *self.size, self.actions
        ]  # fmt: skip
        registers[solver_kernels.CELLS :][: self.actions] = self.moves
        registers[solver_kernels.CELL_WEIGHTS :] = [weight for kind in by_kind for weight in kind]
        return Workspace(solver_kernels.SolverWorkspace(stack, self.table, registers))

    def read_fields(self, answer: int, found: bytes | None, player: int) -> dict[str, Any]:
        """Return the fields of the result of a search that is finished.

        answer  what the kernel has returned
        found   the line and the scores; None if only the value was asked for
        player  the player to move
        """
        left, score = divmod(answer >> MEANING_SHIFT & MEANING_MASK, 2 * SCORE_OF_DRAW)
        action = answer & ACTION_MASK
        scores, line = {action: score - SCORE_OF_DRAW}, (action,)
        if found is not None:
            scores, line = self.read_found(found)
        return self.fields(scores, line, left, answer >> NODES_SHIFT, player)

    def read_found(self, found: bytes) -> tuple[dict[int, int], tuple[int, ...]]:
        """Return the scores that are known, in `legal_actions` order, and the line of best play."""
        length, *scores = self.unpack_scores(found)
        unknown = UNKNOWN
        known = {action: score for action, score in enumerate(scores) if score != unknown}
        line = unpack_from(f"{length}q", found, 8 * (BEST_LINE - LINE_LENGTH))
        return known, line

    def fields(
        self,
        scores: dict[int, int],
        line: tuple[int, ...],
        left: int,
        nodes: int,
        player: int,
        stopped: bool = False,
    ) -> dict[str, Any]:
        """Return the fields of a result from known scores, with `left` cells left."""
        meanings, draw = self.meanings, 2 * SCORE_OF_DRAW * left + SCORE_OF_DRAW
        values: dict[int, Bound] = {}
        distances: dict[int, int | None] = {}
        for action, score in scores.items():
            values[action], distances[action] = meanings[draw + score]
        best = line[0]
        value = values[best].value if scores else None
        return {
            "action": best,
            "value": value,
            "values": values,
            "utilities": None if stopped else UTILITIES[value, player],
            "vectors": {},
            "line": line,
            "distance": distances.get(best),
            "distances": distances,
            "visits": None,
            "stats": Stats(nodes),
            "stopped": stopped,
            "kind": "lower" if stopped else "exact",
        }


@lru_cache(4)  # for the whole process; the table of a large board is 0.1 GB
def _tables_of(kind: Any, rules: LineRules) -> SolverTables | None:
    """Return the tables of one configuration; None if the kernel does not solve its boards."""
    if not rules.max_utility or rules.num_players != 2:
        return None  # gamelib's solver sees without a search that nobody can win
    fits = kind is ConnectFour or rules.rows * rules.cols <= MAX_CELLS
    if not (fits and is_supported_board(kind(rules.rows, rules.cols, rules.k))):
        return None
    return SolverTables(kind, rules.rows, rules.cols, rules.k)


# The class and the rules of the latest position that was solved, and its tables.
_latest: tuple[Any, Any, SolverTables | None] = None, None, None


def tables_for(state: Any) -> SolverTables | None:
    """Return the tables for a position, or None if the solver of gamelib solves it.

    TypeError unless gamefast plays the game.
    """
    global _latest
    kind: Any = type(state)  # a subclass may change any rule
    if kind in BOARD_GAMES and (tables := _tables_of(kind, state.rules)):
        _latest = kind, state.rules, tables
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


def finish(board: SolverTables, work: Workspace, state: Any, poller: Poller | None) -> int:
    """Continue a search slice by slice, and return its answer; SearchStopped if it must end."""
    answer = 0
    while not answer:
        if poller and poller.is_due():
            scores, _ = board.read_found(work.found.tobytes())
            poller(len(scores) / len(state.legal_actions()), checks.argmax(scores))
        answer = board.solve(work.arrays, board.images, CONTINUE, 0, 0, SLICE)
    return answer


def stopped_result(
    board: SolverTables, work: Workspace, state: Any, only_value: bool, seconds: float
) -> SearchResult:
    """Return the result of a search that had to end, from all that it has found."""
    actions, (scores, line) = state.legal_actions(), board.read_found(work.found.tobytes())
    line = line or (checks.argmax(scores) if scores else actions[0],)
    # If all scores are known, the stop has only cut the line short.
    stopped = len(scores) < (1 if only_value else len(actions))
    left, nodes = (int(work.arrays.registers[number]) for number in (ROOT_LEFT, NODES))
    fields = board.fields(scores, line, left, nodes, state.current_player, stopped)
    return SearchResult(**fields, seconds=seconds)


def solve(
    state: GameState,
    *,
    only_value: bool = False,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return the exact value and distance of every action, as in the result of `gamelib.solve`.

    The action is the first that wins soonest, draws, or loses latest.  This solver visits fewer
    nodes than that of `gamelib`.  Nim has few positions, so its result comes from `gamelib.solve`.

    only_value  find only the value and distance of the position and one best action
    """
    started = perf_counter()
    if progress is not None or stop is not None:
        check_option_types({"progress": progress, "stop": stop})
    position: Any = state
    kind, rules, board = _latest
    if type(state) is not kind or position.rules is not rules:
        board = tables_for(state)
    if board is None:
        return readable_solve(state, only_value=only_value, progress=progress, stop=stop)
    mine, taken = position.mine_and_taken()
    if position.winner is not None or taken == board.all:
        checks.check_searchable(state)  # its error shows the position
    spare = board.spare
    work = spare.pop() if spare else board.new_workspace()
    task = BEGIN_VALUE if only_value else BEGIN_ALL
    answer = board.solve(work.arrays, board.images, task, mine, taken, SLICE)
    if answer <= 0:
        try:
            answer = answer or finish(board, work, state, poller_or_none(progress, stop))
        except SearchStopped:
            result = stopped_result(board, work, state, bool(only_value), perf_counter() - started)
            spare.append(work)
            return result
        if answer < 0:
            raise RuntimeError(BUG)
    found = None if only_value else work.found.tobytes()
    spare.append(work)
    bound, distance = board.meanings[answer >> MEANING_SHIFT & MEANING_MASK]
    action, seconds = answer & ACTION_MASK, perf_counter() - started
    read, player = board.read_fields, position.current_player
    result = SearchResult.deferred(action, seconds, read, answer, found, player)
    fields = result.__dict__  # whoever solves a position wants to know these
    fields["value"] = bound.value
    fields["distance"] = distance
    return result
