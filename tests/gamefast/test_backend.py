"""The cache of compiled code, and the behaviour without a compiler."""

import shutil
import signal
import sys
from contextlib import suppress
from types import SimpleNamespace

import pytest

from gamefast import build_info, numba_backend, stored_code
from tests.fresh import fresh

tier = sys.modules["gamefast.fast"]  # the name `gamefast.fast` is a function


def test_second_process_loads_all_code_from_disk():
    assert fresh("-m", "gamefast").stdout.startswith("gamefast: ")  # compiles in two processes
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


@pytest.mark.parametrize("name", ["XDG_CACHE_HOME", "LOCALAPPDATA"])
def test_cache_folder_of_system_is_used(tmp_path, monkeypatch, name):
    for other in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, str(tmp_path))
    assert tmp_path / "gamefast" in [folder.parent for folder in stored_code.folders()]


def some_kernel():
    """Stand for a kernel; an inner function would have other code for each fixture that it uses."""


@pytest.fixture
def store(monkeypatch):
    """Return a function that stores some code in the first of several places that accepts it."""
    monkeypatch.setattr(stored_code, "storage_failure", "")
    monkeypatch.setattr(stored_code, "written_to", None)
    monkeypatch.setattr(stored_code, "rtsys", SimpleNamespace(initialize=lambda context: None))

    def store(*places):
        monkeypatch.setattr(stored_code, "_places", lambda: iter(places))
        cache = stored_code.KernelCache(some_kernel)
        cache._impl = SimpleNamespace(reduce=lambda data: b"code", rebuild=lambda _, data: data)
        codegen = SimpleNamespace(magic_tuple=lambda: ("triple", "processor", "+feature"))
        cache.save_overload("types", SimpleNamespace(codegen=codegen))
        return cache, SimpleNamespace(codegen=lambda: codegen)

    return store


def test_folder_that_cannot_be_made_is_skipped(tmp_path, store, capsys):
    (tmp_path / "file").write_text("no folder can be made in a file")
    cache, context = store(tmp_path / "file", tmp_path / "folder")
    assert stored_code.written_to.parent == tmp_path / "folder"
    assert cache.load_overload("types", context) == b"code"
    assert capsys.readouterr().err == ""


def test_code_that_no_folder_accepts_is_reported_once(tmp_path, store, capsys):
    (tmp_path / "file").write_text("no folder can be made in a file")
    for _ in range(2):
        store(tmp_path / "file")
    assert stored_code.written_to is None
    assert capsys.readouterr().err.count(str(tmp_path / "file")) == 1
    assert str(tmp_path / "file") in tier.storage_failure()
    store(tmp_path)  # a disk has room again
    assert tier.storage_failure() == ""


def test_code_is_found_in_the_last_folder(tmp_path, store):
    store(tmp_path / "last")
    cache, context = store(tmp_path / "first", tmp_path / "last")
    shutil.rmtree(tmp_path / "first")
    assert cache.load_overload("types", context) == b"code"


def test_damaged_index_is_replaced(tmp_path, store):
    store(tmp_path)
    for path in stored_code.written_to.iterdir():
        path.write_bytes(b"")
    cache, context = store(tmp_path)
    assert cache.load_overload("types", context) == b"code"


def test_changed_sources_get_another_folder(tmp_path, monkeypatch):
    before = stored_code.folders()
    (tmp_path / "kernels.py").write_text("a = 1")
    monkeypatch.setattr(build_info, "SOURCES", tmp_path)
    assert before[0].name != stored_code.folders()[0].name


def test_new_folder_replaces_folders_of_old_sources(tmp_path, store):
    for name in ("kernels-0123456789abcdef", "another"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("here")
    (tmp_path / "kernels-file").write_text("here")
    store(tmp_path)
    folder = stored_code.written_to
    (folder / "made").write_text("here")
    assert {path.name for path in tmp_path.iterdir()} == {folder.name, "another", "kernels-file"}
    store(tmp_path)
    assert (folder / "made").exists()


def test_shared_code_can_be_read_by_everyone(tmp_path, store):
    store(tmp_path / "place")
    folder = stored_code.written_to
    for path in (folder.parent, folder, *folder.iterdir()):
        path.chmod(0o700 if path.is_dir() else 0o600)
    stored_code.share(folder)
    assert {path.stat().st_mode & 0o777 for path in (folder.parent, folder)} == {0o755}
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o644}


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
