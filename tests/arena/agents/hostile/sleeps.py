import time


def agent(state):
    time.sleep(60)
    return state.legal_actions()[0]
