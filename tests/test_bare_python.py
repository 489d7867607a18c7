"""What a browser tab has not, or loads late, is imported by nothing before it is needed."""

import subprocess
import sys
from pathlib import Path

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


def test_every_module_is_imported_without_what_comes_late() -> None:
    done = imported(*LATE)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("Playground(")


def test_a_package_that_is_needed_at_once_is_missed() -> None:
    assert "import of ipywidgets halted" in imported("ipywidgets").stderr
