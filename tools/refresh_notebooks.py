"""Run notebooks in fresh kernels and write their outputs, with the same bytes on every run.

    python -m tools.refresh_notebooks notebooks/*.ipynb
    python -m tools.refresh_notebooks --twice notebooks/*.ipynb

Everything that differs between two runs is removed: ids of widget views, saved widget states,
execution times, the log of a student's activity, and the way in which a kernel splits printed text.
Readers and nbval still see all the outputs.
"""

import argparse
import copy
import difflib
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, CellExecutionError, DeadKernelError
from nbformat import NotebookNode

from course.exercises.activity_log import METADATA_KEY

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_SECONDS = 300
MAX_TRACEBACK_ENTRIES = 12
ANSI_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
ANSWER_TAG = re.compile(r"answer(?:-(\d))?")  # the cell, or its first n paragraphs, are an answer


class NotebookError(Exception):
    """A notebook cannot be run to its end; the message names the cell and the reason."""


def main(arguments: list[str] | None = None) -> int:
    """Run all notebooks of the command line; return 1 if one of them failed, or else 0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("notebooks", nargs="+", type=Path, metavar="NOTEBOOK")
    text = "write nothing; run all cells twice in one kernel and compare their outputs"
    parser.add_argument("--twice", action="store_true", help=text)
    options = parser.parse_args(arguments)
    failed = 0
    for path in options.notebooks:
        start = time.monotonic()
        try:
            outcome = run_twice(path) if options.twice else refresh(path)
        except NotebookError as error:
            failed += 1
            outcome = f"FAILED\n{error}"
        print(f"{path}  {time.monotonic() - start:.1f} s  {outcome}", flush=True)
    if failed:
        print(f"{failed} of {len(options.notebooks)} notebooks failed")
    return 1 if failed else 0


def refresh(path: Path) -> str:
    """Run a notebook and update its file; return "unchanged" or "written"."""
    content = to_text(clean(execute(read_notebook(path), path))).encode()
    if content == path.read_bytes():
        return "unchanged"
    part = path.with_suffix(".part")  # so that an interrupted run leaves the old file complete
    part.write_bytes(content)
    part.replace(path)
    return "written"


def run_twice(path: Path) -> str:
    """Run all cells twice in one kernel; NotebookError unless both runs show the same."""
    notebook = read_notebook(path)
    count = len(notebook.cells)
    notebook.cells += copy.deepcopy(notebook.cells)
    for cell in notebook.cells[count:]:
        cell["id"] = f"again-{cell['id']}"[:64]
    cells = clean(execute(notebook, path)).cells
    for number, (first, second) in enumerate(zip(cells[:count], cells[count:], strict=True), 1):
        if (was := comparable_output(first)) != (now := comparable_output(second)):
            changes = [line[:160] for line in difflib.ndiff(was, now) if line[0] in "+-"]
            raise NotebookError(
                f"{cell_label(path, number, first)} shows something else when it runs again:\n"
                + "\n".join(changes[:12])
            )
    return "the same when run again"


def read_notebook(path: Path) -> NotebookNode:
    """Return the notebook in a file; NotebookError if the file is not a notebook."""
    try:
        return nbformat.read(path, 4)
    except nbformat.reader.NotJSONError as error:
        raise NotebookError(f"{path} is not a notebook: {error}") from error


def execute(notebook: NotebookNode, path: Path) -> NotebookNode:
    """Run all cells in a fresh kernel, in the notebook's folder, and return the notebook.

    NotebookError if a cell raises an error, unless it has the tag raises-exception.
    """
    begun: list[int] = []
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=CELL_SECONDS,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(path.parent)}},
        on_cell_start=lambda cell, cell_index: begun.append(cell_index),
        extra_arguments=["--log-level=ERROR"],
    )
    # The user's IPython profile could change how values are shown.
    with tempfile.TemporaryDirectory() as profile:
        try:
            return client.execute(env={**os.environ, "IPYTHONDIR": profile})
        except (CellExecutionError, CellControlSignal, DeadKernelError) as error:
            place = cell_label(path, begun[-1] + 1, notebook.cells[begun[-1]])
            raise NotebookError(f"{place}: {ANSI_COLOUR.sub('', str(error))}") from error


def clean(notebook: NotebookNode) -> NotebookNode:
    """Return the notebook without anything that differs between runs or machines."""
    from nbconvert.preprocessors import CoalesceStreamsPreprocessor  # loading it takes a second

    notebook = copy.deepcopy(notebook)
    notebook.metadata = nbformat.from_dict(NOTEBOOK_METADATA)
    for cell in notebook.cells:
        for key in ("execution", "collapsed", "ExecuteTime"):
            cell.metadata.pop(key, None)
        if cell.cell_type == "code":
            CoalesceStreamsPreprocessor().preprocess_cell(cell, {}, 0)
            for output in cell.outputs:
                output.get("data", {}).pop(WIDGET_VIEW, None)
                output.get("metadata", {}).pop(METADATA_KEY, None)
                if output.output_type == "error":
                    output.traceback = notebook_frames(output.traceback)
    return notebook


def notebook_frames(traceback: list[str]) -> list[str]:
    """Return the notebook's part of a traceback, without files of this machine, and shortened."""
    own = [entry for entry in traceback if not ANSI_COLOUR.sub("", entry).startswith("File ")]
    return own if len(own) <= MAX_TRACEBACK_ENTRIES else [*own[:4], "...", *own[-3:]]


def comparable_output(cell: NotebookNode) -> list[str]:
    """Return the outputs of a cell that two runs must have in common, as lines of JSON."""
    shown = [
        {k: v for k, v in output.items() if k not in ("execution_count", "traceback")}
        for output in cell.get("outputs", [])
    ]
    return json.dumps(shown, indent=1, ensure_ascii=False).split("\n")


def to_text(notebook: NotebookNode) -> str:
    """Return the text of a notebook's file; ValidationError if the notebook is not valid."""
    nbformat.validate(notebook)
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def cell_label(path: Path, number: int, cell: NotebookNode) -> str:
    """Return the name of a cell in a message: the file, the number of the cell and its id."""
    return f"{path}, cell {number} (id {cell['id']})"


if __name__ == "__main__":
    sys.exit(main())
