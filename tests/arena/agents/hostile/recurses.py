def agent(state):
    return agent(state)
