"""Says what it thinks, at length.  But does it answer?"""


def agent(state):
    for action in state.legal_actions():
        print("What about", action, "?")
    print({"action": 4})
