"""Tic-tac-toe on a list of nine cells, as many learners write it; O takes the largest value."""

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def winner(board):
    for a, b, c in LINES:
        if board[a] != "." and board[a] == board[b] == board[c]:
            return board[a]
    return None


def max_twice(board, x_moves):
    if winner(board):
        return 1 if winner(board) == "X" else -1
    if "." not in board:
        return 0
    best = -2
    for cell in range(9):
        if board[cell] == ".":
            board[cell] = "X" if x_moves else "O"
            best = max(best, max_twice(board, not x_moves))
            board[cell] = "."
    return best
