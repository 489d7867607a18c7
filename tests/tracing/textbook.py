"""Positions that many tests look at: trees of the textbook, and a board that X wins with cell 5."""

from gamelib import GameTree, TicTacToe

TREE = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
BINARY = GameTree([[[3, 9], [10, 6]], [[4, 7], [0, 5]]])
THREE = GameTree([[(1, 2, 3), (4, 2, 1)], [(6, 1, 2), (7, 4, -1)]])
HAND = TicTacToe.parse("O.X/XX./OO.")  # X wins with cell 5, draws with 8, loses with 1
