"""Agents for the tests: functions, files of the folder `agents`, and files with a text."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from arena import FileAgent, Limits
from arena.play.match import play_job
from arena.results.game_records import GameRecord, Job
from arena.results.schedule import Schedule
from gamelib import TicTacToe

AGENTS = Path(__file__).parent / "agents"
posix = pytest.mark.skipif(os.name != "posix", reason="Windows knows no such thing")
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the means")


def first(state):
    return state.legal_actions()[0]


def last(state):
    return state.legal_actions()[-1]


def files(*names):
    return [path for name in names for path in AGENTS.glob(f"*/{name}.py")]


def limited(file, logs=None, **limits):
    """Return an agent in a file, with time for a busy machine."""
    return FileAgent(file, limits=Limits(**{"seconds": 60, **limits}), logs=logs)


def agent(name, **options):
    """Return the agent of that name in the folder."""
    (file,) = files(name)
    return limited(file, **options)


def text_agent(folder, text, name="mine.py", **limits):
    """Return the agent in a new file with this text, or these bytes."""
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return limited(file, **limits)


def game_of(*agents, state=None, seed=5):
    """Return the record of a game."""
    return play_job(Job(0, tuple(range(len(agents))), seed), agents, state or TicTacToe())


def plan(names, players=2, games=2, *, seed=0, kind="tournament", **more):
    """Return the plan of a run without openings."""
    header = {"agents": names, "games": games, "seed": seed, "kind": kind, "openings": False}
    return Schedule(header | more, TicTacToe(4, 4, 3, players))


def wait_until(holds):
    """Wait until something holds, which it must within a minute."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def record_of(number, seats, utilities, **more):
    """Return the record of a game that nobody has played."""
    counts = tuple({"moves": 3, "nodes": 0, "simulations": 0} for _ in seats)
    usual = {"seed": number, "actions": (number,), "forfeit": None, "counts": counts}
    usual["seconds"] = tuple(1.25 for _ in seats)
    return GameRecord(number, seats, utilities=utilities, **usual | more)


def change_line(path, number, change):
    """Change a line of a file of results by a function of what it holds."""
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[number - 1] = json.dumps(change(json.loads(lines[number - 1])))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
