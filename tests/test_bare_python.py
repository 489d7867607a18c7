"""What a browser tab has not, or loads late, is imported by nothing before it is needed."""

import shutil
from pathlib import Path

from tests.fresh import fresh

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
from arena import _bootstrap
from course import Playground
from gamelib import TicTacToe, minimax
print(Playground(TicTacToe()), minimax(TicTacToe(), depth=2).value)
"""
# A lesson with a lab is about a net of numpy's arrays; all of gamefast is made for them.
NUMPY = ("course.lessons.learning.", "course.widgets.weights_lab")
LATE = ("numpy", "matplotlib", "numba", "multiprocessing", "_multiprocessing")


def test_modules_import_without_lazy_packages() -> None:
    done = fresh("-c", BARE.format(missing=LATE, numpy=NUMPY))
    assert done.stdout.startswith("Playground(")


def test_missing_required_package_raises() -> None:
    done = fresh("-c", BARE.format(missing=("ipywidgets",), numpy=NUMPY), check=False)
    assert "import of ipywidgets halted" in done.stderr


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


def test_gamelib_tests_pass_without_other_packages(tmp_path):
    root = Path(__file__).parents[1]
    for each in ("gamelib", "tests/games", "tests/search"):
        shutil.copytree(root / each, tmp_path / each)
    for each in (
        "tests/test_state.py",
        "tests/test_agents.py",
        "tests/messages.py",
        "pyproject.toml",
    ):
        shutil.copy(root / each, tmp_path / each)
    (tmp_path / "tests/conftest.py").write_text(ALONE)
    done = fresh("-m", "pytest", "-qpno:cacheprovider", "tests", cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    files = len([*tmp_path.glob("tests/**/test_*.py")])
    assert f"{files} passed" in done.stdout or f"{files - 1} passed, 1 skipped" in done.stdout
