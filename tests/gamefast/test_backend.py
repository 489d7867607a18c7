"""The cache of compiled code, and the behaviour without a compiler."""

import shutil
import signal
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

import gamefast
import gamelib
from gamefast import build_info, numba_backend
from tests.fresh import fresh


def test_second_process_loads_all_code_from_disk():
    gamefast.warm()
    program = """
import gamefast
from gamelib import ConnectFour, TicTacToe, open_lines, preferred
gamefast.warm()
for state in (TicTacToe(), TicTacToe(7, 7, 5), ConnectFour()):
    gamefast.minimax(state, depth=2, evaluate=open_lines, quick_wins=True)
    gamefast.alphabeta(state, depth=2, order=preferred(1, 0), strict=True, all_best=True)
    gamefast.mcts(state, simulations=9, c=1, rng=1)
gamefast.mcts(TicTacToe(num_players=3), simulations=9, solver=True, rng=1)
gamefast.solve(ConnectFour().play(*map(int, "1626343324225")), only_value=True)
"""
    assert fresh("-c", program).stderr == ""


def test_read_only_folder_is_skipped(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder can be made in a file")
    places = [tmp_path / "file", tmp_path / "folder"]
    monkeypatch.setattr(numba_backend, "_cache_candidates", lambda: iter(places))
    assert numba_backend.cache_folder().parent == tmp_path / "folder"
    places.pop()
    assert numba_backend.cache_folder() is None


def test_changed_sources_get_another_folder(tmp_path, monkeypatch):
    # Not where the machine code of this checkout is: it would go, in the middle of other tests.
    monkeypatch.setattr(numba_backend, "_cache_candidates", lambda: iter([tmp_path / "kept"]))
    before = numba_backend.cache_folder()
    (tmp_path / "kernels.py").write_text("a = 1")
    monkeypatch.setattr(build_info, "SOURCES", tmp_path)
    assert numba_backend.cache_folder().name != before.name


def test_new_folder_replaces_folders_of_old_sources(tmp_path, monkeypatch):
    monkeypatch.setattr(numba_backend, "_cache_candidates", lambda: iter([tmp_path]))
    for name in ("kernels-0123456789abcdef", "another"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("here")
    (tmp_path / "kernels-file").write_text("here")
    folder = numba_backend.cache_folder()
    (folder / "made").write_text("here")
    assert {path.name for path in tmp_path.iterdir()} == {folder.name, "another", "kernels-file"}
    assert numba_backend.cache_folder() == folder
    assert (folder / "made").exists()


def test_compilation_is_announced_once(tmp_path):
    program = (
        "import gamefast; from gamelib import TicTacToe\n"
        "gamefast.minimax(TicTacToe(1, 2, 2))\n"
        "gamefast.alphabeta(TicTacToe(1, 2, 2))"
    )
    for package in (build_info.SOURCES, Path(gamelib.__file__).parent):  # with no machine code
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(package, tmp_path / package.name, ignore=ignored)
    there = dict.fromkeys(("PYTHONPATH", "XDG_CACHE_HOME", "TMPDIR"), str(tmp_path))
    for times in (1, 0):
        said = fresh("-c", program, cwd=tmp_path, **there).stderr
        assert said.count("compiling, once") == times
    assert said == ""


@pytest.mark.usefixtures("hears_interrupts")
def test_interrupt_during_compilation_is_raised():
    def interrupted():
        with suppress(KeyboardInterrupt):  # as LLVM does, when it calls Python
            signal.raise_signal(signal.SIGINT)

    usual, announcer = signal.getsignal(signal.SIGINT), numba_backend._CompileNotice()
    ours = SimpleNamespace(data={"dispatcher": SimpleNamespace(__module__="tests")})
    for inner in (False, True):
        announcer.on_start(ours)
        if inner:  # a compiler inside a compiler
            announcer.on_start(ours)
            announcer.on_end(ours)
        interrupted()
        with pytest.raises(KeyboardInterrupt):
            announcer.on_end(ours)
        assert signal.getsignal(signal.SIGINT) is usual
    announcer.on_start(ours)
    announcer.on_end(ours)  # nothing is left of it
