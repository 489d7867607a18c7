import signal
import tempfile

import pytest
from hypothesis import settings

from arena import capabilities

# A slow machine is no fault of the code: no test may fail on time alone.
settings.register_profile("untimed", deadline=None, print_blob=True)
settings.load_profile("untimed")

# What takes minutes is begun first: else one process would wait for another one in the end.
LONG = ("test_cheats", "test_bounds", "08_capstone", "07_experiments", "test_coursework")
LONG += ("test_machine", "test_faults", "test_mutants", "test_students_copy", "test_style")
# In a new clone, the file that begins beside this one has to compile the searches for a browser.
LONG += ("test_without_threads",)


def pytest_collection_modifyitems(items):
    """Put the long files first."""
    items.sort(key=lambda item: LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG))


@pytest.fixture
def hears_interrupts():
    """Let this process and those it starts hear Ctrl-C, which a job in the background does not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


# How checks, searches and agents run: in threads and processes, or, as in a browser, without any.
# Windows has no signal that could stand for the browser's clock.
WAYS = ["threads", *(["no threads"] if hasattr(signal, "setitimer") else [])]


@pytest.fixture
def no_threads(monkeypatch):
    """Let nothing start a thread or a process; a signal comes every 10 ms, as in a browser."""

    def set_look(look):
        capabilities._poll_callback = look
        signal.setitimer(signal.ITIMER_REAL, *([0.01, 0.01] if look else [0]))

    monkeypatch.setattr(capabilities, "can_start_threads", lambda: False)
    monkeypatch.setattr(capabilities, "can_start_processes", lambda: False)
    monkeypatch.setattr(capabilities, "_set_poll_callback", set_look)
    before = signal.signal(
        signal.SIGALRM,
        lambda number, frame: capabilities._poll_callback and capabilities._poll_callback(frame),
    )
    yield
    set_look(None)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(params=WAYS)
def both_ways(request):
    """Run a test twice: with threads and processes, and without any."""
    if request.param == "no threads":
        request.getfixturevalue("no_threads")


@pytest.fixture
def limit_files():
    """Return a function that limits the size of all files in bytes, as a disk that is nearly full.

    The operating system then refuses to write more, with an error that names no file.
    """
    resource = pytest.importorskip("resource", reason="this system has no limit on files")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """Give the child processes of a test a folder that tells them from all others."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder
