"""Prints a hundred megabytes in its first move, and then plays."""

moves = 0


def agent(state):
    global moves
    moves += 1
    if moves == 1:
        print("this is where it begins")
        for _ in range(100):
            print("x" * 2**20)
        print("this is where it ends")
    return state.legal_actions()[0]
