"""Reference solutions of the exercises of notebook 01."""

from typing import Any

from course.lessons.framework.check import Sticks
from gamelib.state import GameState


class MisereSticks(Sticks):
    """Take 1, 3 or 4 sticks in turn; whoever takes the last stick loses."""

    def legal_actions(self) -> list[int]:
        """Return 1, 3 and 4, up to the number of sticks."""
        return [take for take in (1, 3, 4) if take <= self.sticks]

    def utilities(self) -> tuple[int, int]:
        """Return +1 for the player to move, who did not take the last stick."""
        if not self.is_terminal():
            raise ValueError("nobody has a payoff before the end")
        return (1, -1) if self.current_player == 0 else (-1, 1)


def positions_at(state: GameState, ply: int) -> int:
    """Return the number of different positions after `ply` actions."""
    layer = {state}
    for _ in range(ply):
        layer = {child.successor(a) for child in layer for a in child.legal_actions()}
    return len(layer)


def payoffs(winner: int | None, num_players: int) -> tuple[int, ...]:
    """Return +1 for the winner and -1 for everybody else; 0 for all if nobody has won."""
    if winner is None:
        return (0,) * num_players
    return tuple(1 if player == winner else -1 for player in range(num_players))


def leaves_alone(state: GameState, action: Any) -> bool:
    """Return whether `successor` leaves the old state as it was."""
    before = str(state), list(state.legal_actions())
    state.successor(action)
    return (str(state), list(state.legal_actions())) == before
