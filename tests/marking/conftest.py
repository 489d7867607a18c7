"""The packages that a student's process sees, and a function that marks."""

import pytest
from handins import handed_in, only

from arena.sandbox.spawn import shared_fork_server
from tools.marking import marker, student_packages
from tools.marking.rpc_client import PROCESS_MODULE

SEED = "a word of the lecturer"


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    folder = student_packages.write_packages(tmp_path_factory.mktemp("packages"))
    with shared_fork_server(PROCESS_MODULE, folder):
        yield folder


@pytest.fixture
def one_copy(packages, monkeypatch):
    """Let the command use these packages, since to write and load others takes half a second."""
    monkeypatch.setattr(student_packages, "write_packages", lambda folder, notebook: packages)


@pytest.fixture
def mark(packages):
    """Return a function that marks a notebook and returns the points by exercise, and all said."""

    def mark(content, notebook, seed=SEED):
        marks = marker.mark_submission(content, notebook, seed, packages)
        return {each.key.partition("/")[2]: each.points for each in marks.results}, marks

    return mark


@pytest.fixture
def mark_only(mark, monkeypatch):
    """Return a function that marks the exercises of these cells alone, handed in like this."""

    def mark_only(notebook, cells, seed=SEED, **how):
        only(monkeypatch, *cells)
        return mark(handed_in(notebook, cells, **how), notebook, seed)

    return mark_only
