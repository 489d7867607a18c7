def agent(state):
    while True:
        state.successor(state.legal_actions()[0])
