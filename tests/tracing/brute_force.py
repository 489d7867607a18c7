"""The truth about small positions, computed without the searches of the library."""

import os
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from math import inf

from gamelib.state import CHANCE

ALL = os.environ.get("TRUTH") == "all"  # whether all programs, positions and steps are compared


def late(game, rng, left):
    """Return a position of a random game with at most `left` actions, not over."""
    while True:
        state = game
        while not state.is_terminal():
            state = state.successor(rng.choice(state.legal_actions()))
            if len(state.legal_actions()) <= left and not state.is_terminal():
                return state


@lru_cache(200_000)
def exact(state, player, depth=inf, unknown=0):
    """Return what a position is worth for one player against all others, to a depth."""
    if state.is_terminal():
        return state.utility(player)
    if depth == 0:
        return unknown
    values = {
        a: exact(state.successor(a), player, depth - 1, unknown) for a in state.legal_actions()
    }
    if state.current_player == CHANCE:
        return sum(chance * values[a] for a, chance in state.chance_outcomes())
    return (max if state.current_player == player else min)(values.values())


def named(state, text):
    return next((a for a in state.legal_actions() if str(a) == text), None)


def read(text):
    text = text.strip()
    if text in ("∞", "-∞", "inf", "-inf"):
        return inf if text in ("∞", "inf") else -inf
    return float(Fraction(text))


class Tally:
    """Counts the statements that are compared with the truth, and keeps the false ones."""

    def __init__(self):
        self.count, self.false, self.kinds = 0, [], Counter()

    def claim(self, kind, holds, said):
        self.count += 1
        self.kinds[kind] += 1
        if not holds:
            self.false.append((kind, said))
