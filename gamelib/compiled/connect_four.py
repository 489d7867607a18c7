"""Connect Four solved: the result of `solve` from the scores of `gamelib.compiled.four`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gamelib.compiled import four
from gamelib.games import ConnectFour
from gamelib.games.lines import has_line

Array = np.ndarray[Any, Any]

SLICE = 1 << 18  # nodes between two looks at `stop`: 0.03 s, or some times that on a busy machine


@cache
def board_of(rows: int, cols: int, k: int) -> Board:
    """Return the board of this size, with its table; the same one every time."""
    return Board(rows, cols, k)


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

    def arrays(self) -> tuple[Array, Array, Array]:
        """Return the stack, the moves and the registers of a search in this thread."""
        if not hasattr(self.spare, "arrays"):
            stack = np.zeros((four.END + 2, max(self.cells + 3, self.cols)), np.int64)
            middle = sorted(range(self.cols), key=lambda c: abs(2 * c - self.cols + 1))
            stack[four.COLUMNS, : self.cols] = [self.column << c * self.stride for c in middle]
            moves = np.zeros((four.RANK + 1, (self.cells + 3) * self.cols), np.int64)
            self.spare.arrays = stack, moves, np.zeros(four.ACTION + 1, np.int64)
        arrays: tuple[Array, Array, Array] = self.spare.arrays
        return arrays

    def left(self, taken: int) -> int:
        """Return the number of free cells."""
        return self.cells - taken.bit_count()

    def move(self, taken: int, col: int) -> int:
        """Return the cell that a stone in this column falls to; 0 if the column is full."""
        return (taken + (1 << col * self.stride)) & self.column << col * self.stride

    def distance(self, score: int, left: int) -> int | None:
        """Return the plies to the end of a game that is won or lost with this score."""
        if score == 0:
            return None
        # The winner moves last, and the parity of the cells left says who that is.
        before_last = 2 * abs(score) - (left + (score < 0)) % 2
        return left - before_last + 1


class Search:
    """One search for scores; counts its nodes, and calls `look` between slices."""

    def __init__(self, board: Board, look: Callable[[], None]) -> None:
        self.board, self.look = board, look
        self.nodes = 0
        self.stack, self.moves, self.registers = board.arrays()

    def score(self, mine: int, taken: int, least: int, most: int) -> int:
        """Return the score for the player who has `mine`, or the bound that it is beyond."""
        self.run(four.score, mine, taken, least, most)
        return int(self.registers[four.LEAST])

    def first_best(self, mine: int, taken: int, limit: int) -> tuple[int, int]:
        """Return the first best action, and the score."""
        self.run(four.first_best, mine, taken, limit)
        return int(self.registers[four.ACTION]), int(self.registers[four.SCORE])

    def run(self, kernel: Callable[..., bool], *question: int) -> None:
        """Run a kernel to its end, slice by slice."""
        board = self.board
        arrays = self.stack, self.moves, board.table, self.registers
        size = board.rows, board.cols, board.k
        before = int(self.registers[four.NODES])
        begin = True
        while not kernel(*arrays, begin, *question, *size, SLICE):
            begin = False
            self.look()
        self.nodes += int(self.registers[four.NODES]) - before


class Prover:
    """What `solve` asks of a game: scores of the root actions, and the line of best play."""

    def __init__(self, state: ConnectFour, look: Callable[[], None]) -> None:
        self.board = board_of(state.rows, state.cols, state.k)
        self.search = Search(self.board, look)
        self.mine = state.stones(state.current_player)
        self.taken = self.mine | state.stones(1 - state.current_player)
        self.limit = self.board.cells

    @property
    def nodes(self) -> int:
        """The nodes visited so far."""
        return self.search.nodes

    def first_best(self, limit: int) -> tuple[int, int]:
        """Return the first best action and the score of the position, at most `limit`."""
        return self.search.first_best(self.mine, self.taken, limit)

    def reply_score(self, action: int, least: int, most: int) -> int:
        """Return the score of the position if `action` is played, or the bound it is beyond."""
        move = self.board.move(self.taken, action)
        return -self.search.score(self.mine ^ self.taken, self.taken | move, -most, -least)

    def distance(self, score: int) -> int | None:
        """Return the plies to the end of the game with this score; None for a draw."""
        return self.board.distance(score, self.board.left(self.taken))

    def line(self, score: int) -> tuple[int, ...]:
        """Return the line of first best actions from the position, whose score this is."""
        board, mine, taken = self.board, self.mine, self.taken
        line: list[int] = []
        while taken != board.all and not has_line(mine ^ taken, board.k, board.stride):
            for action in range(board.cols):
                move = board.move(taken, action)
                child = mine ^ taken, taken | move
                if move and self.search.score(*child, -score, 1 - score) == -score:
                    break
            line.append(action)
            mine, taken, score = mine ^ taken, taken | move, -score
        return tuple(line)
