def agent(state):
    state.legal_actions()
