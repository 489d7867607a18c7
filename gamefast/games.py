"""Which positions can be searched as machine code."""

from gamelib.check import check_state
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.state import GameState

MOST_HEAPS = 16
SUPPORTED = (
    "ConnectFour with cols * (rows + 1) up to 64, TicTacToe with rows * (cols + 1) up to 64, and, "
    f"by mcts and solve, Nim with up to {MOST_HEAPS} heaps"
)


def is_board(state: GameState) -> bool:
    """Return whether `state` is a board that fits into 64 bits, one bit free between two lines."""
    # A subclass may change any rule, so none is taken for the game that it comes from.
    if type(state) is ConnectFour:
        return state.cols * (state.rows + 1) <= 64
    return type(state) is TicTacToe and state.rows * (state.cols + 1) <= 64


def supports(state: GameState) -> bool:
    """Return whether `mcts` and `solve` take `state` as machine code."""
    return is_board(state) or (type(state) is Nim and len(state.heaps) <= MOST_HEAPS)


def check_supported(supported: bool, state: GameState) -> None:
    """Raise a TypeError that names what can be played, unless `state` is supported."""
    check_state(state)
    if not supported:
        plays = f"gamefast plays {SUPPORTED}, but not their subclasses; got {state!r}"
        raise TypeError(f"{plays}.  The searches of gamelib itself play every game")
