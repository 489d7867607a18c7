def player(state):
    return state.legal_actions()[0]
