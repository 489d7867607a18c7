"""A notebook cut into what is shown and said at one time: questions, and answers apart from them.

What belongs where stands in the metadata of the cells.  The `slideshow` of Jupyter says where a
slide begins, and what is skipped.  A tag `answer` marks what answers a question asked before:
the cell, or with `answer-1` its first paragraph, and so on.  With `remove-input` the output of a
cell is shown without its code.
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
# For the exporters of nbconvert.
EXPORTER_CONFIG = Config(
    {"TagRemovePreprocessor": {"enabled": True, "remove_input_tags": {HIDE_INPUT_TAG}}}
)
FURTHER_READING = "**Further reading"  # from here on a text is for reading
LOCAL_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]*\)")


def slide_cells(cells: list[NotebookNode]) -> Iterator[NotebookNode]:
    """Yield copies of the cells, cut where a slide ends; only an answer keeps the tag `answer`.

    A text is cut before a heading, and behind an answer that is its beginning.  The output of a
    program that answers follows the program, as a fragment: it is seen one click later.
    """
    for cell in map(deepcopy, cells):
        tags = cell.metadata.pop("tags", [])
        found = [match for tag in tags if (match := ANSWER_TAG.fullmatch(tag))]
        if cell.cell_type == "markdown":
            yield from _split_text(cell, int(found[0][1] or 0) if found else None)
        elif is_skipped(cell) or HIDE_INPUT_TAG in tags or not (found and cell.outputs):
            kept = [HIDE_INPUT_TAG] if HIDE_INPUT_TAG in tags else []
            yield _with_tags(cell, *(["answer", *kept] if found else kept))
        else:
            outputs, cell.outputs = cell.outputs, []
            yield _with_tags(cell)
            cell.outputs, cell.id = outputs, f"{cell.id}-shows"
            yield _with_tags(cell, "answer", HIDE_INPUT_TAG, slide="fragment")


def is_skipped(cell: NotebookNode) -> bool:
    """Return whether no slide has the cell."""
    return bool(cell.metadata.get("slideshow", {}).get("slide_type") == "skip")


def _split_text(cell: NotebookNode, answers: int | None) -> Iterator[NotebookNode]:
    """Yield the parts of a text; its first `answers` paragraphs are an answer, with 0 all."""
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
    """Return a copy of a cell with these tags; `slide` says how it is put on a slide."""
    cell = deepcopy(cell)
    cell.metadata.tags = list(tags)
    if slide:
        cell.metadata.slideshow = NotebookNode(slide_type=slide)
    return cell


def build_notebooks(description: str, build: Callable[[Path, Path], Path]) -> None:
    """Read the command line, build a file of each notebook that it names, or all; print where."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to write")
    parser.add_argument("notebooks", type=Path, nargs="*", metavar="NOTEBOOK")
    options = parser.parse_args()
    for path in options.notebooks or sorted((ROOT / "notebooks").glob("*.ipynb")):
        print(build(path, options.out))
