"""Exact values of every column in the first positions of Connect Four.

The compiled solver needs seconds to find the value of the empty board, but minutes for all its
columns.  Tests compare the table with BitBully, and a part of it with the solver.
"""

import string
import tomllib
from functools import cache
from pathlib import Path

from gamelib.games import ConnectFour

STONES = 5  # the discs on every board of the table; values of earlier positions follow from it
DIGITS = string.digits + string.ascii_letters
MIN_SCORE = -18

# The score of each position of the last ply in `positions_by_ply`, as digits that count from
# MIN_SCORE.
TABLE: str = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["scores"]


def column_values(state: ConnectFour) -> dict[int, tuple[int, int | None]] | None:
    """Return column -> (exact value for the player to move, plies to the end).

    The plies are None for a draw.  Return None if `STONES` or more are played, and for another
    board.
    """
    if type(state) is not ConnectFour or (state.rows, state.cols, state.k) != (6, 7, 4):
        return None
    scores, free = _scores(), 42 - sum(state.stones(player).bit_count() for player in (0, 1))
    children = {action: state.successor(action).symmetry_key() for action in state.legal_actions()}
    if not scores.keys() >= set(children.values()):
        return None
    return {action: _value_and_plies(-scores[child], free) for action, child in children.items()}


def _value_and_plies(score: int, free: int) -> tuple[int, int | None]:
    """Return the result, +1, 0 or -1, and the plies to the end, for a score."""
    if score == 0:
        return 0, None
    # The winner moves last, and the parity of the empty cells says who moves last.
    return score // abs(score), free + 1 - 2 * abs(score) + (free + (score < 0)) % 2


@cache
def positions_by_ply() -> list[dict[int, ConnectFour]]:
    """Return the positions after 0, 1, ... discs, by their symmetry key."""
    layers = [{ConnectFour().symmetry_key(): ConnectFour()}]
    for _ in range(STONES):
        layer: dict[int, ConnectFour] = {}
        for state in layers[-1].values():
            for action in state.legal_actions():
                child = state.successor(action)
                layer.setdefault(child.symmetry_key(), child)
        layers.append(layer)
    return layers


@cache
def _scores() -> dict[int, int]:
    """Return the scores of all positions up to `STONES` discs, computed from those in the table."""
    *earlier, last = positions_by_ply()
    digits = "".join(TABLE.split())
    scores = {key: DIGITS.index(digit) + MIN_SCORE for key, digit in zip(last, digits, strict=True)}
    for layer in reversed(earlier):
        for key, state in layer.items():
            children = map(state.successor, state.legal_actions())
            scores[key] = max(-scores[child.symmetry_key()] for child in children)
    return scores
