KEPT = []


def agent(state):
    while True:
        KEPT.append(list(range(10_000)))
