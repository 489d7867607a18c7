def agent(state):
    return int(input("Your action? "))
