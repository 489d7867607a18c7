"""Connect Four solved: the result of `solve` from the scores of `gamelib.compiled.four`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache

import numpy as np

from gamelib.compiled import four
from gamelib.compiled.machine import Array
from gamelib.games import ConnectFour
from gamelib.games.lines import directions, has_line

SLICE = 1 << 16  # nodes between two looks at `stop`: 0.01 s
ALONE = 4  # slices, before other workers are called to help
LOG_FAR = 17, 21  # lines of the table for positions of many cells left, small and large boards


class Board:
    """One size of board, and the tables of all that has been learnt of its positions."""

    def __init__(self, rows: int, cols: int, k: int) -> None:
        self.rows, self.cols, self.k, self.stride = rows, cols, k, rows + 1
        self.cells = rows * cols
        self.bottom = sum(1 << c * self.stride for c in range(cols))
        self.column = (1 << rows) - 1
        self.all = self.bottom * self.column
        self.weights = np.array([self.lines_through(1 << bit) for bit in range(64)])
        self.near = np.zeros(2 << four.LOG_NEAR, np.int64)
        self.far = np.zeros(2 << min(max(LOG_FAR[0], self.cells // 2), LOG_FAR[1]), np.int64)
        self.spare = threading.local()  # what a search works in, one for each thread

    def lines_through(self, cell: int) -> int:
        """Return how many lines of the board contain a cell."""
        starts = [
            (cell >> i * step, step) for step in directions(self.stride) for i in range(self.k)
        ]
        lines = [sum(start << i * step for i in range(self.k)) for start, step in starts if start]
        return sum(line & ~self.all == 0 and line & cell > 0 for line in lines)

    def work(self, near: Array, busy: Array) -> four.Work:
        """Return what a search in one thread works in."""
        stack = np.zeros((four.END + 2, max(self.cells + 3, self.cols)), np.int64)
        middle = sorted(range(self.cols), key=lambda c: abs(2 * c - self.cols + 1))
        stack[four.COLUMNS, : self.cols] = [self.column << c * self.stride for c in middle]
        moves = np.zeros((four.RANK + 1, (self.cells + 3) * self.cols), np.int64)
        registers = np.zeros(four.ASKED + 1, np.int64)
        return four.Work(stack, moves, near, self.far, busy, self.weights, registers)

    def alone(self) -> four.Work:
        """Return what a search works in that this thread does alone."""
        if not hasattr(self.spare, "work"):
            self.spare.work = self.work(self.near, np.zeros(0, np.int64))
        return self.spare.work

    def forget(self) -> None:
        """Forget all that has been learnt."""
        self.near[:] = self.far[:] = 0


board_of = cache(Board)  # one for each size, for the whole process


class FourProver:
    """What `solve` asks of Connect Four, see `Prover`."""

    def __init__(self, state: ConnectFour, look: Callable[[], None], workers: int = 1) -> None:
        self.board, self.look = board_of(state.rows, state.cols, state.k), look
        self.mine = state.stones(state.current_player)
        self.taken = self.mine | state.stones(1 - state.current_player)
        self.limit, self.work = self.board.cells, self.board.alone()
        self.workers, self.crew = workers, list[four.Work]()
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
        question = mine, taken, least, most, self.board.rows, self.board.cols, self.board.k
        slices, begin = 0, True
        before = int(self.work.registers[four.NODES])
        try:
            while not four.score(self.work, begin, *question, SLICE):
                begin, slices = False, slices + 1
                self.look()
                if slices == ALONE and self.workers > 1:
                    return self.score_together(*question)
        finally:  # a search that is stopped has visited them, too
            self.nodes += int(self.work.registers[four.NODES]) - before
        return int(self.work.registers[four.LEAST])

    def score_together(self, *question: int) -> int:
        """Return what `score` does, by several threads: the answer of the first that has one."""
        if not self.crew:
            busy = np.zeros(1 << four.LOG_BUSY, np.int64)
            for _ in range(self.workers):
                near = np.zeros_like(self.board.near)
                self.crew.append(self.board.work(near, busy))
        over, answers = threading.Event(), list[int]()

        def search(work: four.Work, look: Callable[[], None]) -> None:
            begin = True
            while not over.is_set():
                if four.score(work, begin, *question, SLICE):
                    answers.append(int(work.registers[four.LEAST]))
                    over.set()
                begin = False
                look()

        mine, *others = self.crew
        threads = [
            threading.Thread(target=search, args=(work, lambda: None), daemon=True)
            for work in others
        ]
        try:
            for thread in threads:
                thread.start()
            search(mine, self.look)
        finally:
            over.set()
            for thread in threads:
                if thread.ident:
                    thread.join()
            for work in self.crew:
                self.nodes += int(work.registers[four.NODES])
                work.registers[four.NODES] = 0
        return answers[0]

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
