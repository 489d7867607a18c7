"""An agent made of a program that takes a plain board: a list, nested lists, or a numpy array."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from gamelib.state import Action, GameState, to_python_action


class BoardAgent:
    """An agent that shows a program the board in its own form and translates its answer back."""

    def __init__(self, program: Callable[..., Any], empty: Any, marks: Sequence[Any]) -> None:
        if not callable(program):
            raise TypeError(f"program must be a function of a board; got {program!r}")
        if not hasattr(empty, "__len__") or isinstance(empty, str | dict) or not len(empty):
            must = "a list, nested lists or an array with every cell empty, such as [0] * 9"
            raise TypeError(f"empty must be {must}; got {empty!r}")
        if len({*marks}) != len(marks):
            raise ValueError(f"marks must differ, one for each player; got {marks!r}")
        self.program, self.empty, self.marks = program, empty, tuple(marks)
        self.__name__ = getattr(program, "__name__", type(program).__name__)

    def board(self, state: GameState) -> Any:
        """Return a new board that shows a position in the program's own form.

        TypeError for a game without rows and columns, ValueError if the board has another size.
        """
        rows, cols = getattr(state, "rows", None), getattr(state, "cols", None)
        if not (type(rows) is int and type(cols) is int and hasattr(state, "cell")):
            raise TypeError(f"state must have `rows`, `cols` and `cell`; got {state!r}")
        if state.num_players > len(self.marks):
            players = f"{state.num_players} players"
            raise ValueError(f"marks must have one for each of {players}; got {self.marks!r}")
        board, is_flat = _copy(self.empty), len(self.empty) == rows * cols
        if not is_flat and (len(board) != rows or any(len(row) != cols for row in board)):
            must = f"{rows} rows of {cols} cells, or {rows * cols} cells"
            raise ValueError(f"empty must have {must}; got {self.empty!r}")
        for number in range(rows * cols):
            row, col = divmod(number, cols)
            player = state.cell(row, col)
            if player is not None:
                line, place = (board, number) if is_flat else (board[row], col)
                line[place] = self.marks[player]
        return tuple(board) if isinstance(self.empty, tuple) and is_flat else board

    def action(self, answer: Any, state: GameState) -> Action:
        """Return the action for an answer: an action, the number of a cell, or (row, column)."""
        answer = to_python_action(answer)
        if isinstance(answer, list | tuple) and len(answer) == 2:
            col, row = reversed([to_python_action(part) for part in answer])
            actions = (spot.action for spot in state.spots() if (spot.x, spot.y) == (col, row))
            return next((action for action in actions if action is not None), tuple(answer))
        return answer

    def __call__(self, state: GameState) -> Action:
        """Return the action that the program chooses."""
        arguments = [self.board(state)]
        if _takes_player(self.program):
            arguments.append(self.marks[state.current_player])
        return self.action(self.program(*arguments), state)

    def __repr__(self) -> str:
        return self.__name__


def board_agent(
    program: Callable[..., Any], empty: Any, marks: Sequence[Any] = ("X", "O")
) -> BoardAgent:
    """Return an agent that plays as `program(board, player)` or `program(board)` chooses.

    empty  an empty board as the program knows it: `[" "] * 9`, a list of lists such as
           `[[0] * 7 for _ in range(6)]`, or `numpy.zeros((6, 7), int)`
    marks  what each player places on it, the first player first: `"XO"`, `(1, -1)`, `(1, 2)`

    `player` is the mark of the player to move.  The program answers with the number of a cell
    (from 0, row by row), with (row, column), or in Connect Four with a column.  Each call gets a
    board of its own, so that the program may write on it.

    >>> from gamelib import TicTacToe, board_agent
    >>> agent = board_agent(lambda board, player: board.index(" "), [" "] * 9, marks="XO")
    >>> agent(TicTacToe().play(0, 1))
    2
    """
    return BoardAgent(program, empty, marks)


def _copy(empty: Any) -> Any:
    """Return a board that shares no row with another one."""
    if hasattr(empty, "tolist"):
        return empty.copy()
    return [list(row) if isinstance(row, list | tuple) else row for row in empty]


def _takes_player(program: Callable[..., Any]) -> bool:
    """Return whether a program accepts the player after the board."""
    try:
        inspect.signature(program).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # some functions that are written in C have no signature
        return True
    return True
