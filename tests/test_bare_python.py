"""What a browser tab has not, or loads late, is imported by nothing before it is needed."""

import shutil
import tomllib
from pathlib import Path

import pytest

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


# What a base install has: the four packages and Python; "-S" finds nothing that is installed.
BASE = ("-ES", "-m")
AGENT = "def agent(state):\n    return state.legal_actions()[0]\n"
PROJECT = "adversarial-search-course"
PYPROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
EXTRAS = PYPROJECT["project"]["optional-dependencies"]


def test_arena_plays_a_tournament_on_bare_python(tmp_path) -> None:
    (tmp_path / "first.py").write_text(AGENT)
    played = ("--game", "TicTacToe()", "--games", "2", "--workers", "1", "--with", "random")
    done = fresh(*BASE, "arena", "tournament", tmp_path / "first.py", *played)
    assert "first" in done.stdout
    assert "rating" in done.stdout


@pytest.mark.parametrize(
    ("extra", "program"),
    [
        ("fast", "from gamefast import mcts"),
        ("fast", "import gamefast, gamelib; gamefast.fast(gamelib.minimax)"),
        ("widgets", "from course import PlayBoard"),
        ("widgets", "import course.widgets.quiz"),
        ("widgets", "from course.draw import charts; charts.win_rates({'a': (1, 2)})"),
    ],
)
def test_missing_package_names_the_extra_to_install(extra, program) -> None:
    done = fresh("-ESc", program, check=False)
    *_, said = done.stderr.splitlines()
    assert f'pip install "{PROJECT}[{extra}]"' in said
    assert extra in EXTRAS


def test_python_m_gamefast_without_numba_shows_one_line() -> None:
    done = fresh(*BASE, "gamefast", check=False)
    assert done.returncode == 1
    assert "[fast]" in done.stderr
    assert done.stderr.count("\n") == 1


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
    done = fresh(
        "-m", "pytest", "-qpno:cacheprovider", "-pno:nbval", "tests", cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:]
    files = len([*tmp_path.glob("tests/**/test_*.py")])
    assert f"{files} passed" in done.stdout or f"{files - 1} passed, 1 skipped" in done.stdout
