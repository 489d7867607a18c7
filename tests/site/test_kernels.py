"""The kernels as WebAssembly, in a browser's Python: what they find, and what happens without."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.site.conftest import in_pyodide
from tools import distribution
from tools.site import downloads, wasm_kernels

HERE = Path(__file__).parent

pytest.importorskip("numba", reason="Numba is not installed: the extra `fast`")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return distribution.build(
        tmp_path_factory.mktemp("wheel"), library=wasm_kernels.build(downloads.CACHE)
    )


@pytest.fixture
def course(made: Path, tmp_path: Path) -> Path:
    """Return a folder with what is in the wheel of the site."""
    with zipfile.ZipFile(made) as archive:
        archive.extractall(tmp_path)
    return tmp_path


def run(course: Path, program: str) -> list[str]:
    file = course / "source_listing.py"
    file.write_text(program)
    return in_pyodide(file, course=course)


def test_wasm_searches_match_native_results(course: Path) -> None:
    program = HERE / "every_search.py"
    natively = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    expected = json.loads(natively.stdout)
    assert json.loads(in_pyodide(program, course=course)[-1]) == expected
    assert sum(count for count, _ in expected.values()) >= 200


def test_course_uses_compiled_searches(course: Path) -> None:
    program = """
from gamelib import ConnectFour, mcts
from gamefast import fast
from gamefast.fast import failure_reason, fastest
print(fastest(mcts, ConnectFour()), fast(mcts)(ConnectFour(), simulations=5).stats)
print(repr(failure_reason()))
"""
    assert run(course, program) == ["fast(mcts) Stats(simulations=5, tree_nodes=6)", "''"]


NEEDS = "in a browser tab gamefast needs a kernels.so built from the same sources"
FALL_BACK = """
from gamelib import TicTacToe, minimax
from gamefast import fast
from gamefast.fast import failure_reason, fastest
state = TicTacToe().play(4)
print(fastest(minimax, state)(state).stats.nodes, failure_reason(), sep="|")
try:
    print(fast(minimax)(TicTacToe()))
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("spoiled", "text", "why"),
    [
        ("gamefast/mcts_kernels.py", "# other sources\n", "this one has no version_"),
        (distribution.KERNEL_LIBRARY, "no WebAssembly", "none can be loaded"),
        (distribution.KERNEL_LIBRARY, "", "none can be loaded"),  # it is not there
    ],
)
def test_unusable_library_falls_back_to_python_search(
    course: Path, spoiled: str, text: str, why: str
) -> None:
    place = course / spoiled
    place.write_text(place.read_text() + text if place.suffix == ".py" else text)
    if not text:
        place.unlink()
    answer, error = run(course, FALL_BACK)
    assert answer.startswith("55505|")
    assert error.startswith(NEEDS)
    assert f"{NEEDS}, but {why}" in answer + error


def test_compiled_searches_poll_and_stop(course: Path) -> None:
    program = """
import gamefast
from gamelib import ConnectFour, open_lines
four = ConnectFour()
for search, options in (
    (gamefast.mcts, {"simulations": 10**7}),
    (gamefast.minimax, {"depth": 12}),
    (gamefast.alphabeta, {"depth": 20, "evaluate": open_lines}),
    (gamefast.solve, {}),
):
    asked = []
    def stop():
        asked.append(len(asked))
        return len(asked) == 3
    result = search(four, stop=stop, **options)
    print(result.stopped, len(asked))
"""
    assert run(course, program) == ["True 3"] * 4


def test_strided_or_mistyped_arrays_raise(course: Path) -> None:
    program = """
import numpy as np
from gamefast import mcts_kernels
positions, links = np.zeros((2, 3), np.int64), np.ones((2, 8), np.int32)  # each node its own
def ask(table):
    try:
        mcts_kernels.rehash(table, positions, links, 2)
        print(table.sum())
    except ImportError as error:
        print("refused")
ask(np.zeros(4, np.int32))
ask(np.zeros(4, np.int64))
ask(np.zeros(4, np.int32)[::2])
"""
    assert run(course, program) == ["1", "refused", "refused"]
