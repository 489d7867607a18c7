"""aima3, a package of the code that goes with Russell and Norvig, "AI: A Modern Approach".

Its searches return an action, and no value; nodes are the positions that the game is asked for.
"""

from collections.abc import Callable
from typing import Any

try:
    from aima3 import games
except ImportError:
    games = None

Search = Callable[..., Any]


def search_of(name: str, depth: int | None = None) -> tuple[Search, Search] | None:
    """Return a search, and what counts its nodes, on tic-tac-toe, or with a depth on Connect Four.

    None where the package is missing.
    """
    if not games:
        return None
    game = games.ConnectFour() if depth else games.TicTacToe()
    # It looks at positions until one is deeper than `d`.
    options = {"d": depth - 1} if depth else {}
    search = getattr(games, name)

    def nodes() -> int:
        counting, count = type(game)(), [1]

        def result(state: Any, move: Any) -> Any:
            count[0] += 1
            return game.result(state, move)

        counting.result = result
        search(counting.initial, counting, **options)
        return count[0]

    return lambda: search(game.initial, game, **options), nodes
