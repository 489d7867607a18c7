"""Domineering, for the type checker: a frozen dataclass whose `rows` and `cols` are fields."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from gamelib.board_layout import Spot, grid
from gamelib.state import GameState, IllegalActionError


@dataclass(frozen=True)
class Domineering(GameState[int]):
    """Players lay dominoes, one upright, one flat; an action is the first of its two cells."""

    rows: int = 4
    cols: int = 4
    covered: frozenset[int] = frozenset()
    current_player: int = 0

    num_players = 2

    def legal_actions(self) -> Sequence[int]:
        """Return the cells where a domino fits, to its right or below."""
        down, right = (1, 0) if self.current_player == 0 else (0, 1)
        cells = [
            row * self.cols + col
            for row in range(self.rows - down)
            for col in range(self.cols - right)
        ]
        return [cell for cell in cells if not self._domino(cell) & self.covered]

    def _domino(self, cell: int) -> frozenset[int]:
        return frozenset({cell, cell + (self.cols if self.current_player == 0 else 1)})

    def successor(self, action: int) -> Self:
        """Return the position after a domino."""
        if type(action) is not int or action not in self.legal_actions():
            raise IllegalActionError(f"play one of {self.legal_actions()}; got {action!r}")
        covered = self.covered | self._domino(action)
        return replace(self, covered=covered, current_player=1 - self.current_player)

    def is_terminal(self) -> bool:
        """Return whether the player to move has no place left."""
        return not self.legal_actions()

    def utilities(self) -> tuple[int, int]:
        """Return +1 for the player who moved last, -1 for the other."""
        if not self.is_terminal():
            raise ValueError("the game is not over")
        return (-1, 1) if self.current_player == 0 else (1, -1)

    def cell(self, row: int, col: int) -> int | None:
        """Return whose domino covers a cell: nobody asks which."""
        return 0 if row * self.cols + col in self.covered else None

    def spots(self) -> list[Spot]:
        """Return a square for every cell."""
        return grid(self)
