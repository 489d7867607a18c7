"""Closes its standard output, and then plays the first action."""

import os
import sys


def agent(state):
    if not sys.stdout.closed:
        sys.stdout.close()
        os.close(1)
    return state.legal_actions()[0]
