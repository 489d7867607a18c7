def agent(state):
    return share(state.legal_actions(), 0)


def share(actions, among):
    return actions[len(actions) // among]
