def agent(state):
    return sum(range(10**11))
