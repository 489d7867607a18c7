def agent(state):
    return str(state.legal_actions()[0])
