"""Looks one ply deeper again and again, until the budget is used up."""

from arena import BudgetExceededError
from gamelib import alphabeta


def agent(state):
    best = state.legal_actions()[0]
    try:
        for depth in range(1, 10):
            best = alphabeta(state, depth=depth).action
    except BudgetExceededError:
        pass
    return best
