import json
import os
from pathlib import Path

import pytest

from arena.results.game_records import GameRecord
from arena.sandbox import spawn


@pytest.fixture
def path(tmp_path):
    """Return where results are kept."""
    return tmp_path / "games.jsonl"


@pytest.fixture
def left_behind(own_folder):
    """Return a function that returns what child processes have left: processes and files."""

    def processes_and_files():
        return [*filter(works_below, Path("/proc").glob("[0-9]*")), *own_folder.iterdir()]

    def works_below(process):
        try:
            return Path(os.readlink(process / "cwd")).is_relative_to(own_folder)
        except OSError:  # it has just ended
            return False

    return processes_and_files


@pytest.fixture
def nothing_contained(tmp_path, monkeypatch):
    """Let agents play as on a machine that has no means to contain what they do."""
    program = (
        "from arena.sandbox import containment\ncontainment.restrict_process = lambda *_: []\n"
    )
    (tmp_path / "sitecustomize.py").write_text(program)
    usual = spawn._environment()
    found = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{usual['PYTHONPATH']}"}
    monkeypatch.setattr(spawn, "_environment", lambda *root: usual | found)
    spawn._close_fork_server()
    yield
    spawn._close_fork_server()


@pytest.fixture
def stored():
    """Return a function that reads the games of a file."""

    def stored(path):
        lines = path.read_text(encoding="utf-8").splitlines()[1:]
        games = [GameRecord.from_json(json.loads(line)) for line in lines]
        return tuple(sorted(games, key=lambda record: record.game))

    return stored
