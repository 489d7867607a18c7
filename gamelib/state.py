"""The interface between games and everything else: five questions, and a list of extras."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from inspect import signature
from random import Random
from typing import Any, ClassVar, Self

from gamelib.spots import Grid, Spot, grid, spot_of_action

Action = Any  # hashable; every game chooses its own: an int, a tuple of ints, a string


class IllegalActionError(ValueError):
    """An action that the rules do not allow in this position."""


class GameState(ABC):
    """A position of a game: immutable and hashable.

    Players are 0, 1, ..., `num_players` - 1.  A game defines `num_players`, `current_player`
    (at terminal states too) and the four abstract methods; everything then works with it.
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

    # What a game may offer besides.  Everything has an answer here that is right for any game, so
    # a game overrides what it can say better.

    examples: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Positions to begin with: what a list of games calls them, and the constructor's options."""

    rollouts: ClassVar[Mapping[str, Callable[[Any, Random], Action]]] = {}
    """Rollout policies for MCTS that suit this game only, by what a list calls them."""

    max_utility: float = 1
    """No player gets more than this, or less than its negative; 1 or more."""

    marks: ClassVar[str] = ""
    """What the players are called, a letter each; without it, "player 0", "player 1", ..."""

    def spots(self) -> Sequence[Spot]:
        """Return the places of the board, in the order of the keyboard; none without a board.

        From them come the picture, the board to click on, the names of actions and the text for
        screen readers.  A game with `rows`, `cols` and `cell(row, col)` is a grid of squares.
        """
        return grid(self, self.winning_line()) if isinstance(self, Grid) else ()

    def winning_line(self) -> Collection[Any]:
        """Return the cells of a grid that won, by number or as (row, column); empty before."""
        return ()

    def action_name(self, action: Action) -> str:
        """Return an action in words: the name of its spot, else as it is printed."""
        spot = spot_of_action(self.spots()).get(action)
        return spot.name if spot else str(action)

    def player_name(self, player: int) -> str:
        """Return what a player is called: its mark, or "player 0"."""
        return self.marks[player] if player < len(self.marks) else f"player {player}"

    def status(self) -> str:
        """Return whose turn it is or how the game ended: "X to move", "draw", "player 1 won"."""
        if not self.is_terminal():
            return f"{self.player_name(self.current_player)} to move"
        payoffs = self.utilities()
        winners = [player for player, payoff in enumerate(payoffs) if payoff == max(payoffs)]
        return f"{' and '.join(map(self.player_name, winners))} won" if any(payoffs) else "draw"

    def symmetry_key(self) -> Hashable | None:
        """Return what equal positions share with their mirror images; None: nothing is known."""
        return None

    def playout(self, rng: Random) -> tuple[float, ...]:
        """Return the payoffs of a random game from here; a faster way draws the same from `rng`."""
        state, draw = self, rng.random
        while actions := state.legal_actions():
            state = state.successor(actions[int(draw() * len(actions))])
        return state.utilities()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the position that prints as `text`; ValueError for a text that shows none.

        An option, such as the player to move, is called like the attribute that answers it.
        """
        raise ValueError(f"{cls.__name__} cannot read a position from text")

    def parse_options(self) -> dict[str, Any]:
        """Return the options with which `parse` reads this position from its text."""
        _, *names = signature(type(self).parse).parameters
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def to_json(self) -> dict[str, Any] | None:
        """Return the position as plain data; None for a game that cannot parse its text."""
        if type(self).parse.__qualname__ == "GameState.parse":
            return None
        return {"game": type(self).__name__, "text": str(self), **self.parse_options()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the position that `to_json` wrote."""
        options = {name: value for name, value in data.items() if name not in ("game", "text")}
        parse: Callable[..., Self] = cls.parse
        return parse(data["text"], **options)

    def _repr_svg_(self) -> str | None:
        # Jupyter asks for this.  It is the one arrow from the games to the drawings, taken late,
        # so that a game needs no graphics.
        from gamelib.picture import picture

        return picture(self)
