"""What a browser tab has not, or loads late, is imported by nothing before it is needed."""

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
from arena import first
from course import Playground
from gamelib import TicTacToe, minimax
print(Playground(TicTacToe()), minimax(TicTacToe(), depth=2).value)
"""
# A lesson with a lab is about a net of numpy's arrays; all of gamefast is made for them.
NUMPY = ("course.lessons.learning.", "course.widgets.weights_lab")
LATE = ("numpy", "matplotlib", "numba", "multiprocessing", "_multiprocessing", "tqdm")


def test_every_module_is_imported_without_what_comes_late() -> None:
    done = fresh("-c", BARE.format(missing=LATE, numpy=NUMPY))
    assert done.stdout.startswith("Playground(")


def test_a_package_that_is_needed_at_once_is_missed() -> None:
    done = fresh("-c", BARE.format(missing=("ipywidgets",), numpy=NUMPY), check=False)
    assert "import of ipywidgets halted" in done.stderr
