"""Run notebooks with all their solutions, and their blanks after them: what do they show?"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from tools.refresh_notebooks import NotebookError, cleaned, executed

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
) -> Iterator[tuple[Path, Shown | NotebookError]]:
    """Yield what the cells of each notebook have shown, or the error."""
    pool = ThreadPoolExecutor(jobs)
    try:
        runs = {pool.submit(run, notebook, path): path for path, notebook in notebooks.items()}
        for done in as_completed(runs):
            try:
                yield runs[done], done.result()
            except NotebookError as error:
                yield runs[done], error
    finally:  # after Ctrl-C no other notebook is begun
        pool.shutdown(cancel_futures=True)


def run(notebook: NotebookNode, path: Path) -> Shown:
    """Return what the code cells of a notebook show."""
    return {
        cell.id: {"outputs": cell.outputs, "execution_count": cell.execution_count}
        for cell in cleaned(executed(notebook, path)).cells
        if cell.cell_type == "code"
    }
