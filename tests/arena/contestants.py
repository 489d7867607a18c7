"""Agents for the tests: functions, files of the folder `agents`, and files with a text."""

import os
import sys
from pathlib import Path

import pytest

from arena import FileAgent, Limits
from arena.play.match import play_job
from arena.results.games import Job
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
