"""Connect Four solved: the result of `solve` from the scores of `gamelib.compiled.four`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache

import numpy as np

from gamelib.compiled import four
from gamelib.compiled.machine import Array
from gamelib.games import ConnectFour
from gamelib.games.lines import has_line

SLICE = 1 << 18  # nodes between two looks at `stop`: 0.03 s, or some times that on a busy machine


class Board:
    """One size of board, and the table of all that has been learnt of its positions."""

    def __init__(self, rows: int, cols: int, k: int) -> None:
        self.rows, self.cols, self.k, self.stride = rows, cols, k, rows + 1
        self.cells = rows * cols
        self.bottom = sum(1 << c * self.stride for c in range(cols))
        self.column = (1 << rows) - 1
        self.all = self.bottom * self.column
        self.table = np.zeros(2 << four.LOG_LINES, np.int64)
        self.spare = threading.local()  # arrays of a search, one set for each thread

    def arrays(self) -> tuple[Array, ...]:
        """Return the stack, the moves, the table and the registers of a search in this thread."""
        if not hasattr(self.spare, "arrays"):
            stack = np.zeros((four.END + 2, max(self.cells + 3, self.cols)), np.int64)
            middle = sorted(range(self.cols), key=lambda c: abs(2 * c - self.cols + 1))
            stack[four.COLUMNS, : self.cols] = [self.column << c * self.stride for c in middle]
            moves = np.zeros((four.RANK + 1, (self.cells + 3) * self.cols), np.int64)
            self.spare.arrays = stack, moves, self.table, np.zeros(four.ACTION + 1, np.int64)
        return self.spare.arrays


board_of = cache(Board)  # one table for each size, for the whole process


class FourProver:
    """What `solve` asks of Connect Four, see `Prover`."""

    def __init__(self, state: ConnectFour, look: Callable[[], None]) -> None:
        self.board, self.look = board_of(state.rows, state.cols, state.k), look
        self.mine = state.stones(state.current_player)
        self.taken = self.mine | state.stones(1 - state.current_player)
        self.limit, self.arrays = self.board.cells, self.board.arrays()
        self.nodes = 0

    def first_best(self, limit: int) -> tuple[int, int]:
        """Return the first best action and the score of the position, at most `limit`."""
        registers = self.run(four.first_best, self.mine, self.taken, limit)
        return int(registers[four.ACTION]), int(registers[four.SCORE])

    def reply_score(self, action: int, least: int, most: int) -> int:
        """Return the score of the position if `action` is played, or the bound it is beyond."""
        return -self.score(*self.child(self.mine, self.taken, action), -most, -least)

    def score(self, mine: int, taken: int, least: int, most: int) -> int:
        """Return the score for the player who has `mine`, or the bound that it is beyond."""
        return int(self.run(four.score, mine, taken, least, most)[four.LEAST])

    def run(self, kernel: Callable[..., bool], *question: int) -> Array:
        """Run a kernel to its end, slice by slice; return its registers."""
        registers = self.arrays[-1]
        size = self.board.rows, self.board.cols, self.board.k
        before = int(registers[four.NODES])
        begin = True
        try:
            while not kernel(*self.arrays, begin, *question, *size, SLICE):
                begin = False
                self.look()
        finally:  # a search that is stopped has visited them, too
            self.nodes += int(registers[four.NODES]) - before
        return registers

    def child(self, mine: int, taken: int, col: int) -> tuple[int, int]:
        """Return the stones of the other player, and all of them, after a move if there is room."""
        column = self.board.column << col * self.board.stride
        return mine ^ taken, taken | (taken + (1 << col * self.board.stride)) & column

    def distance(self, score: int) -> int | None:
        """Return the plies to the end of the game with this score; None for a draw."""
        if score == 0:
            return None
        left = self.board.cells - self.taken.bit_count()
        # The winner moves last, and the parity of the cells left says who that is.
        return left + 1 - 2 * abs(score) + (left + (score < 0)) % 2

    def line(self, score: int) -> tuple[int, ...]:
        """Return the line of first best actions from the position, whose score this is."""
        board, mine, taken = self.board, self.mine, self.taken
        line: list[int] = []
        while taken != board.all and not has_line(mine ^ taken, board.k, board.stride):
            for action in range(board.cols):
                child = self.child(mine, taken, action)
                if child[1] != taken and self.score(*child, -score, 1 - score) == -score:
                    break
            line.append(action)
            mine, taken, score = *child, -score
        return tuple(line)
