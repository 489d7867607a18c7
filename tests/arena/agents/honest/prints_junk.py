"""Writes to every place where text can be written, and then plays the first action."""

import os
import sys


def agent(state):
    os.write(1, b"\xff\xfe\x00 not text\n")
    os.write(2, b"\xff\xfe\x00 not text\n")
    print("\ud800")
    sys.stdout.write("no line end")
    return state.legal_actions()[0]
