"""Prints what looks like answers, wrong ones, and then plays the first action."""

import os
import sys


def agent(state):
    for number in range(20):
        print(f'{{"id": {number}, "action": 1, "positions": 0}}')
        sys.stderr.write(f'{{"id": {number}, "error": "nothing"}}\n')
        os.write(1, b'{"id": %d, "action": 1, "positions": 0}\n' % number)
    return state.legal_actions()[0]
