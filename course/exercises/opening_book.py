"""Exact values of every column of Connect Four's first positions.

The compiled solver says in seconds who wins the empty board, but needs minutes for all its columns.
The tests hold the table against BitBully, and some of it against the solver.
"""

import string
import tomllib
from functools import cache
from pathlib import Path

from gamelib.games import ConnectFour

STONES = 5  # on every board of the table; what is true of earlier positions follows
DIGITS = string.digits + string.ascii_letters
MIN_SCORE = -18

# The score of each position of the last of `layers`, a digit that counts from MIN_SCORE.
TABLE: str = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["scores"]


def column_values(state: ConnectFour) -> dict[int, tuple[int, int | None]] | None:
    """Return the exact value of each column for the player to move, and the plies to the end.

    A draw has no number of plies.  None where `STONES` or more are played, and on another board.
    """
    if type(state) is not ConnectFour or (state.rows, state.cols, state.k) != (6, 7, 4):
        return None
    known, free = _scores(), 42 - sum(state.stones(player).bit_count() for player in (0, 1))
    children = {a: state.successor(a).symmetry_key() for a in state.legal_actions()}
    if not known.keys() >= set(children.values()):
        return None
    return {a: _value_and_plies(-known[child], free) for a, child in children.items()}


def _value_and_plies(score: int, free: int) -> tuple[int, int | None]:
    """Return who wins, +1, 0 or -1, and when, with so many cells free."""
    if score == 0:
        return 0, None
    # The winner moves last, and the parity of the cells left says who that is.
    return score // abs(score), free + 1 - 2 * abs(score) + (free + (score < 0)) % 2


@cache
def positions_by_ply() -> list[dict[int, ConnectFour]]:
    """Return the positions after 0, 1, ... stones, each by what it shares with its mirror image."""
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
    """Return the score of every position with so few stones, the last ones from the table."""
    *earlier, last = positions_by_ply()
    digits = "".join(TABLE.split())
    scores = {key: DIGITS.index(digit) + MIN_SCORE for key, digit in zip(last, digits, strict=True)}
    for layer in reversed(earlier):
        for key, state in layer.items():
            children = map(state.successor, state.legal_actions())
            scores[key] = max(-scores[child.symmetry_key()] for child in children)
    return scores
