def agent(state):
    while True:
        pass
