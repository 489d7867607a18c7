"""Run a notebook with all its solutions, and its blanks after them; remember what was shown.

What was shown depends on the code cells, on the packages behind them, and on what is installed.  As
long as none of these has changed, a notebook is not run again, whatever its prose says.
"""

from __future__ import annotations

import copy
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from tools import refresh_notebooks

ROOT = Path(__file__).parents[1]
CACHE = ROOT / "build" / "rehearsed"
FOLDERS = ("agents", "studies")  # beside the notebooks, which read them
AGAIN = "-blank"  # what the id of a blank ends with

Shown = dict[str, dict[str, Any]]  # the id of a cell -> its outputs and execution count


def with_blanks(solved: NotebookNode, blanks: Iterable[NotebookNode]) -> NotebookNode:
    """Return a notebook with solutions, and below its last cell its exercises as students get them.

    One run shows both.  The solutions come first: what they show is what students are to get.
    """
    notebook = copy.deepcopy(solved)
    for cell in blanks:
        notebook.cells.append(copy.deepcopy(cell))
        notebook.cells[-1].id = cell.id + AGAIN
    return notebook


def rehearsed(
    notebooks: dict[Path, NotebookNode], jobs: int
) -> Iterator[tuple[Path, Shown | refresh_notebooks.NotebookError, str]]:
    """Yield what the cells of each notebook have shown, or the error; and "run" or "unchanged"."""
    todo = {}
    for path, notebook in notebooks.items():
        mark = fingerprint(notebook)
        if (shown := _remembered(path, mark)) is not None:
            yield path, shown, "unchanged"
        else:
            todo[path] = mark
    pool = ThreadPoolExecutor(jobs)
    try:
        runs = {pool.submit(_run, notebooks[path], path): path for path in todo}
        for run in as_completed(runs):
            path = runs[run]
            try:
                shown = run.result()
            except refresh_notebooks.NotebookError as error:
                yield path, error, "run"
            else:
                remember(path, todo[path], shown)
                yield path, shown, "run"
    finally:  # after Ctrl-C no other notebook is begun
        pool.shutdown(cancel_futures=True)


def _run(notebook: NotebookNode, path: Path) -> Shown:
    ran = refresh_notebooks.cleaned(refresh_notebooks.executed(notebook, path))
    return {
        cell.id: {"outputs": cell.outputs, "execution_count": cell.execution_count}
        for cell in ran.cells
        if cell.cell_type == "code"
    }


def _remembered(path: Path, mark: str) -> Shown | None:
    """Return what a notebook with this fingerprint has shown; None if nobody knows."""
    try:
        known = json.loads((CACHE / f"{path.stem}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return known["shown"] if known["fingerprint"] == mark else None


def remember(path: Path, mark: str, shown: Shown) -> None:
    """Store what a notebook has shown."""
    CACHE.mkdir(parents=True, exist_ok=True)
    part = CACHE / f"{path.stem}.part"  # a run cut short leaves the old file whole
    part.write_text(json.dumps({"fingerprint": mark, "shown": shown}), encoding="utf-8")
    part.replace(CACHE / f"{path.stem}.json")


def fingerprint(notebook: NotebookNode) -> str:
    """Return a hash of all that the outputs of a notebook depend on."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    code = [[cell.id, cell.source, sorted(cell.metadata.get("tags", []))] for cell in cells]
    found = hashlib.sha256(json.dumps([code, sys.version, _installed()]).encode())
    for path in _files():
        found.update(f"\n{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return found.hexdigest()


@cache
def _installed() -> list[str]:
    return sorted(f"{one.metadata['Name']} {one.version}" for one in distributions())


@cache
def _files() -> tuple[Path, ...]:
    """Return the files of the packages, and those that notebooks read."""
    folders = [ROOT / name for name in ("gamelib", "gamefast", "arena", "course")]
    folders += [ROOT / "notebooks" / name for name in FOLDERS]
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    return tuple(path for path in files if "__pycache__" not in path.parts)
