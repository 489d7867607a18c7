"""Wins if it can, else stops a win, else takes the first cell of its list."""

LIKED = [4, 0, 2, 6, 8, 1, 3, 5, 7]


def agent(state):
    mover = state.current_player
    for action in state.legal_actions():
        after = state.successor(action)
        if after.is_terminal() and after.utility(mover) > 0:
            return action
    for action in state.legal_actions():
        if loses_at_once(state, action) is False:
            return action
    return next(action for action in LIKED if action in state.legal_actions())


def loses_at_once(state, action):
    after = state.successor(action)
    if after.is_terminal():
        return False
    replies = (after.successor(reply) for reply in after.legal_actions())
    return any(end.is_terminal() and end.utility(after.current_player) > 0 for end in replies)
