"""The games: one file each.  The lists find each file of this folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any
from warnings import warn

from gamelib.games.connect_four import ConnectFour
from gamelib.games.einstein import EinStein
from gamelib.games.game_tree import Chance, GameTree
from gamelib.games.nim import Nim, grundy, nim_sum, nim_sum_rollout, nim_winning_actions
from gamelib.games.tictactoe import TicTacToe
from gamelib.state import GameState

__all__ = [
    "Chance",
    "ConnectFour",
    "EinStein",
    "GameTree",
    "Nim",
    "TicTacToe",
    "from_json",
    "grundy",
    "nim_sum",
    "nim_sum_rollout",
    "nim_winning_actions",
]


def _discover() -> dict[str, Any]:
    """Return every public game of this folder by its name: in the order of the course, then a-z."""
    found = sorted(module.name for module in iter_modules(__path__))
    order = dict.fromkeys(["tictactoe", "connect_four", "nim", "game_tree", *found])
    modules = [import_module(f"{__name__}.{name}") for name in order]
    games: dict[str, Any] = {}
    for module in modules:
        for name, thing in vars(module).items():
            if not (isinstance(thing, type) and issubclass(thing, GameState)):
                continue
            missing = sorted(thing.__abstractmethods__)
            if thing.__module__ != module.__name__ or vars(thing).keys() & missing:
                continue  # what a module imports, such as the game that it varies; what games share
            if name in games:
                fault = f"{games[name].__module__} has a game of that name"
            elif missing:
                fault = f"it does not define {', '.join(missing)}"
            else:
                games[name] = thing
                continue
            warn(f"{module.__name__}.{name} is left out: {fault}", stacklevel=2)
    return games


GAMES = _discover()
# Positions to begin with, by what a list of games calls them; a variant inherits none.
EXAMPLES: dict[str, Callable[[], GameState]] = {
    name: partial(game, **options)
    for game in GAMES.values()
    for name, options in vars(game).get("examples", {}).items()
}


def from_json(data: Mapping[str, Any]) -> GameState:
    """Return the position that a game's `to_json` wrote; ValueError for anything else."""
    if not isinstance(data, Mapping):
        raise ValueError(f"a position is read from what its to_json() gave, a dict; got {data!r}")
    if data.get("game") not in GAMES:
        raise ValueError(f"game must be one of {', '.join(GAMES)}; got {data.get('game')!r}")
    try:
        state: GameState = GAMES[data["game"]].from_json(data)
    except KeyError as missing:
        raise ValueError(f"of a position of {data['game']}, {missing} is missing") from None
    return state
