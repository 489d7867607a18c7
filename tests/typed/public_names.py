"""What a type checker knows of the names of `gamefast`, `arena` and `course`: none is `Any`."""

from collections.abc import Mapping
from typing import Any, assert_type

import gamelib
from arena import Tally, match_up, wilson_interval
from arena.results.match_up import MatchUp
from course import exact_values
from gamefast import mcts, minimax
from gamelib import ConnectFour, GameState, TicTacToe, random_agent


def check_names() -> None:
    """Assert the types of what public functions return; nobody calls this."""
    assert_type(gamelib.__version__, str)
    assert_type(minimax(TicTacToe()).stats.nodes, int)
    assert_type(mcts(ConnectFour(), simulations=9).seconds, float)
    assert_type(match_up(random_agent(), random_agent(), state=TicTacToe(), games=2), MatchUp)
    assert_type(wilson_interval(1, 2), tuple[float, float])
    assert_type(Tally(1, 2, 3).share, float)
    assert_type(exact_values(TicTacToe()), Mapping[GameState[Any], float])
