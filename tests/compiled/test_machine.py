"""Where machine code is kept, and what happens without a compiler."""

import subprocess
import sys

import pytest

from gamelib import ConnectFour, compiled
from gamelib.compiled import machine


def run(program):
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_another_process_finds_all_machine_code_on_disk():
    compiled.warm()
    assert run("from gamelib import compiled; compiled.warm()").stderr == ""


def test_without_numba_the_error_says_what_to_install():
    error = run("import sys; sys.modules['numba'] = None; import gamelib.compiled").stderr
    assert "ImportError: gamelib.compiled needs Numba" in error
    assert 'pip install "gamelib[fast]"' in error


def test_gamelib_itself_needs_no_numba():
    assert run("import sys; sys.modules['numba'] = None; import gamelib").stderr == ""


def test_a_folder_that_cannot_be_written_is_passed_over(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder can be made in a file")
    places = [tmp_path / "file", tmp_path / "folder"]
    monkeypatch.setattr(machine, "_places", lambda: iter(places))
    assert machine.cache_folder().parent == tmp_path / "folder"
    places.pop()
    with pytest.raises(OSError, match="no folder can be written"):
        machine.cache_folder()


def test_another_version_of_the_sources_has_another_folder(tmp_path, monkeypatch):
    before = machine.cache_folder()
    (tmp_path / "kernels.py").write_text("a = 1")
    monkeypatch.setattr(machine, "SOURCES", tmp_path)
    assert machine.cache_folder().name != before.name


def test_two_searches_at_once_are_right():
    from concurrent.futures import ThreadPoolExecutor

    states = [ConnectFour.from_columns(columns) for columns in ("2737454435336", "44444435335")] * 8
    alone = [compiled.solve(state, only_value=True).distance for state in states]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda s: compiled.solve(s, only_value=True).distance, states))
    assert together == alone
