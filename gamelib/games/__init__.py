"""The games: one file each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gamelib.games.connect_four import ConnectFour
from gamelib.games.game_tree import GameTree
from gamelib.games.nim import Nim, grundy, nim_sum, nim_sum_rollout, nim_winning_actions
from gamelib.games.tictactoe import TicTacToe
from gamelib.state import GameState

GAMES: dict[str, Any] = {game.__name__: game for game in (TicTacToe, ConnectFour, Nim, GameTree)}

# What a game brings for the options of a search, as they are written in text.
VALUES: dict[str, Callable[..., Any]] = {"nim_sum_rollout": nim_sum_rollout}

# Positions to begin with, by what a list of games calls them.
EXAMPLES: dict[str, Callable[[], GameState]] = {
    "Tic-tac-toe 3 x 3": TicTacToe,
    "Tic-tac-toe 4 x 4": lambda: TicTacToe(4, 4, 4),
    "Tic-tac-toe 3 x 3, three players": lambda: TicTacToe(num_players=3),
    "Connect Four": ConnectFour,
    "Connect Four 4 x 5": lambda: ConnectFour(4, 5),
    "Nim 1 2 3": lambda: Nim((1, 2, 3)),
    "Nim 1 3 5 7": Nim,
}


def from_json(data: Mapping[str, Any]) -> GameState:
    """Return the position that a game's `to_json` wrote; ValueError for an unknown game."""
    if data.get("game") not in GAMES:
        raise ValueError(f"game must be one of {', '.join(GAMES)}; got {data.get('game')!r}")
    state: GameState = GAMES[data["game"]].from_json(data)
    return state


__all__ = [
    "EXAMPLES",
    "GAMES",
    "VALUES",
    "ConnectFour",
    "GameTree",
    "Nim",
    "TicTacToe",
    "from_json",
    "grundy",
    "nim_sum",
    "nim_sum_rollout",
    "nim_winning_actions",
]
