"""EinStein würfelt nicht!, a dice game by Ingo Althöfer (2004), on small boards of any size."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, ClassVar, Self

from gamelib.board_layout import Spot
from gamelib.games.board_text import board_lines, check_size
from gamelib.state import CHANCE, GameState

Cells = tuple[int, ...]


class EinStein(GameState):
    """A position.  X starts in the upper left and goes right, down or both; O goes the other way.

    The player to move rolls a die with a face for each piece and moves the piece of that number.
    If it has been taken, the player moves the piece with the next higher or next lower number.  A
    step may take any piece, even one of the player's own.  A player who takes the opponent's last
    piece, or reaches the far corner, wins.

    At a chance node an action is the number rolled, from 1.  Otherwise it is (from, to), two cells,
    numbered row by row from 0.  Pieces only move ahead, so no position comes again.
    """

    # _cells has 0 for an empty cell, n for piece n of X, -n for piece n of O.
    __slots__ = ("_cells", "current_player", "die", "mover", "size", "stones", "winner")
    num_players = 2
    marks = "XO"
    examples: ClassVar = {
        "EinStein 3 x 3": {"size": 3, "stones": 3},
        "EinStein 4 x 4": {"size": 4, "stones": 3},
        "EinStein 5 x 5": {},
    }
    _cells: Cells
    current_player: int
    mover: int  # the player who rolls, or has rolled
    die: int  # the number rolled; 0 before the roll
    winner: int | None

    def __init__(self, size: int = 5, stones: int = 6) -> None:
        self.size = check_size("size", size, 2, 9)
        self.stones = check_size("stones", stones, 1, size * size // 2)
        corner = sorted(range(size * size), key=lambda cell: (sum(divmod(cell, size)), cell))
        cells = [0] * (size * size)
        for number, cell in enumerate(corner[:stones], start=1):
            cells[cell], cells[-1 - cell] = number, -number
        self._set_up(tuple(cells), mover=0, die=0)

    def _set_up(self, cells: Cells, mover: int, die: int) -> None:
        self._cells, self.mover, self.die = cells, mover, die
        x_won, o_won = cells[-1] > 0 or min(cells) == 0, cells[0] < 0 or max(cells) == 0
        if x_won and o_won:
            raise ValueError(f"both players have won, or there is no stone:\n{self}")
        self.winner = 0 if x_won else 1 if o_won else None
        self.current_player = mover if die or x_won or o_won else CHANCE

    def legal_actions(self) -> tuple[Any, ...]:
        """Return the possible rolls or, after a roll, the steps; none when the game is over."""
        if self.winner is not None:
            return ()
        if not self.die:
            return tuple(range(1, self.stones + 1))
        return _legal_steps(self._cells, self.size, self.mover, self.die)

    def chance_outcomes(self) -> tuple[tuple[int, Fraction], ...]:
        """Return the faces of the die, which all have the same probability."""
        return _faces(self.stones)

    def successor(self, action: Any) -> Self:
        """Return the position after a roll or a step."""
        if action not in self.legal_actions() or not _is_int_action(action):
            return self._retry_with_python_action(
                action, "(from, to), two cells" if self.die else "a roll, because chance moves"
            )
        child = object.__new__(type(self))
        child.size, child.stones = self.size, self.stones
        if not self.die:
            child._cells, child.mover, child.die = self._cells, self.mover, action
            child.winner, child.current_player = None, self.mover
            return child
        cells, (start, end) = list(self._cells), action
        cells[start], cells[end] = 0, cells[start]
        child._set_up(tuple(cells), 1 - self.mover, 0)
        return child

    def is_terminal(self) -> bool:
        """Return whether a player has reached the far corner or lost the last piece."""
        return self.winner is not None

    def utilities(self) -> tuple[int, int]:
        """Return +1 for the winner and -1 for the other."""
        if self.winner is None:
            raise ValueError(f"the game is not over, so nobody has a payoff yet:\n{self}")
        return (1, -1) if self.winner == 0 else (-1, 1)

    def spots(self) -> list[Spot]:
        """Return a square for each cell; it plays the only step that ends there, if any."""
        steps = self.legal_actions() if self.die else ()
        ends, goals = [to for _, to in steps], {len(self._cells) - 1: 0, 0: 1}
        spots = []
        for cell, stone in enumerate(self._cells):
            row, col = divmod(cell, self.size)
            action = steps[ends.index(cell)] if ends.count(cell) == 1 else None
            owner = None if stone == 0 else int(stone < 0)
            won = owner is not None and owner == self.winner == goals.get(cell)
            place = (col, row, f"cell {cell}", action, owner)
            spots.append(Spot(*place, text=str(cell), number=abs(stone), won=won))
        die = f"die: {self.die or '?'}"
        return [*spots, Spot(0, self.size, die, shape="label", text=die, height=0.25)]

    def action_name(self, action: Any) -> str:
        """Return the name of a roll, such as "roll 3", or of a step, such as "X2 to cell 5"."""
        if not self.die:
            return f"roll {action}"
        return f"{_name(self._cells[action[0]])} to cell {action[1]}"

    def status(self) -> str:
        """Return whose turn it is and the number rolled, or who won."""
        name = self.marks[self.mover]
        if self.winner is not None:
            return super().status()
        return f"{name} to move, rolled {self.die}" if self.die else f"{name} rolls the die"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EinStein):
            return NotImplemented
        return (self._cells, self.mover, self.die, self.stones) == (
            other._cells, other.mover, other.die, other.stones
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash((self._cells, self.mover, self.die))

    def __str__(self) -> str:
        names = list(map(_name, self._cells))
        rows = (names[start : start + self.size] for start in range(0, len(names), self.size))
        return "\n".join(" ".join(f"{name:2}" for name in row).rstrip() for row in rows)

    def __repr__(self) -> str:
        board = " / ".join(" ".join(row.split()) for row in str(self).split("\n"))
        return f"EinStein({board}, {self.status()})"

    @classmethod
    def parse(cls, text: str, *, mover: int = 0, die: int = 0, stones: int | None = None) -> Self:
        """Return the position that `text` shows, like "X1 . . / . O2 . / . . O1".

        mover   the player who rolls, or has rolled
        die     the number rolled; 0 before the roll
        stones  the number of faces of the die; without it, the highest number on the board
        """
        if not isinstance(text, str):
            raise TypeError(f'a board is text like "X1 . . / . O2 . / . . O1"; got {text!r}')
        rows = [row.split() for row in board_lines(text)]
        names = [name for row in rows for name in row]
        if any(len(row) != len(rows) for row in rows) or not all(
            re.fullmatch(_STONE, name) for name in names
        ):
            raise ValueError(f"a board is a square of '.', X1, O1, X2, ...; got {rows}")
        cells = tuple(_number(name) for name in names)
        pieces = [cell for cell in cells if cell]
        if len({*pieces}) != len(pieces):
            raise ValueError(f"a piece is on the board twice: {' '.join(names)}")
        state = object.__new__(cls)
        highest = max(map(abs, pieces), default=1)
        state.size = check_size("size", len(rows), 2, 9)
        state.stones = check_size("stones", highest if stones is None else stones, highest, 40)
        check_size("die", die, 0, state.stones)
        state._set_up(cells, check_size("mover", mover, 0, 1), die)
        return state


def _number(name: str) -> int:
    """Return the number of a cell: 1 for X1, -1 for O1, and 0 for "."."""
    if name == ".":
        return 0
    return int(name[1:]) if name[0] == "X" else -int(name[1:])


_STONE = r"\.|[XO][1-9]\d?"


def _name(stone: int) -> str:
    return "." if stone == 0 else f"{'X' if stone > 0 else 'O'}{abs(stone)}"


def _is_int_action(action: Any) -> bool:
    """Return whether an action consists of ints; True and 1.0 equal 1 but are not actions."""
    parts = action if type(action) is tuple else (action,)
    return all(type(part) is int for part in parts)


# The search, `successor` and the check of an agent ask for the steps of the same position.
@lru_cache(maxsize=2048)
def _legal_steps(cells: Cells, size: int, mover: int, die: int) -> tuple[tuple[int, int], ...]:
    reach = _steps(size)[mover]
    return tuple((cell, to) for cell in _movable_cells(cells, mover, die) for to in reach[cell])


def _movable_cells(cells: Cells, mover: int, die: int) -> list[int]:
    """Return the cells of the pieces that may move, lowest cell first."""
    sign = 1 if mover == 0 else -1
    cell_of = {sign * stone: cell for cell, stone in enumerate(cells) if sign * stone > 0}
    if die in cell_of:
        return [cell_of[die]]
    lower = [number for number in cell_of if number < die]
    higher = [number for number in cell_of if number > die]
    nearest = [*([max(lower)] if lower else []), *([min(higher)] if higher else [])]
    return sorted(cell_of[number] for number in nearest)


@cache
def _faces(count: int) -> tuple[tuple[int, Fraction], ...]:
    return tuple((face, Fraction(1, count)) for face in range(1, count + 1))


@cache
def _steps(size: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return for each player and cell the cells to which a piece can go, lowest first."""
    reach = [
        [
            tuple(sorted(
                to_row * size + to_col
                for to_row, to_col in ((row + way, col), (row, col + way), (row + way, col + way))
                if 0 <= to_row < size and 0 <= to_col < size
            ))
            for row in range(size)
            for col in range(size)
        ]
        for way in (1, -1)
    ]  # fmt: skip
    return tuple(map(tuple, reach))
