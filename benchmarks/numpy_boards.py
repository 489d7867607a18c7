"""Tic-tac-toe as most courses write it: a board in a numpy array, copied for every move.

Five programs that differ only in how they find a winner, each written as well as its idea allows:
the empty cells are found in one call, the winner once per node, and nothing is computed twice.
"""

from __future__ import annotations

from math import inf

import numpy as np

LINES = np.zeros((8, 9), dtype=int)  # one row for each line: 1 at its three cells
for _row, _cells in enumerate(["012", "345", "678", "036", "147", "258", "048", "246"]):
    LINES[_row, [int(_cell) for _cell in _cells]] = 1


class AnyLine:
    """Ask all rows at once, all columns, both diagonals; players are 1 and -1."""

    def __init__(self, board=None, player=1):
        self.board = np.zeros((3, 3), dtype=int) if board is None else board
        self.player = player

    def actions(self):
        return np.argwhere(self.board == 0)

    def play(self, action):
        board = self.board.copy()
        board[tuple(action)] = self.player
        return type(self)(board, -self.player)

    def winner(self):
        for player in (1, -1):
            held = self.board == player
            if (
                held.all(axis=0).any()
                or held.all(axis=1).any()
                or held.diagonal().all()
                or held[::-1].diagonal().all()
            ):
                return player
        return 0


class LineByLine(AnyLine):
    """Ask each line in turn whether one player holds all of it."""

    def winner(self):
        board = self.board
        for player in (1, -1):
            for i in range(3):
                if np.all(board[i, :] == player) or np.all(board[:, i] == player):
                    return player
            if np.all(np.diag(board) == player) or np.all(np.diag(np.fliplr(board)) == player):
                return player
        return 0


class CellByCell(AnyLine):
    """Compare single cells: the array is only a place to keep nine numbers."""

    def winner(self):
        b = self.board
        for i in range(3):
            if b[i, 0] != 0 and b[i, 0] == b[i, 1] == b[i, 2]:
                return b[i, 0]
            if b[0, i] != 0 and b[0, i] == b[1, i] == b[2, i]:
                return b[0, i]
        middle = b[1, 1]
        if middle != 0 and (b[0, 0] == middle == b[2, 2] or b[0, 2] == middle == b[2, 0]):
            return middle
        return 0


class SumsOfLines(AnyLine):
    """Add up each line; 3 or -3 wins."""

    def winner(self):
        board = self.board
        sums = [*board.sum(axis=0), *board.sum(axis=1), board.trace(), board[::-1].trace()]
        return 1 if 3 in sums else -1 if -3 in sums else 0


class OneProduct(AnyLine):
    """Add up all lines in one product with a matrix, on a flat board: the fastest found."""

    def __init__(self, board=None, player=1):
        super().__init__(np.zeros(9, dtype=int) if board is None else board, player)

    def actions(self):
        return (self.board == 0).nonzero()[0].tolist()

    def play(self, action):
        board = self.board.copy()
        board[action] = self.player
        return type(self)(board, -self.player)

    def winner(self):
        sums = LINES.dot(self.board).tolist()
        return 1 if 3 in sums else -1 if -3 in sums else 0


def minimax(start):
    """Return (value for player 1, nodes) by the shortest minimax that counts its nodes."""
    nodes = 0

    def value(state):
        nonlocal nodes
        nodes += 1
        if winner := state.winner():
            return winner
        best = -inf * state.player
        choose = max if state.player == 1 else min
        for action in state.actions():
            best = choose(best, value(state.play(action)))
        return 0 if abs(best) == inf else best

    return value(start), nodes
