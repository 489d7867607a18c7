"""Searches deeper and deeper, until its budget of positions is gone."""

from gamelib import alphabeta
from arena import BudgetExceededError


def agent(state):
    best = state.legal_actions()[0]
    for depth in range(1, 10):
        try:
            best = alphabeta(state, depth=depth).action
        except BudgetExceededError:
            break
    return best
