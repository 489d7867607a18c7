"""What it costs to play each game of an agent in a file in a process of its own.

On every row the same games of two agents that play any legal action: as functions of this process,
in child processes that a loaded process forks, and in child processes that start from nothing.  The
last row is a class of 12 in files, everyone against everyone, on two workers.
"""

import os
import random
import resource
import tempfile
import time
from pathlib import Path

from arena import FileAgent, match_up, tournament
from arena.sandbox import processes
from gamelib import TicTacToe

TEXT = """\
import random


def agent(state):
    return random.choice(state.legal_actions())
"""


def chance(state):
    return random.choice(state.legal_actions())


def cpu_seconds():
    """Return the processor time of this process and of its children that have ended."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, whose))


def row(name, play):
    cpu, started = cpu_seconds(), time.perf_counter()
    games = len(play().records)
    processes.close_idle_nursery()  # so that its time is counted, too
    seconds, cpu = time.perf_counter() - started, cpu_seconds() - cpu
    rate = f"{games / seconds:8,.0f} games/s  {1000 * cpu / games:8.2f} ms of processor a game"
    print(f"{name:22} {games:5,} games  {seconds:7.1f} s  {rate}")


def main():
    state = TicTacToe()
    print(f"tic-tac-toe; load before: {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(12):
            Path(folder, f"agent_{number:02}.py").write_text(TEXT, encoding="utf-8")
        two = [FileAgent(Path(folder, f"agent_{number:02}.py")) for number in range(2)]
        row("functions", lambda: match_up(chance, chance, state=state, games=2000))
        row("files, forked", lambda: match_up(*two, state=state, games=200))
        processes._FORKS = False
        row("files, started anew", lambda: match_up(*two, state=state, games=20))
        processes._FORKS = True
        row("class of 12 in files", lambda: tournament(folder, state=state, games=20, workers=2))


if __name__ == "__main__":
    main()
