import sys


def agent(state):
    sys.exit(3)
