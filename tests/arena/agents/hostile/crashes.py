import ctypes


def agent(state):
    ctypes.string_at(0)
