def agent(state):
    return 99
