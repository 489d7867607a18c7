"""A game for the type checker whose player to move is a property, not an attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gamelib.state import GameState


@dataclass(frozen=True)
class Sticks(GameState[int]):
    """Take one or two sticks; whoever takes the last one wins."""

    taken: tuple[int, ...] = ()
    num_sticks: int = 7

    num_players = 2

    @property
    def current_player(self) -> int:
        """The players take turns."""
        return len(self.taken) % 2

    def legal_actions(self) -> Sequence[int]:
        """Return the numbers of sticks that can be taken."""
        return range(1, min(2, self.num_sticks - sum(self.taken)) + 1)

    def successor(self, action: int) -> Sticks:
        """Return the position after `action` sticks are taken."""
        return Sticks((*self.taken, action), self.num_sticks)

    def is_terminal(self) -> bool:
        """Return whether no stick is left."""
        return sum(self.taken) == self.num_sticks

    def utilities(self) -> tuple[int, int]:
        """Return +1 for the player who took the last stick, -1 for the other."""
        return (1, -1) if self.current_player == 1 else (-1, 1)
