from collections.abc import Callable, Mapping
from typing import Any

from gamelib.games.connect_four import ConnectFour as ConnectFour
from gamelib.games.einstein import EinStein as EinStein
from gamelib.games.game_tree import Chance as Chance
from gamelib.games.game_tree import GameTree as GameTree
from gamelib.games.nim import Nim as Nim
from gamelib.games.nim import grundy as grundy
from gamelib.games.nim import nim_sum as nim_sum
from gamelib.games.nim import nim_sum_rollout as nim_sum_rollout
from gamelib.games.nim import nim_winning_actions as nim_winning_actions
from gamelib.games.tictactoe import TicTacToe as TicTacToe
from gamelib.state import GameState

GAMES: dict[str, Any]
EXAMPLES: dict[str, Callable[[], GameState]]

def from_json(data: Mapping[str, Any]) -> GameState: ...
