"""A position of a program that does not use this library, with its board at the time of a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from course.tracing.boards import Cells, flat, shape_of
from gamelib.board_layout import Spot
from gamelib.state import Action, GameState, IllegalActionError


class Shown(GameState):
    """The board at a call, and the successors that the program called from there.

    real     the position of a library game that the board shows; None if unknown
    below    action -> the position to which the program went
    is_tree  whether the program calls itself, so that a position without successors is an end
    """

    num_players = 2
    current_player: int

    def __init__(self, cells: Cells | None, label: str, names: Sequence[str], mover: int) -> None:
        self.cells, self.label, self.names = cells, label, tuple(names)
        self.current_player = mover
        self.real: GameState | None = None
        self.is_tree = True
        self.below: dict[Action, Shown] = {}
        self.owners: dict[Any, int] = {}  # mark -> player
        self.leaf: Any = None  # the result of the program here, if the recursion itself is the tree

    def legal_actions(self) -> Sequence[Action]:
        """Return the actions of the real game, or those that the program has tried."""
        if self.real is None:
            return tuple(self.below)
        return tuple(dict.fromkeys([*self.real.legal_actions(), *self.below]))

    def successor(self, action: Action) -> Self:
        """Return the position that the program went to, or that of the real game.

        IllegalActionError for any other action.
        """
        if action in self.below:
            return self.below[action]  # type: ignore[return-value]
        if self.real is None or action not in self.real.legal_actions():
            raise IllegalActionError(
                f"action must be one that the program tried here, {[*self.below]}; got {action!r}"
            )
        after = type(self)(None, "", self.names, 1 - self.current_player)
        after.real, after.owners = self.real.successor(action), self.owners
        after.current_player = after.real.current_player
        return after

    def is_terminal(self) -> bool:
        """Return whether the game is over; without rules, whether the program went no further."""
        if self.real is None:
            return self.is_tree and not self.below
        return self.real.is_terminal()

    def utilities(self) -> tuple[float, ...]:
        """Return the payoffs of the real game; ValueError if it is unknown."""
        if self.real is None and self.leaf is not None and not self.below:
            return (self.leaf, -self.leaf)
        if self.real is None:
            raise ValueError(
                "the payoffs are unknown, because the game was not recognised; pass game= or like="
            )
        return tuple(self.real.utilities())

    def spots(self) -> Sequence[Spot]:
        """Return the cells of a board with rows and columns; () for other positions."""
        if self.cells is None:
            return self.real.spots() if self.real else ()
        shape = shape_of(self.cells)
        if shape is None:
            return ()
        cols, found = shape[1], []
        for number, mark in enumerate(flat(self.cells)):
            row, col = divmod(number, cols)
            owner = self.owners.get(mark) if _is_hashable(mark) else None
            found.append(Spot(col, row, f"cell {number}", number, owner))
        return found

    def player_name(self, player: int) -> str:
        """Return the mark of a player; "player 0" if there is none."""
        return self.names[player] if player < len(self.names) else f"player {player}"

    def status(self) -> str:
        """Return whose turn it is, if that is known."""
        if self.real is not None:
            return self.real.status()
        if not self.is_tree:
            return ""
        end = "the program stops here" if self.is_terminal() else ""
        return end or f"{self.player_name(self.current_player)} to move"

    def __repr__(self) -> str:
        return self.label


def _is_hashable(mark: Any) -> bool:
    try:
        hash(mark)
    except TypeError:
        return False
    return True
