"""Takes a win if there is one; plays any legal action if not."""

import random


def agent(state):
    for action in state.legal_actions():
        child = state.successor(action)
        if child.is_terminal() and child.utility(state.current_player) > 0:
            return action
    return random.choice(state.legal_actions())
