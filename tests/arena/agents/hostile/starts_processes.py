"""Leaves processes behind, one in a group of its own, one that holds all its files; and plays."""

import os
import subprocess
import sys
import time

moves = 0


def agent(state):
    global moves
    moves += 1
    if moves == 1:
        sleep = [sys.executable, "-c", "import time; time.sleep(1000)"]
        subprocess.Popen(sleep)
        subprocess.Popen(sleep, start_new_session=True)
        if os.fork() == 0:
            time.sleep(1000)
            os._exit(0)
    return state.legal_actions()[0]
