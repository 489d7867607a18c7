"""Split the cells of a notebook into the parts that a slide or a worksheet shows.

The metadata of the cells decide.  Jupyter's `slideshow` says where a slide begins and which cells
are skipped.  A cell with the tag `answer` answers an earlier question; with `answer-1`, only its
first paragraph does, and so on.  With the tag `remove-input`, the output of a cell is shown without
its code.
"""

import argparse
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path

from nbformat import NotebookNode
from traitlets.config import Config

from tools.refresh_notebooks import ANSWER_TAG
from tools.site.pages import ROOT

HIDE_INPUT_TAG = "remove-input"
SETUP_ID, PICTURE = "setup", "image/svg+xml"
# For the exporters of nbconvert.
EXPORTER_CONFIG = Config(
    {"TagRemovePreprocessor": {"enabled": True, "remove_input_tags": {HIDE_INPUT_TAG}}}
)
FURTHER_READING = "**Further reading"  # slides and sheets leave out the text from here on
LOCAL_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]*\)")


def slide_cells(cells: list[NotebookNode]) -> Iterator[NotebookNode]:
    """Yield copies of the cells, split where a slide ends; only answers keep the tag `answer`.

    A text is split before a heading, and after an answer at its beginning.  If a program answers a
    question, its output becomes a fragment of its own, which appears one click later.  The position
    that the set-up cell shows is kept without its code, because the text below speaks of it.
    """
    for cell in map(deepcopy, cells):
        tags = cell.metadata.pop("tags", [])
        found = [match for tag in tags if (match := ANSWER_TAG.fullmatch(tag))]
        if cell.cell_type == "markdown":
            yield from _split_text(cell, int(found[0][1] or 0) if found else None)
        elif cell.id == SETUP_ID and is_skipped(cell):
            yield _with_tags(cell)
            cell.outputs = [each for each in cell.outputs if PICTURE in each.get("data", {})]
            if cell.outputs:
                cell.id = f"{cell.id}-shows"
                yield _with_tags(cell, HIDE_INPUT_TAG, slide="-")
        elif is_skipped(cell) or HIDE_INPUT_TAG in tags or not (found and cell.outputs):
            kept = [HIDE_INPUT_TAG] if HIDE_INPUT_TAG in tags else []
            yield _with_tags(cell, *(["answer", *kept] if found else kept))
        else:
            outputs, cell.outputs = cell.outputs, []
            yield _with_tags(cell)
            cell.outputs, cell.id = outputs, f"{cell.id}-shows"
            yield _with_tags(cell, "answer", HIDE_INPUT_TAG, slide="fragment")


def is_skipped(cell: NotebookNode) -> bool:
    """Return whether the slides leave out the cell."""
    return bool(cell.metadata.get("slideshow", {}).get("slide_type") == "skip")


def _split_text(cell: NotebookNode, answers: int | None) -> Iterator[NotebookNode]:
    """Yield the parts of a text.

    answers  the number of paragraphs at its beginning that are an answer; 0 if all are, None if
             none is
    """
    text = LOCAL_LINK.sub(r"\1", cell.source.split(FURTHER_READING)[0]).strip()
    parts: list[list[str]] = [[]]
    for number, paragraph in enumerate(text.split("\n\n")):
        if number and (paragraph.startswith("#") or number == answers):
            parts.append([])
        parts[-1].append(paragraph)
    first, *others = ("\n\n".join(part) for part in parts)
    cell.source, name = first, cell.id
    yield _with_tags(cell) if answers is None else _with_tags(cell, "answer")
    for number, source in enumerate(others, 2):
        cell.source, cell.id = source, f"{name}-{number}"
        yield _with_tags(cell, slide="slide" if source.startswith("## ") else "subslide")


def _with_tags(cell: NotebookNode, *tags: str, slide: str = "") -> NotebookNode:
    """Return a copy of a cell with these tags, and with the slide type `slide` if it is given."""
    cell = deepcopy(cell)
    cell.metadata.tags = list(tags)
    if slide:
        cell.metadata.slideshow = NotebookNode(slide_type=slide)
    return cell


def build_notebooks(description: str, build: Callable[[Path, Path], Path]) -> None:
    """Build a file of each notebook on the command line, or of all, and print the paths."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to write")
    parser.add_argument("notebooks", type=Path, nargs="*", metavar="NOTEBOOK")
    options = parser.parse_args()
    for path in options.notebooks or sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        print(build(path, options.out))
