"""What theory says of a start position, where that is known or found in a moment."""

from __future__ import annotations

from gamelib.games import ConnectFour, GameTree, Nim, TicTacToe, nim_winning_actions
from gamelib.search import solve
from gamelib.state import GameState

MOST_FREE_CELLS = 10  # of a board that is solved in a moment
MOST_TEXT = 5_000  # characters of a textbook tree that is


def theory(state: GameState) -> tuple[float, ...] | None:
    """Return the payoff of each player under best play; None where it is not known cheaply.

    Known are Nim, small boards, textbook trees, and the empty board of Connect Four, each with two
    players.  Which ones does not depend on the machine.

    Source: Allis, A knowledge-based approach of Connect-Four, 1988, for its empty board.
    """
    if state.num_players != 2:
        return None
    if state.is_terminal():
        return state.utilities()
    if type(state) is Nim:
        return _for_both(state, 1 if nim_winning_actions(state) else -1)
    if type(state) is ConnectFour and state == ConnectFour():
        return _for_both(state, 1)
    if not _is_small(state):
        return None
    try:
        return solve(state, only_value=True).utilities
    except ValueError:  # a textbook tree that is not zero-sum
        return None


def _for_both(state: GameState, value: int) -> tuple[float, float]:
    return (value, -value) if state.current_player == 0 else (-value, value)


def _is_small(state: GameState) -> bool:
    if isinstance(state, TicTacToe | ConnectFour):
        cells = [(row, col) for row in range(state.rows) for col in range(state.cols)]
        return sum(state.cell(*cell) is None for cell in cells) <= MOST_FREE_CELLS
    return isinstance(state, GameTree) and len(str(state)) <= MOST_TEXT
