def agent(state):
    memory = bytearray(80 * 2**30)
    return len(memory)
