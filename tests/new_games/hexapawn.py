"""Hexapawn: pawns step ahead and take diagonally, and a player who cannot move loses."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from gamelib.state import GameState, IllegalActionError


@dataclass(frozen=True)
class Hexapawn(GameState):
    """A position of hexapawn.  An action is (from, to), two cells numbered row by row from 0."""

    board: str = "OOO...XXX"  # X goes up
    current_player: int = 0

    num_players = 2
    rows = cols = 3
    examples: ClassVar = {"Hexapawn": {}}

    def legal_actions(self) -> list[tuple[int, int]]:
        """Return the steps of the player to move; none when the game is over."""
        if "X" in self.board[:3] or "O" in self.board[6:]:
            return []
        mine, theirs = ("X", "O") if self.current_player == 0 else ("O", "X")
        ahead = -3 if self.current_player == 0 else 3
        steps = []
        for cell in range(9):
            for side in (-1, 0, 1):
                if self.board[cell] == mine and 0 <= cell % 3 + side < 3:
                    target = cell + ahead + side
                    if self.board[target] == (theirs if side else "."):
                        steps.append((cell, target))
        return steps

    def successor(self, action: tuple[int, int]) -> Self:
        """Return the position after a step."""
        if action not in self.legal_actions():
            raise IllegalActionError(f"play one of {self.legal_actions()}; got {action!r}")
        cells, (origin, target) = list(self.board), action
        cells[origin], cells[target] = ".", cells[origin]
        return replace(self, board="".join(cells), current_player=1 - self.current_player)

    def is_terminal(self) -> bool:
        """Return whether a pawn is on the other side, or the player to move cannot."""
        return not self.legal_actions()

    def utilities(self) -> tuple[int, int]:
        """Return +1 for the player who moved last, -1 for the other."""
        if not self.is_terminal():
            raise ValueError("the game is not over")
        return (-1, 1) if self.current_player == 0 else (1, -1)

    def cell(self, row: int, col: int) -> int | None:
        """Return the player whose pawn is in a cell, or None."""
        return {"X": 0, "O": 1}.get(self.board[3 * row + col])
