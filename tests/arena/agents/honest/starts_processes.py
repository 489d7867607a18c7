"""Leaves processes behind, one of them holding all its files, and plays the first action."""

import os
import subprocess
import sys
import time

moves = 0


def agent(state):
    global moves
    moves += 1
    if moves == 1:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        if os.fork() == 0:
            time.sleep(1000)
            os._exit(0)
    return state.legal_actions()[0]
