def agent(state):
    while True:
        try:
            raise ValueError
        except BaseException:
            pass
