"""A class goes on next week: each section runs with only the set-up cells before it.

What is *At home* goes on with the sections that its title names, and may need them, too.
"""

import copy
import itertools
import os
import re
import tempfile
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools import refresh_notebooks

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
HEADING = re.compile(r"^## +(.+)$", re.MULTILINE)
PAGES = NOTEBOOKS + sorted((Path(__file__).parents[2] / "docs" / "teacher").glob("[0-9]*.md"))
REFERENCE = re.compile(
    r"(?:[Nn]otebook (\d\d)(?:\]\([^)]*\))?(?:, | in ))?"
    r"\b[Ss]ections? (\d+)((?:(?:,| and| to) \d+)*)(?: of (\d\d)\b)?"
)
FORGET = "get_ipython().reset(new_session=False)"


def sections(notebook: NotebookNode) -> dict[str, list[NotebookNode]]:
    """Return the code cells of each section; those before the first one set up, under ""."""
    parts: dict[str, list[NotebookNode]] = {"": []}
    title = ""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            parts.setdefault(title, []).append(cell)
        elif headings := HEADING.findall(cell.source):
            title = headings[-1]
    return parts


def failures(notebook: NotebookNode, folder: Path) -> dict[str, str]:
    """Return the sections that do not run alone, each with its first cell that fails, and why.

    One kernel runs them all; it forgets every name before the next one.
    """
    parts = sections(notebook)
    cells, titles = [], []
    for title, own in parts.items():
        before = [part for other, part in parts.items() if goes_on(title, other)]
        run = [new_code_cell(FORGET), *itertools.chain(parts[""], *before, own if title else [])]
        cells += copy.deepcopy(run)
        titles += [title] * len(run)
    expected = [errors(cell) for cell in cells]
    for number, cell in enumerate(cells):
        cell.id, cell.outputs = f"run-{number}", []
    client = NotebookClient(
        refresh_notebooks.cleaned(new_notebook(cells=cells)),
        timeout=refresh_notebooks.CELL_SECONDS,
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--log-level=ERROR"],
    )
    with tempfile.TemporaryDirectory() as profile:  # the user's own could define names
        done = client.execute(env={**os.environ, "IPYTHONDIR": profile}).cells
    wrong: dict[str, str] = {}
    for title, cell, meant in zip(titles, done, expected, strict=True):
        if [name for name, _ in errors(cell)] != [name for name, _ in meant]:
            first = cell.source.splitlines()[0]
            wrong.setdefault(title, f"{first!r}: {errors(cell) or 'no error any more'}")
    return wrong


def goes_on(title: str, other: str) -> bool:
    """Return whether a section is the one at home that names this other one in its title."""
    return title.startswith("At home") and other.split(" ")[0] in re.findall(r"\d+", title)


def errors(cell: NotebookNode) -> list[tuple[str, str]]:
    """Return name and message of the error that a cell shows, if it shows one."""
    return [(o.ename, o.evalue) for o in cell.outputs if o.output_type == "error"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_each_section_runs_after_the_set_up_alone(path: Path) -> None:
    assert failures(nbformat.read(path, 4), path.parent) == {}


def missing_sections(text: str, own: str) -> list[str]:
    """Return the sections that a text names and that are not there."""
    missing = []
    for before, first, others, after in REFERENCE.findall(text):
        notebook = before or after or own
        for number in [first, *re.findall(r"\d+", others)]:
            if number not in section_numbers(notebook):
                missing.append(f"notebook {notebook}, section {number}")
    return missing


@cache
def section_numbers(notebook: str) -> set[str]:
    (path,) = (path for path in NOTEBOOKS if path.stem.startswith(notebook))
    prose = [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "markdown"]
    titles = HEADING.findall("\n".join(prose))
    return {title.split()[0] for title in titles}


@pytest.mark.parametrize("path", PAGES, ids=[path.name for path in PAGES])
def test_a_section_that_is_named_is_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = "\n".join(cell.source for cell in nbformat.read(path, 4).cells)
    assert missing_sections(text, path.stem[:2]) == []


def test_a_section_that_is_not_there_is_seen() -> None:
    text = "[Notebook 05](05_solver.ipynb), sections 1 and 77; notebook 04, section 78. Section 79"
    text += " and section 80 of 03."
    assert missing_sections(text, "08") == [
        "notebook 05, section 77",
        "notebook 04, section 78",
        "notebook 08, section 79",
        "notebook 03, section 80",
    ]


def test_what_a_section_takes_from_another_is_seen(tmp_path: Path) -> None:
    refused = new_code_cell("1 / 0", outputs=[new_output("error", ename="ZeroDivisionError")])
    cells = [
        new_markdown_cell("# Title"),
        new_code_cell("import math"),
        new_markdown_cell("Ready?\n\n## Whole\n\nIt makes what it needs."),
        new_code_cell("near = math.pi"),
        new_code_cell("round(near)"),
        new_markdown_cell("## Torn"),
        new_code_cell("round(near)"),
        new_markdown_cell("## Meant to fail"),
        refused,
        new_markdown_cell("## 1 Named"),
        new_code_cell("far = 2"),
        new_markdown_cell("## At home: more of section 1"),
        new_code_cell("far + 1"),
    ]
    wrong = failures(new_notebook(cells=cells), tmp_path)
    assert list(wrong) == ["Torn"]
    assert "name 'near' is not defined" in wrong["Torn"]
