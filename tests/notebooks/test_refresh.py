import json
import re
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from tools import refresh_notebooks

WIDGET = "import ipywidgets\nipywidgets.Button(description='Go')"
STREAMS = "import sys\nfor n in range(3):\n    print(n)\n    sys.stdout.flush()"
REFUSED = "from gamelib import TicTacToe\nTicTacToe().play(4, 4)"
TRIED = "from course import hint\nhint('02/e1')"  # its log has a random id
# A low limit, because IPython takes seconds to format the thousands of frames of the usual one.
LIMIT = "import sys; sys.setrecursionlimit(300)\n"
FOLDER = "import os\nsorted(os.listdir())"
ENDLESS = LIMIT + "def endless(n):\n    return endless(n + 1)\nendless(0)"


def saved(folder: Path, *sources: str, raises: tuple[str, ...] = ()) -> Path:
    """Return the path of a notebook of cells that were never run."""
    cells = [
        new_code_cell(s, metadata={"tags": ["raises-exception"]} if s in raises else {})
        for s in sources
    ]
    path = folder / "lesson.ipynb"
    path.write_text(json.dumps(new_notebook(cells=cells)), encoding="utf-8")
    return path


def test_refreshing_twice_writes_the_same_bytes(tmp_path: Path) -> None:
    path = saved(tmp_path, WIDGET, STREAMS, REFUSED, TRIED, raises=(REFUSED,))
    refresh_notebooks.refresh(path)
    first = path.read_bytes()
    assert refresh_notebooks.refresh(path) == "unchanged"
    assert path.read_bytes() == first


@pytest.fixture(scope="module")
def refreshed(tmp_path_factory: pytest.TempPathFactory) -> list[NotebookNode]:
    """Return the cells of a notebook after it was run."""
    sources = WIDGET, STREAMS, REFUSED, ENDLESS, FOLDER
    path = saved(tmp_path_factory.mktemp("run"), *sources, raises=(REFUSED, ENDLESS))
    refresh_notebooks.refresh(path)
    return refresh_notebooks.read_notebook(path).cells


def test_refresh_keeps_only_readable_outputs(refreshed: list[NotebookNode]) -> None:
    widget, streams, refused, endless, _ = refreshed
    assert list(widget.outputs[0].data) == ["text/plain"]
    assert widget.outputs[0].data["text/plain"].startswith("Button(")
    assert [output.text for output in streams.outputs] == ["0\n1\n2\n"]
    traceback = "\n".join(refused.outputs[0].traceback)
    assert "play" in traceback
    assert "File " not in traceback
    assert len(endless.outputs[0].traceback) < 20


def test_cell_runs_in_its_notebooks_folder(refreshed: list[NotebookNode]) -> None:
    assert refreshed[-1].outputs[0].data["text/plain"] == "['lesson.ipynb']"


def test_error_names_cell_and_keeps_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path, "1 + 1", "1 / 0")
    before = path.read_bytes()
    assert refresh_notebooks.main([str(path)]) == 1
    shown = capsys.readouterr().out
    assert re.search(r"lesson\.ipynb, cell 2 \(id .*ZeroDivisionError", shown, re.DOTALL)
    assert path.read_bytes() == before


def test_invalid_notebook_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "torn.ipynb"
    path.write_text('{"cells": [')
    assert refresh_notebooks.main([str(path)]) == 1
    assert "torn.ipynb is not a notebook" in capsys.readouterr().out


def test_second_run_with_other_outputs_raises(tmp_path: Path) -> None:
    path = saved(tmp_path, "count = globals().get('count', 0) + 1", "count")
    with pytest.raises(refresh_notebooks.NotebookError, match=r"cell 2\b"):
        refresh_notebooks.run_twice(path)


def test_second_run_with_same_outputs_passes(tmp_path: Path) -> None:
    path = saved(tmp_path, "total = sum(range(5))", "total", REFUSED, raises=(REFUSED,))
    assert refresh_notebooks.run_twice(path) == "the same when run again"
