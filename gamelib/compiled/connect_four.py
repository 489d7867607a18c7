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

SLICE = 1 << 16  # nodes between two looks at `stop`: 0.01 s


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
            self.spare.arrays = stack, moves, self.table, np.zeros(four.ASKED + 1, np.int64)
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
        score = self.score(self.mine, self.taken, -limit, limit)
        return self.first(self.mine, self.taken, score, limit), score

    def first(self, mine: int, taken: int, score: int, limit: int) -> int:
        """Return the first action that reaches the score of a position, at most `limit`."""
        most = min(1 - score, limit)  # where everything loses, and it does not matter how soon
        for action in range(self.board.cols):
            child = self.child(mine, taken, action)
            if child[1] != taken and self.score(*child, -score, most) == -score:
                break
        return action

    def reply_score(self, action: int, limit: int) -> int:
        """Return the score of the position if `action` is played, from -`limit` to `limit`."""
        return -self.score(*self.child(self.mine, self.taken, action), -limit, limit)

    def score(self, mine: int, taken: int, least: int, most: int) -> int:
        """Return the score for the player who has `mine`, or the bound that it is beyond."""
        size = self.board.rows, self.board.cols, self.board.k
        registers = self.arrays[-1]
        before, begin = int(registers[four.NODES]), True
        try:
            while not four.score(*self.arrays, begin, mine, taken, least, most, *size, SLICE):
                begin = False
                self.look()
        finally:  # a search that is stopped has visited them, too
            self.nodes += int(registers[four.NODES]) - before
        return int(registers[four.LEAST])

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
            line.append(self.first(mine, taken, score, self.limit))
            mine, taken = self.child(mine, taken, line[-1])
            score = -score
        return tuple(line)
