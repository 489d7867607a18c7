import os
import time


def agent(state):
    os.closerange(0, 100)
    time.sleep(60)
