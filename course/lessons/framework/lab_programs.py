"""Games for lab 1B: one that obeys the rules of the interface, and variants that break one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self

from gamelib.state import GameState, IllegalActionError

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@dataclass(frozen=True)
class PlainTicTacToe(GameState):
    """Tic-tac-toe on a string of nine cells: short, correct, slower than `TicTacToe`.

    `PlainTicTacToe("XX.OO....")` is a position with X to move.
    """

    cells: Any = "........."
    current_player: int = 0
    num_players = 2
    rows = cols = 3

    def legal_actions(self) -> Sequence[int]:
        """Return the empty cells; none when the game is over."""
        if self.is_terminal():
            return []
        return [cell for cell in range(9) if self.cells[cell] == "."]

    def successor(self, action: int) -> Self:
        """Return the position after the player to move has taken a cell."""
        if type(action) is not int or action not in self.legal_actions():
            raise IllegalActionError(f"take one of {self.legal_actions()}; got {action!r}")
        return self._with_mark(action)

    def _with_mark(self, cell: int) -> Self:
        cells = list(self.cells)
        cells[cell] = "XO"[self.current_player]
        return replace(self, cells="".join(cells), current_player=1 - self.current_player)

    def is_terminal(self) -> bool:
        """Return whether somebody has three in a row or the board is full."""
        return self.has_line("X") or self.has_line("O") or "." not in self.cells

    def utilities(self) -> tuple[int, int]:
        """Return +1 for the player who has three in a row, -1 for the other; 0 in a draw."""
        if not self.is_terminal():
            raise ValueError("the game is not over")
        score = self.has_line("X") - self.has_line("O")
        return score, -score

    def has_line(self, mark: str) -> bool:
        """Return whether a mark has three in a row."""
        return any(all(self.cells[cell] == mark for cell in line) for line in LINES)

    def cell(self, row: int, col: int) -> int | None:
        """Return the player who holds a cell, or None."""
        return {"X": 0, "O": 1}.get(self.cells[3 * row + col])

    def __str__(self) -> str:
        return "\n".join(" ".join(self.cells[row : row + 3]) for row in (0, 3, 6))


class TrustingTicTacToe(PlainTicTacToe):
    """Tic-tac-toe that rejects a number that is not a cell."""

    def successor(self, action: int) -> Self:
        """Return the position after the player to move has taken a cell."""
        if type(action) is not int or action > 8:
            raise IllegalActionError(f"a cell is a number from 0 to 8; got {action!r}")
        return self._with_mark(action)


class HastyTicTacToe(PlainTicTacToe):
    """Tic-tac-toe with payoffs in few lines."""

    def utilities(self) -> tuple[int, int]:
        """Return +1 for the winner, -1 for the other; 0 in a draw."""
        if not self.is_terminal():
            raise ValueError("the game is not over")
        if not self.has_line("X") and not self.has_line("O"):
            return 0, 0
        return (-1, 1) if self.current_player == 0 else (1, -1)


class ThriftyTicTacToe(PlainTicTacToe):
    """Tic-tac-toe that saves memory."""

    def __init__(self, cells: list[str] | None = None, current_player: int = 0) -> None:
        vars(self).update(cells=cells or ["."] * 9, current_player=current_player)

    def successor(self, action: int) -> Self:
        """Return the position after the player to move has taken a cell."""
        if type(action) is not int or action not in self.legal_actions():
            raise IllegalActionError(f"take one of {self.legal_actions()}; got {action!r}")
        self.cells[action] = "XO"[self.current_player]
        return type(self)(self.cells, 1 - self.current_player)

    def __hash__(self) -> int:
        return hash(("".join(self.cells), self.current_player))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({''.join(self.cells)!r})"


class CarefulTicTacToe(ThriftyTicTacToe):
    """Tic-tac-toe that looks like the one that saves memory, and leaves the old board alone."""

    def successor(self, action: int) -> Self:
        """Return the position after the player to move has taken a cell."""
        return ThriftyTicTacToe.successor(
            type(self)(self.cells.copy(), self.current_player), action
        )


@cache
def anonymized(game: type[GameState]) -> Any:
    """Return a game of this module as a class whose name and bases reveal nothing."""
    chain = [part for part in game.__mro__ if part.__module__ == __name__]
    methods = {name: value for part in reversed(chain) for name, value in vars(part).items()}
    for name in ("__dict__", "__weakref__", "__doc__"):
        methods.pop(name, None)
    return type("Game", (GameState,), methods | {"__qualname__": "Game"})


ALIKE = {
    anonymized(game): game.__name__ for game in (PlainTicTacToe, ThriftyTicTacToe, CarefulTicTacToe)
}


@dataclass(frozen=True)
class PoliteConnectFour(GameState):
    """Three in a row wins, on four columns of three cells.

    A column is a string of marks, the lowest first.
    """

    columns: tuple[str, ...] = ("", "", "", "")
    current_player: int = 0
    num_players = 2
    rows, cols = 3, 4

    def legal_actions(self) -> Sequence[int]:
        """Return the columns with room; none when the game is over."""
        if self.is_terminal():
            return []
        return [column for column in range(4) if len(self.columns[column]) < 3]

    def successor(self, action: int) -> Self:
        """Return the position after the player to move has dropped a disc into a column."""
        if type(action) is not int or action > 3:
            raise IllegalActionError(f"a column is a number from 0 to 3; got {action!r}")
        columns = list(self.columns)
        if len(columns[action]) < 3:
            columns[action] += "XO"[self.current_player]
        return replace(self, columns=tuple(columns), current_player=1 - self.current_player)

    def is_terminal(self) -> bool:
        """Return whether somebody has three in a row or the board is full."""
        return self.has_line(0) or self.has_line(1) or all(len(c) == 3 for c in self.columns)

    def utilities(self) -> tuple[int, int]:
        """Return +1 for the player who has three in a row, -1 for the other; 0 in a draw."""
        if not self.is_terminal():
            raise ValueError("the game is not over")
        score = self.has_line(0) - self.has_line(1)
        return score, -score

    def has_line(self, player: int) -> bool:
        """Return whether a player has three in a row, across, down or diagonal."""
        return any(
            all(self.cell(row + i * down, col + i * right) == player for i in range(3))
            for row in range(3)
            for col in range(4)
            for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1))
        )

    def cell(self, row: int, col: int) -> int | None:
        """Return the player who holds a cell, or None; row 0 is on top."""
        if not 0 <= row < 3 or not 0 <= col < 4:
            return None
        mark = self.columns[col][2 - row : 3 - row]
        return "XO".index(mark) if mark else None

    def __str__(self) -> str:
        return "\n".join(
            " ".join({None: ".", 0: "X", 1: "O"}[self.cell(row, col)] for col in range(4))
            for row in range(3)
        )
