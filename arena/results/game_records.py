"""A game of a run: as it is planned, and as it was played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gamelib.state import Action

COUNTS = ("moves", "nodes", "simulations")


@dataclass(frozen=True)
class Job:
    """A game to be played.

    game     its number, from 0
    seats    for each player the agent, by its index
    seed     from which the agents' chance comes, and the rolls of the dice
    opening  the actions with which it begins, before any agent is asked
    """

    game: int
    seats: tuple[int, ...]
    seed: int
    opening: tuple[Action, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True)
class Forfeit:
    """The player who broke the rules, and how."""

    player: int
    reason: str


@dataclass(frozen=True)
class GameRecord(Job):
    """A game that was played.

    actions    all actions that were played, those of the opening first
    utilities  one payoff per player; see `forfeit_utilities`
    forfeit    None, or who broke the rules, and how
    counts     for each player: moves, and the nodes and simulations of all its searches
    seconds    for each player, of all its moves; left out of repr and equality
    cpu        for each player, the seconds that its process has computed, by the kernel's account;
               left out of repr and equality, too
    audit      for each player, what differed when its part was played again; "" for nothing, None
               if it was not
    """

    actions: tuple[Action, ...]
    utilities: tuple[float, ...]
    forfeit: Forfeit | None
    counts: tuple[Mapping[str, int], ...]
    seconds: tuple[float, ...] = field(compare=False, repr=False)
    cpu: tuple[float, ...] = field(default=(), compare=False, repr=False)
    audit: tuple[str | None, ...] = field(default=(), compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain data, ready for `json.dumps`."""
        return {**vars(self), "forfeit": self.forfeit and vars(self.forfeit)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GameRecord:
        """Return the record that `to_json` wrote."""
        values = {name: _tuples(value) for name, value in data.items()}
        return cls(**values | {"forfeit": data["forfeit"] and Forfeit(**data["forfeit"])})


def to_json_action(action: Action) -> Action:
    """Return the action as it comes back from JSON; as its text, if JSON has no such thing."""
    if action is None or isinstance(action, bool | int | float | str):
        return action
    return tuple(map(to_json_action, action)) if isinstance(action, tuple) else repr(action)


def forfeit_utilities(player: int, num_players: int) -> tuple[float, ...]:
    """Return the payoffs when a player forfeits: -1, and +1 for the other; 0 for several others."""
    others = 1 if num_players == 2 else 0
    return tuple(-1 if each == player else others for each in range(num_players))


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
