"""Knows an answer to every position that its author thought of."""

REPLIES = {0: 4, 2: 4, 6: 4, 8: 4, 4: 0, 1: 0, 3: 0, 5: 2, 7: 6}


def agent(state):
    taken = [cell for cell in range(9) if cell not in state.legal_actions()]
    if not taken:
        return 0
    if len(taken) == 1:
        return REPLIES[taken[0]]
    free = [corner for corner in (0, 2, 6, 8) if corner not in taken]
    return free[0]
