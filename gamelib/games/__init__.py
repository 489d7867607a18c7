"""The games, each in its own file.  `GAMES` and `EXAMPLES` find every file of this folder."""

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
    """Return the public games of this folder by name, in the order of the course and then a-z."""
    files = sorted(module.name for module in iter_modules(__path__))
    order = dict.fromkeys(["tictactoe", "connect_four", "nim", "game_tree", *files])
    modules = [import_module(f"{__name__}.{name}") for name in order]
    games: dict[str, Any] = {}
    for module in modules:
        for name, game in vars(module).items():
            if not (isinstance(game, type) and issubclass(game, GameState)):
                continue
            missing = sorted(game.__abstractmethods__)
            if game.__module__ != module.__name__ or vars(game).keys() & missing:
                continue  # it is imported, like the game that a variant changes, or a base class
            if name in games:
                fault = f"{games[name].__module__} has a game of that name, so rename it"
            elif missing:
                fault = f"it does not define {', '.join(missing)}"
            else:
                games[name] = game
                continue
            warn(f"{module.__name__}.{name} is not in the list of games: {fault}", stacklevel=2)
    return games


GAMES = _discover()
# The start positions by their names in a list of games.  A variant does not inherit any.
EXAMPLES: dict[str, Callable[[], GameState]] = {
    name: partial(game, **options)
    for game in GAMES.values()
    for name, options in vars(game).get("examples", {}).items()
}


def from_json(data: Mapping[str, Any]) -> GameState:
    """Return the position of which `to_json` returned `data`; ValueError for other data.

    >>> from gamelib import TicTacToe, from_json
    >>> data = TicTacToe().play(4).to_json()
    >>> from_json(data) == TicTacToe().play(4)
    True
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"data must be a dict that a position's to_json() returned; got {data!r}")
    if data.get("game") not in GAMES:
        raise ValueError(f"game must be one of {', '.join(GAMES)}; got {data.get('game')!r}")
    try:
        state: GameState = GAMES[data["game"]].from_json(data)
    except KeyError as missing:
        has = f"data for {data['game']} has no {missing}"
        raise ValueError(f"{has}; give the whole dict that to_json() returned") from None
    return state
