"""Agent Z takes the centre, and then the cell opposite to one of the other player's."""

from typing import Any


def agent(state: Any) -> int:
    """Return an action, in most positions."""
    free = state.legal_actions()
    other = 1 - state.current_player
    theirs = [cell for cell in range(9) if state.cell(*divmod(cell, 3)) == other]
    print("theirs:", *theirs, "free:", *free)
    if 4 in free:
        return 4
    return next(8 - cell for cell in theirs if 8 - cell in free)
