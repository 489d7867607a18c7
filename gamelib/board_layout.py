"""The spots of a board, from which its picture, its clickable board and its description come."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

MARKS = "XOABCD"  # the marks of player 0, 1, ... on a board
Shape = Literal["square", "disc", "stone", "line", "label"]


@dataclass(frozen=True)
class Spot:
    """A place of a board and the piece on it.  The unit is a cell; x goes right, y goes down.

    Several spots may play the same action, like the cells of a column in Connect Four.  Facts about
    the action are then written on the last empty one of them.
    """

    x: float
    y: float
    name: str  # of the place and of its action, such as "cell 4"
    action: Any = None  # the action of a click, if it is legal; None if a click never plays
    owner: int | None = None  # the player whose piece is here
    shape: Shape = "square"
    text: str = ""  # the text of a label; on any other spot, shown while it has no owner
    title: str = ""  # the text for screen readers; by default the name and the content
    width: float = 1
    height: float = 1
    taken: bool = False  # not empty although it has no owner, like a line that has been drawn
    won: bool = False  # part of the pieces that won the game
    number: int = 0  # of the piece here, if it has one

    @property
    def empty(self) -> bool:
        """Whether there is no piece here."""
        return self.owner is None and not self.taken

    @property
    def content(self) -> str:
        """The owner's mark with the number of the piece; or "empty" or "taken"."""
        if self.owner is None:
            return "taken" if self.taken else "empty"
        return f"{MARKS[self.owner]}{self.number or ''}"

    @property
    def in_words(self) -> str:
        """The text for screen readers."""
        return self.title or f"{self.name}, {self.content}"


@runtime_checkable
class Grid(Protocol):
    """A board of cells, whose row 0 is at the top."""

    # The properties are read-only, so that fields of a frozen dataclass match them.
    @property
    def rows(self) -> int:
        """Return the number of rows."""

    @property
    def cols(self) -> int:
        """Return the number of columns."""

    def cell(self, row: int, col: int) -> int | None:
        """Return the player whose piece is in a cell, or None."""


def grid(board: Grid, won: Collection[Any] = ()) -> list[Spot]:
    """Return a square for every cell; its action is the number of the cell, row by row from 0.

    `won` contains the cells of a winning line, each as its number or as (row, column).
    """
    spots = []
    for number in range(board.rows * board.cols):
        row, col = divmod(number, board.cols)
        owner, is_won = board.cell(row, col), number in won or (row, col) in won
        content = "empty" if owner is None else MARKS[owner]
        title = f"cell {number}, row {row + 1}, column {col + 1}, {content}"
        cell = (col, row, f"cell {number}", number, owner)
        spots.append(Spot(*cell, text=str(number), title=title, won=is_won))
    return spots


def action_spot(spots: Iterable[Spot]) -> dict[Any, Spot]:
    """Return for each action the spot that shows it, which is the last empty one that plays it."""
    spot_of: dict[Any, Spot] = {}
    for spot in spots:
        if spot.action is not None and (spot.empty or spot.action not in spot_of):
            spot_of[spot.action] = spot
    return spot_of


def last_action_spot(spots: Iterable[Spot], last: Any) -> Spot | None:
    """Return the spot where the last action was played, the first of its spots that has a piece."""
    played_there = (s for s in spots if s.action is not None and s.action == last and not s.empty)
    return next(played_there, None)
