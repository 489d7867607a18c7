"""The interface between games and searches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

Action = Any  # hashable; every game chooses its own: an int, a tuple of ints, a string


class IllegalActionError(ValueError):
    """An action that the rules do not allow in this position."""


class GameState(ABC):
    """A position of a game: immutable and hashable.

    Players are 0, 1, ..., `num_players` - 1.  A game defines `num_players`, `current_player`
    (at terminal states too) and the four abstract methods; every search then works with it.
    """

    __slots__ = ()

    num_players: int
    current_player: int

    @abstractmethod
    def legal_actions(self) -> Sequence[Action]:
        """Return the actions of the player to move, in a fixed order; none at a terminal state."""

    @abstractmethod
    def successor(self, action: Action) -> Self:
        """Return the state after `action`; IllegalActionError if it is not legal."""

    @abstractmethod
    def is_terminal(self) -> bool:
        """Return whether the game is over."""

    @abstractmethod
    def utilities(self) -> tuple[float, ...]:
        """Return one payoff per player: +1 win, 0 draw, -1 loss; ValueError before the end."""

    def utility(self, player: int) -> float:
        """Return the payoff of one player at a terminal state."""
        return self.utilities()[player]

    def play(self, *actions: Action) -> Self:
        """Return the state after several actions, one after the other."""
        state = self
        for action in actions:
            state = state.successor(action)
        return state

    def _repr_svg_(self) -> str | None:
        # Jupyter asks for this.  It is the one arrow from the games to the drawings, taken late,
        # so that a game needs no graphics.
        from gamelib.picture import picture

        return picture(self)
