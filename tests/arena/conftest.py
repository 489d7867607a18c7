import os
import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """Give the child processes of a test a folder that tells them from all others."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


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
