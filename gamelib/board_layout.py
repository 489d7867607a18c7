"""A position as spots: what its picture, the board to click on and a screen reader need of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

MARKS = "XOABCD"  # what stands on a board for player 0, 1, ...
Shape = Literal["square", "disc", "stone", "line", "label"]


@dataclass(frozen=True)
class Spot:
    """A place of a board and what stands there.  The unit is a cell; x goes right, y goes down.

    Several spots may play one action, like the cells of a column in Connect Four.  What is known of
    the action is then written on the last of them that is empty.
    """

    x: float
    y: float
    name: str  # of the place, and of the action: "cell 4"
    action: Any = None  # what a click plays, where it is legal; None: nothing is ever played here
    owner: int | None = None  # the player who stands here
    shape: Shape = "square"
    text: str = ""  # what a label says; on other spots, what is written where nobody stands
    title: str = ""  # what a screen reader says; without it, the name and what stands here
    width: float = 1
    height: float = 1
    taken: bool = False  # not empty, though nobody owns it: a line that is drawn
    won: bool = False  # part of what won the game
    number: int = 0  # of the piece that stands here, if it has one

    @property
    def empty(self) -> bool:
        """Whether nothing stands here."""
        return self.owner is None and not self.taken

    @property
    def content(self) -> str:
        """What stands here: a player's mark, with the piece's number, "empty" or "taken"."""
        if self.owner is None:
            return "taken" if self.taken else "empty"
        return f"{MARKS[self.owner]}{self.number or ''}"

    @property
    def in_words(self) -> str:
        """What a screen reader says of it."""
        return self.title or f"{self.name}, {self.content}"


@runtime_checkable
class Grid(Protocol):
    """A board of cells; row 0 is on top."""

    # Nobody sets them: so they may be fields of a frozen dataclass.
    @property
    def rows(self) -> int:
        """Return how many rows there are."""

    @property
    def cols(self) -> int:
        """Return how many columns there are."""

    def cell(self, row: int, col: int) -> int | None:
        """Return the player who holds a cell, or None."""


def grid(board: Grid, won: Collection[Any] = ()) -> list[Spot]:
    """Return a square for every cell; its action is its number, row by row from 0.

    `won` names the cells of a winning line, each by its number or as (row, column).
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
    """Return the spot on which each action is marked: the last empty one that plays it."""
    found: dict[Any, Spot] = {}
    for spot in spots:
        if spot.action is not None and (spot.empty or spot.action not in found):
            found[spot.action] = spot
    return found


def last_action_spot(spots: Iterable[Spot], last: Any) -> Spot | None:
    """Return where the last action was played: the first spot of it where something stands."""
    played_there = (s for s in spots if s.action is not None and s.action == last and not s.empty)
    return next(played_there, None)
