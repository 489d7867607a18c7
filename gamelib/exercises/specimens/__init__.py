"""Programs with one flaw each, for the labs: find a position, name the line, repair it."""

from gamelib.exercises.specimens.flaws import FLAWS, Flaw
from gamelib.exercises.specimens.games import (
    HastyTicTacToe,
    PlainTicTacToe,
    PoliteConnectFour,
    ThriftyTicTacToe,
    TrustingTicTacToe,
)
from gamelib.exercises.specimens.lookahead import (
    hopeful_points,
    reluctant_minimax,
    reluctant_points,
    two_step_win,
)
from gamelib.exercises.specimens.multiplayer import proof, proud_paranoid
from gamelib.exercises.specimens.pruning import fair_choice, remembered_value
from gamelib.exercises.specimens.sampling import (
    GrandMCTS,
    PlainMCTS,
    SteadfastMCTS,
    WinnerMCTS,
)

__all__ = [
    "FLAWS",
    "Flaw",
    "GrandMCTS",
    "HastyTicTacToe",
    "PlainMCTS",
    "PlainTicTacToe",
    "PoliteConnectFour",
    "SteadfastMCTS",
    "ThriftyTicTacToe",
    "TrustingTicTacToe",
    "WinnerMCTS",
    "fair_choice",
    "hopeful_points",
    "proof",
    "proud_paranoid",
    "reluctant_minimax",
    "reluctant_points",
    "remembered_value",
    "two_step_win",
]
