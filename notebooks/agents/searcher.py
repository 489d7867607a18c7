"""Looks three plies ahead."""

from gamelib import alphabeta


def agent(state):
    return alphabeta(state, depth=3).action
