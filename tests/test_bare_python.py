"""What a browser tab has not, or loads late, is imported by nothing before it is needed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BARE = """
import importlib, pkgutil, sys, threading

def start(thread):
    raise RuntimeError("can't start new thread")

sys.modules.update(dict.fromkeys({missing}))  # None: there is no such module
threading.Thread.start = start
import gamelib, arena, course
for package in (gamelib, arena, course):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.startswith({numpy}) and "__main__" not in module.name:
            importlib.import_module(module.name)
from arena import first
from course import Playground
from gamelib import TicTacToe, minimax
print(Playground(TicTacToe()), minimax(TicTacToe(), depth=2).value)
"""
# A lesson with a lab is about a net of numpy's arrays; all of gamefast is made for them.
NUMPY = ("course.lessons.learning.", "course.widgets.weights_lab")
LATE = ("numpy", "matplotlib", "numba", "multiprocessing", "_multiprocessing", "tqdm")


def imported(*missing: str) -> subprocess.CompletedProcess[str]:
    """Import every module in a fresh Python that has no threads and lacks some packages."""
    command = [sys.executable, "-c", BARE.format(missing=missing, numpy=NUMPY)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.parametrize("missing", [(), LATE], ids=["all there", "all missing"])
def test_every_module_is_imported_without_what_comes_late(missing: tuple[str, ...]) -> None:
    done = imported(*missing)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("Playground(")


def test_a_package_that_is_needed_at_once_is_missed() -> None:
    assert "import of ipywidgets halted" in imported("ipywidgets").stderr


FIRST_SEARCH = """
import sys
from gamelib import TicTacToe, minimax
minimax(TicTacToe(), depth=1)
print(*(vars(module)["__file__"] for name, module in sys.modules.items() if "gamelib" in name))
"""


def test_a_first_search_reads_few_files_and_lines() -> None:
    said = subprocess.check_output([sys.executable, "-c", FIRST_SEARCH], text=True, cwd=ROOT)
    files = [file for file in said.split() if "gamelib" in Path(file).parts]
    lines = sum(len(Path(file).read_text().splitlines()) for file in files)
    assert (10 < len(files) <= 20, lines <= 2_500) == (True, True)


# What stands on gamelib does not exist there; one test of each file is run, and all are imported.
ALONE = """
import sys

from hypothesis import settings

sys.modules.update(dict.fromkeys(["gamefast", "arena", "course"]))
settings.register_profile("quick", max_examples=5, deadline=None)
settings.load_profile("quick")

def pytest_collection_modifyitems(items):
    items[:] = {item.path: item for item in items}.values()
"""


def test_gamelib_and_its_tests_need_nothing_that_stands_on_it(tmp_path):
    for each in ("gamelib", "tests/games", "tests/search"):
        shutil.copytree(ROOT / each, tmp_path / each)
    for each in ("tests/test_state.py", "tests/test_agents.py", "pyproject.toml"):
        shutil.copy(ROOT / each, tmp_path / each)
    (tmp_path / "tests/conftest.py").write_text(ALONE)
    command = [sys.executable, "-m", "pytest", "-qpno:cacheprovider", "tests"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]
    files = len([*tmp_path.glob("tests/**/test_*.py")])
    assert f"{files} passed" in done.stdout or f"{files - 1} passed, 1 skipped" in done.stdout
