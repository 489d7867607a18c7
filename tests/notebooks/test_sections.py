"""A class goes on next week: each section needs no cells before it but those that set up.

What is *At home* goes on with the sections that its title names, and may need them, too.
"""

import builtins
import itertools
import re
import string
import symtable
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests.messages import broken

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("[0-9]*.ipynb"))
HEADING = re.compile(r"^## +(.+)$", re.MULTILINE)
PAGES = NOTEBOOKS + sorted((Path(__file__).parents[2] / "docs" / "teacher").glob("[0-9]*.md"))
REFERENCE = re.compile(
    r"(?:[Nn]otebook (\d\d)(?:\]\([^)]*\))?(?:, | in ))?"
    r"\b[Ss]ections? (\d+)((?:(?:,| and| to) \d+)*)(?: of (\d\d)\b)?"
)
COMMAND = re.compile(r"^[%!].*$", re.MULTILINE)  # commands of IPython are not Python
ALWAYS_THERE = ("display", "get_ipython")


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


def missing(notebook: NotebookNode) -> dict[str, list[str]]:
    """Return the sections that read names which neither they nor the set-up cells define.

    Each has the names, with the cell that reads them first.  The whole notebook is run elsewhere.
    """
    parts, found = sections(notebook), dict[str, list[str]]()
    for title, own in parts.items():
        before = [part for other, part in parts.items() if goes_on(title, other)]
        known = {*dir(builtins), *ALWAYS_THERE}
        for cell in itertools.chain(parts[""], *before, own if title else []):
            read, bound = names(cell.source)
            known |= bound
            if unknown := sorted(read - known):
                found.setdefault(title, []).append(f"{cell.id}: {', '.join(unknown)}")
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_labs_are_lettered_as_they_are_read(path: Path) -> None:
    number = int(path.stem[:2])
    text = "\n".join(cell.source for cell in nbformat.read(path, 4).cells)
    letters = re.findall(rf"\*\*[Ll]ab {number}([A-Z])\b", text)
    assert letters == [*string.ascii_uppercase[: len(letters)]]


def names(source: str) -> tuple[set[str], set[str]]:
    """Return the global names that a cell reads, in its functions, too, and those that it binds."""
    table = symtable.symtable(COMMAND.sub("", source), "cell", "exec")
    inside, read = [table], set()
    for one in inside:
        inside += one.get_children()
        used = (name for name in one.get_symbols() if name.is_referenced())
        read |= {name.get_name() for name in used if name.is_global() or one is table}
    made = (n for n in table.get_symbols() if n.is_assigned() or n.is_imported())
    return read, {name.get_name() for name in made}


def goes_on(title: str, other: str) -> bool:
    """Return whether a section is the one at home that names this other one in its title."""
    return title.startswith("At home") and other.split(" ")[0] in re.findall(r"\d+", title)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_each_section_needs_only_the_setup(path: Path) -> None:
    needed = missing(nbformat.read(path, 4))
    rule = "Each section must run after the set-up alone. Make these names in the section itself:"
    assert needed == {}, broken(rule, (f"{title}: {names}" for title, names in needed.items()))


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
def test_referenced_sections_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = "\n".join(cell.source for cell in nbformat.read(path, 4).cells)
    gone = missing_sections(text, path.stem[:2])
    rule = f"{path.name} names sections that are not there. Correct the number, or the heading:"
    assert gone == [], broken(rule, gone)


def test_missing_sections_are_detected() -> None:
    text = "[Notebook 05](05_solver.ipynb), sections 1 and 77; notebook 04, section 78. Section 79"
    text += " and section 80 of 03."
    assert missing_sections(text, "08") == [
        "notebook 05, section 77",
        "notebook 04, section 78",
        "notebook 08, section 79",
        "notebook 03, section 80",
    ]


def test_names_from_other_sections_are_detected() -> None:
    cells = [
        new_markdown_cell("# Title"),
        new_code_cell("import math\n%matplotlib inline"),
        new_markdown_cell("Ready?\n\n## Whole\n\nIt makes what it needs."),
        new_code_cell("near = math.pi"),
        new_code_cell("def own(far):\n    return [near * far for far in range(far)]"),
        new_markdown_cell("## Torn"),
        new_code_cell("def late():\n    return round(near)", id="late"),
        new_markdown_cell("## 1 Named"),
        new_code_cell("far = 2"),
        new_markdown_cell("## At home: more of section 1"),
        new_code_cell("display(far + 1)"),
    ]
    assert missing(new_notebook(cells=cells)) == {"Torn": ["late: near"]}
