"""Programs over boards of their own, as learners write them; half of them are wrong.

`table()` has for each its arguments, the game to name (or None), whether it is right, and what is
expected of the record: the number of nodes, the players and the answer.
"""

import itertools
from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def won(b: Any, p: Any) -> bool:
    return any(all(b[i] == p for i in line) for line in LINES)


# --- tic-tac-toe ---


def list_flag(board, depth, is_max):
    if won(board, "X"):
        return 10 - depth
    if won(board, "O"):
        return depth - 10
    if "" not in board:
        return 0
    best = -99 if is_max else 99
    for i in range(9):
        if board[i] == "":
            board[i] = "X" if is_max else "O"
            v = list_flag(board, depth + 1, not is_max)
            board[i] = ""
            best = max(best, v) if is_max else min(best, v)
    return best


def list_plain(board, is_max):
    if won(board, "X"):
        return 1
    if won(board, "O"):
        return -1
    if "" not in board:
        return 0
    best = -inf if is_max else inf
    for i in range(9):
        if board[i] == "":
            board[i] = "X" if is_max else "O"
            v = list_plain(board, not is_max)
            board[i] = ""
            best = max(best, v) if is_max else min(best, v)
    return best


def no_undo(board, is_max):
    if won(board, "X"):
        return 1
    if won(board, "O"):
        return -1
    if "" not in board:
        return 0
    best = -99 if is_max else 99
    for i in range(9):
        if board[i] == "":
            board[i] = "X" if is_max else "O"
            v = no_undo(board, not is_max)
            best = max(best, v) if is_max else min(best, v)
    return best


def never_toggled(board, is_max):
    if won(board, "X"):
        return 1
    if won(board, "O"):
        return -1
    if "" not in board:
        return 0
    best = -99 if is_max else 99
    for i in range(9):
        if board[i] == "":
            board[i] = "X" if is_max else "O"
            v = never_toggled(board, is_max)
            board[i] = ""
            best = max(best, v) if is_max else min(best, v)
    return best


def early_return(board, is_max):
    if won(board, "X"):
        return 1
    if won(board, "O"):
        return -1
    if "" not in board:
        return 0
    best = -99 if is_max else 99
    for i in range(9):
        if board[i] == "":
            board[i] = "X" if is_max else "O"
            v = early_return(board, not is_max)
            board[i] = ""
            best = max(best, v) if is_max else min(best, v)
            return best
    return best


def last_cell_left_out(board, is_max):
    if won(board, "X"):
        return 1
    if won(board, "O"):
        return -1
    if "" not in board:
        return 0
    best = -99 if is_max else 99
    for i in range(8):
        if board[i] == "":
            board[i] = "X" if is_max else "O"
            v = last_cell_left_out(board, not is_max)
            board[i] = ""
            best = max(best, v) if is_max else min(best, v)
    return best


def draws_first(board, is_max):
    if "" not in board:
        return 0
    if won(board, "X"):
        return 1
    if won(board, "O"):
        return -1
    best = -99 if is_max else 99
    for i in range(9):
        if board[i] == "":
            board[i] = "X" if is_max else "O"
            v = draws_first(board, not is_max)
            board[i] = ""
            best = max(best, v) if is_max else min(best, v)
    return best


class Game:
    """A class with a board of lists in a list, and negamax with tuples."""

    def __init__(self, sign: int = -1) -> None:
        self.board = [["X", "O", "X"], ["O", " ", " "], [" ", " ", " "]]
        self.sign = sign

    def win(self, p):
        return won([c for r in self.board for c in r], p)

    def negamax(self, player):
        other = "O" if player == "X" else "X"
        if self.win(other):
            return -1, None
        if all(c != " " for r in self.board for c in r):
            return 0, None
        best = (-2, None)
        for r in range(3):
            for c in range(3):
                if self.board[r][c] == " ":
                    self.board[r][c] = player
                    v = self.sign * self.negamax(other)[0]
                    self.board[r][c] = " "
                    if v > best[0]:
                        best = (v, (r, c))
        return best


class Board:
    """A class with make and undo."""

    def __init__(self, cells):
        self.cells, self.mover = list(cells), 1

    def moves(self):
        return [i for i, c in enumerate(self.cells) if c == 0]

    def make(self, i):
        self.cells[i], self.mover = self.mover, -self.mover

    def undo(self, i):
        self.cells[i], self.mover = 0, -self.mover


def made_and_undone(board):
    if won(board.cells, -board.mover):
        return -1
    if not board.moves():
        return 0
    best = -2
    for i in board.moves():
        board.make(i)
        best = max(best, -made_and_undone(board))
        board.undo(i)
    return best


def sign_forgotten(board):
    if won(board.cells, -board.mover):
        return -1
    if not board.moves():
        return 0
    best = -2
    for i in board.moves():
        board.make(i)
        best = max(best, sign_forgotten(board))
        board.undo(i)
    return best


def max_value(b):
    if won(b, 1):
        return 1
    if won(b, -1):
        return -1
    free = [i for i, c in enumerate(b) if c == 0]
    return max((min_value(put(b, f, 1)) for f in free), default=0)


def min_value(b):
    if won(b, 1):
        return 1
    if won(b, -1):
        return -1
    free = [i for i, c in enumerate(b) if c == 0]
    return min((max_value(put(b, f, -1)) for f in free), default=0)


def put(b, f, p):
    c = list(b)
    c[f] = p
    return tuple(c)


def max_twice(b):
    if won(b, 1):
        return 1
    if won(b, -1):
        return -1
    free = [i for i, c in enumerate(b) if c == 0]
    return max((max_once(put(b, f, 1)) for f in free), default=0)


def max_once(b):
    if won(b, 1):
        return 1
    if won(b, -1):
        return -1
    free = [i for i, c in enumerate(b) if c == 0]
    return max((max_twice(put(b, f, -1)) for f in free), default=0)


CELLS: list[Any] = []


def on_a_global(player):
    if won(CELLS, "X"):
        return {"score": 1}
    if won(CELLS, "O"):
        return {"score": -1}
    free = [i for i in range(9) if CELLS[i] not in "XO"]
    if not free:
        return {"score": 0}
    out = []
    for i in free:
        keep, CELLS[i] = CELLS[i], player
        out.append({"score": on_a_global("O" if player == "X" else "X")["score"], "cell": i})
        CELLS[i] = keep
    return (max if player == "X" else min)(out, key=lambda d: d["score"])


def max_for_both(player):
    if won(CELLS, "X"):
        return {"score": 1}
    if won(CELLS, "O"):
        return {"score": -1}
    free = [i for i in range(9) if CELLS[i] not in "XO"]
    if not free:
        return {"score": 0}
    out = []
    for i in free:
        keep, CELLS[i] = CELLS[i], player
        out.append({"score": max_for_both("O" if player == "X" else "X")["score"], "cell": i})
        CELLS[i] = keep
    return max(out, key=lambda d: d["score"])


def text_board(board, player):
    if won(board, "X"):
        return 1
    if won(board, "O"):
        return -1
    if "." not in board:
        return 0
    after = [board[:i] + player + board[i + 1 :] for i in range(9) if board[i] == "."]
    values = [text_board(b, "O" if player == "X" else "X") for b in after]
    return max(values) if player == "X" else min(values)


def text_both_min(board, player):
    if won(board, "X"):
        return 1
    if won(board, "O"):
        return -1
    if "." not in board:
        return 0
    after = [board[:i] + player + board[i + 1 :] for i in range(9) if board[i] == "."]
    return min(text_both_min(b, "O" if player == "X" else "X") for b in after)


def dict_board(board, player):
    if won(board, "X"):
        return 1
    if won(board, "O"):
        return -1
    free = [k for k, mark in board.items() if mark == " "]
    if not free:
        return 0
    values = []
    for k in free:
        after = dict(board)
        after[k] = player
        values.append(dict_board(after, "O" if player == "X" else "X"))
    return max(values) if player == "X" else min(values)


def windows(board, a, b, is_max):
    if won(board, "X"):
        return 1
    if won(board, "O"):
        return -1
    if "" not in board:
        return 0
    for i in range(9):
        if board[i] == "":
            board[i] = "X" if is_max else "O"
            v = windows(board, a, b, not is_max)
            board[i] = ""
            if is_max:
                a = max(a, v)
            else:
                b = min(b, v)
            if b <= a:
                break
    return a if is_max else b


def windows_reversed(board, a, b, is_max):
    if won(board, "X"):
        return 1
    if won(board, "O"):
        return -1
    if "" not in board:
        return 0
    for i in range(9):
        if board[i] == "":
            board[i] = "X" if is_max else "O"
            v = windows_reversed(board, a, b, not is_max)
            board[i] = ""
            if is_max:
                a = max(a, v)
            else:
                b = min(b, v)
            if a <= b:
                break
    return a if is_max else b


# --- Nim ---


def nim(heaps, maximizing):
    if not any(heaps):
        return -1 if maximizing else 1
    values = []
    for i, heap in enumerate(heaps):
        for take in range(1, heap + 1):
            after = [*heaps[:i], heap - take, *heaps[i + 1 :]]
            values.append(nim(after, not maximizing))
    return max(values) if maximizing else min(values)


def nim_negamax(heaps):
    if not any(heaps):
        return -1
    return max(
        -nim_negamax([*heaps[:i], heap - take, *heaps[i + 1 :]])
        for i, heap in enumerate(heaps)
        for take in range(1, heap + 1)
    )


def nim_end_wrong(heaps, maximizing):
    if not any(heaps):
        return 1
    values = []
    for i, heap in enumerate(heaps):
        for take in range(1, heap + 1):
            after = [*heaps[:i], heap - take, *heaps[i + 1 :]]
            values.append(nim_end_wrong(after, not maximizing))
    return max(values) if maximizing else min(values)


def nim_one_taken(heaps, maximizing):
    if not any(heaps):
        return -1 if maximizing else 1
    values = []
    for i, heap in enumerate(heaps):
        for take in range(1, min(heap, 1) + 1):
            after = [*heaps[:i], heap - take, *heaps[i + 1 :]]
            values.append(nim_one_taken(after, not maximizing))
    return max(values) if maximizing else min(values)


def nim_wins(heaps):
    if not any(heaps):
        return False
    for i, heap in enumerate(heaps):
        for take in range(1, heap + 1):
            if not nim_wins((*heaps[:i], heap - take, *heaps[i + 1 :])):
                return True
    return False


def nim_wins_wrong(heaps):
    if not any(heaps):
        return True
    for i, heap in enumerate(heaps):
        for take in range(1, heap + 1):
            if not nim_wins_wrong((*heaps[:i], heap - take, *heaps[i + 1 :])):
                return True
    return False


# --- trees and arrays of leaves ---


def nested(tree, is_max):
    if isinstance(tree, int):
        return tree
    values = [nested(child, not is_max) for child in tree]
    return max(values) if is_max else min(values)


def nested_same(tree, is_max):
    if isinstance(tree, int):
        return tree
    values = [nested_same(child, is_max) for child in tree]
    return max(values) if is_max else min(values)


def nested_windows(tree, is_max, alpha, beta):
    if isinstance(tree, int):
        return tree
    best = -inf if is_max else inf
    for child in tree:
        v = nested_windows(child, not is_max, alpha, beta)
        if is_max:
            best = max(best, v)
            alpha = max(alpha, best)
        else:
            best = min(best, v)
            beta = min(beta, best)
        if beta <= alpha:
            break
    return best


def nested_cut_wrong(tree, is_max, alpha, beta):
    if isinstance(tree, int):
        return tree
    best = -inf if is_max else inf
    for child in tree:
        v = nested_cut_wrong(child, not is_max, alpha, beta)
        if is_max:
            best = max(best, v)
            alpha = max(alpha, best)
        else:
            best = min(best, v)
            beta = min(beta, best)
        if beta <= best:
            break
    return best


def leaves(depth, index, is_max, scores, height):
    if depth == height:
        return scores[index]
    left = leaves(depth + 1, index * 2, not is_max, scores, height)
    right = leaves(depth + 1, index * 2 + 1, not is_max, scores, height)
    return max(left, right) if is_max else min(left, right)


def leaves_wrong(depth, index, is_max, scores, height):
    if depth == height:
        return scores[index]
    left = leaves_wrong(depth + 1, index * 2, not is_max, scores, height)
    right = leaves_wrong(depth + 1, index * 2, not is_max, scores, height)
    return max(left, right) if is_max else min(left, right)


class TreeNode:
    def __init__(self, value=None, children=()):
        self.value, self.children = value, children


def own_nodes(node, is_max):
    if not node.children:
        return node.value
    values = [own_nodes(child, not is_max) for child in node.children]
    return max(values) if is_max else min(values)


# --- Connect Four, 4x4 ---


def four_won(board, player):
    for r, c, (dr, dc) in itertools.product(range(4), range(4), ((0, 1), (1, 0), (1, 1), (1, -1))):
        cells = [(r + dr * i, c + dc * i) for i in range(4)]
        if all(0 <= y < 4 and 0 <= x < 4 and board[y][x] == player for y, x in cells):
            return True
    return False


def four(board, player, depth):
    if four_won(board, 3 - player):
        return -1
    if depth == 0 or all(board[0]):
        return 0
    best = -2
    for col in range(4):
        row = max((r for r in range(4) if not board[r][col]), default=None)
        if row is not None:
            board[row][col] = player
            best = max(best, -four(board, 3 - player, depth - 1))
            board[row][col] = 0
    return best


def four_sign(board, player, depth):
    if four_won(board, 3 - player):
        return 1
    if depth == 0 or all(board[0]):
        return 0
    best = -2
    for col in range(4):
        row = max((r for r in range(4) if not board[r][col]), default=None)
        if row is not None:
            board[row][col] = player
            best = max(best, -four_sign(board, 3 - player, depth - 1))
            board[row][col] = 0
    return best


class Case(NamedTuple):
    program: Callable[..., Any]
    arguments: tuple[Any, ...]
    right: bool = True
    game: str = ""


def start() -> list[str]:
    return [*"XOXOX", "", "", "", ""]


def late_four() -> list[list[int]]:
    return [[0, 0, 0, 0], [1, 2, 0, 0], [2, 1, 2, 1], [1, 2, 1, 2]]


def numpy_like() -> Any:
    import numpy as np

    return np.array([1, -1, 1, -1, 0, 0, 0, 0, 0])


GLOBAL = ["X", "O", "X", "O", "5", "6", "7", "8", "9"]


def table() -> dict[str, Case]:
    """Return all programs with fresh boards."""
    CELLS[:] = GLOBAL
    wide, tree = "XO.X..O..", [[3, 12, 8], [2, 4, 6], [14, 5, 2]]
    scores, squares = [3, 5, 2, 9, 12, 5, 23, 20], dict(enumerate("XOXOX    "))
    own = TreeNode(children=[TreeNode(children=[TreeNode(v) for v in row]) for row in tree])
    middle = (1, -1, 1, -1, 1, -1, 0, 0, 0)
    return {
        "list, flag, depth in the value": Case(list_flag, (start(), 0, False)),
        "list, flag": Case(list_plain, (start(), False)),
        "list, no undo": Case(no_undo, (start(), False), False),
        "list, flag never toggled": Case(never_toggled, (start(), False), False),
        "list, returns in the loop": Case(early_return, (start(), False), False),
        "list, last cell left out": Case(last_cell_left_out, (start(), False), False),
        "list, draw looked for first": Case(draws_first, ([*"XOXOXOOX", ""], True), False),
        "class, lists in a list": Case(Game().negamax, ("X",)),
        "class, sign forgotten": Case(Game(1).negamax, ("X",), False),
        "class, make and undo": Case(made_and_undone, (Board([1, -1, 1, -1, 0, 0, 0, 0, 0]),)),
        "class, make, no sign": Case(
            sign_forgotten, (Board([1, -1, 1, -1, 0, 0, 0, 0, 0]),), False
        ),
        "tuple, two functions": Case(max_value, (middle,)),
        "tuple, max twice": Case(max_twice, ((1, -1, 1, -1, 0, 0, 0, 0, 0),), False),
        "numpy, two functions": Case(max_value, (numpy_like(),)),
        "numpy, max twice": Case(max_twice, (numpy_like(),), False),
        "global, dicts returned": Case(on_a_global, ("X",)),
        "global, max for both": Case(max_for_both, ("X",), False),
        "text": Case(text_board, (wide, "X")),
        "text, min for both": Case(text_both_min, (wide, "X"), False),
        "dict": Case(dict_board, (squares, "O")),
        "list, alpha-beta": Case(windows, (start(), -9, 9, False)),
        "list, alpha-beta reversed": Case(windows_reversed, (start(), -9, 9, False), False),
        "heaps, flag": Case(nim, ([1, 2, 2], True)),
        "heaps, negamax": Case(nim_negamax, ([2, 2],)),
        "heaps, end wrong": Case(nim_end_wrong, ([1, 2], True), False),
        "heaps, takes one only": Case(nim_one_taken, ([2, 2, 1], True), False),
        "heaps, True or False": Case(nim_wins, ((1, 2, 2),)),
        "heaps, True at the end": Case(nim_wins_wrong, ((1, 2),), False),
        "nested lists": Case(nested, (tree, True)),
        "nested lists, min on top": Case(nested, (tree, False)),
        "nested lists, flag the same": Case(nested_same, (tree, True), False),
        "nested lists, alpha-beta": Case(nested_windows, (tree, True, -inf, inf)),
        "nested lists, cut wrong": Case(nested_cut_wrong, (tree, True, -inf, inf), False),
        "array of leaves": Case(leaves, (0, 0, True, scores, 3)),
        "array of leaves, one side": Case(leaves_wrong, (0, 0, True, scores, 3), False),
        "own tree nodes": Case(own_nodes, (own, True)),
        "4x4, negamax": Case(four, (late_four(), 1, 4), True, "ConnectFour"),
        "4x4, sign at the end": Case(four_sign, (late_four(), 1, 4), False, "ConnectFour"),
        "4x4, rules not named": Case(four, (late_four(), 1, 4)),
        "4x4, sign, rules not named": Case(four_sign, (late_four(), 1, 4), False),
    }
