"""The data of a game in a run: a `Job` before it is played, and a `GameRecord` afterwards."""

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
    seats    the index of the agent for each player
    seed     for the random numbers of the agents and the rolls of the dice
    opening  the actions with which it begins, before the first move of an agent
    """

    game: int
    seats: tuple[int, ...]
    seed: int
    opening: tuple[Action, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True)
class Forfeit:
    """A forfeit: the player who broke a rule, and the reason."""

    player: int
    reason: str


@dataclass(frozen=True)
class GameRecord(Job):
    """A game that was played.

    actions    all actions that were played, those of the opening first
    utilities  one payoff per player; see `forfeit_utilities`
    forfeit    the forfeit that ended the game, or None
    counts     for each player: moves, and the nodes and simulations of all its searches
    seconds    for each player, of all its moves; left out of repr and equality
    cpu        for each player, the seconds of computing that the kernel counted for its process;
               left out of repr and equality, too
    audit      for each player, the difference that an audit found; "" for none, None without an
               audit
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
        """Return the record of which `to_json` returned `data`."""
        values = {name: _tuples(value) for name, value in data.items()}
        return cls(**values | {"forfeit": data["forfeit"] and Forfeit(**data["forfeit"])})


def to_json_action(action: Action) -> Action:
    """Return the action as it comes back from JSON, or its repr if JSON cannot express it."""
    if action is None or isinstance(action, bool | int | float | str):
        return action
    return tuple(map(to_json_action, action)) if isinstance(action, tuple) else repr(action)


def forfeit_utilities(player: int, num_players: int) -> tuple[float, ...]:
    """Return the payoffs if a player forfeits: -1, and +1 for an only opponent, 0 for several."""
    others = 1 if num_players == 2 else 0
    return tuple(-1 if index == player else others for index in range(num_players))


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
