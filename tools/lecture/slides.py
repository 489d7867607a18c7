"""Slides of a notebook: one file each, which needs neither Python nor a network.

    python -m tools.lecture.slides OUT [notebooks/03_alpha_beta.ipynb ...]

Questions, trees, boards and steppers work in them, as on the pages of the site.  Beside the file of
all slides stands one for a lecture of fifty minutes, `03_alpha_beta.short.html`; `short.toml` names
its slides.
"""

import re
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path

from nbconvert import SlidesExporter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from course.kit.catalogue import catalogue
from course.widgets import reel
from tools.lecture.cells import CONFIG, each_notebook, is_skipped, pieces
from tools.site import pages
from tools.site.sources import from_npm

HERE = Path(__file__).parent
WIDE, HIGH = 1280, 720
REVEAL = (
    "reveal.js",
    "5.2.1",
    "r7//6mIM5p34hFiDMvYfXgyjXqGRta+/psd9YtytsgRlrpRzFv4RbH76TXd2qD+7ZPZEbpBDhdRhJaFgfQ7zNQ==",
)
EXPORTER = SlidesExporter(
    CONFIG, template_name="deck", extra_template_basedirs=[str(HERE)], exclude_anchor_links=True
)
ELSEWHERE = re.compile(r"(Predict|PlayBoard|Playground|Lab|ExperimentLab|Bandit)\((?:'(.*?)')?")
CALLED = {
    "Predict": "the question",
    "PlayBoard": "the board",
    "Playground": "the playground",
    "Bandit": "the slot machines",
    "Lab": "the lab",
    "ExperimentLab": "the lab",
}
SHORT: dict[str, list[str]] = tomllib.loads((HERE / "short.toml").read_text(encoding="utf-8"))
OF_AN_EXERCISE = re.compile(r"e\d")


def build(path: Path, out: Path) -> Path:
    """Return the file with the slides of a notebook, written to the folder `out`.

    Beside it stands the short deck, `short_of(file)`, if the lesson has one.
    """
    notebook = pages.run(path)
    notebook.cells = list(told(list(pieces(notebook.cells)), path.stem))
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{path.stem}.html"
    file.write_text(_deck(notebook), encoding="utf-8")
    if path.stem in SHORT:
        notebook.cells = list(shortened(notebook.cells, path.stem))
        short_of(file).write_text(_deck(notebook), encoding="utf-8")
    return file


def short_of(file: Path) -> Path:
    """Return the file with the short deck of a lesson."""
    return file.with_suffix(".short.html")


def shortened(cells: list[NotebookNode], notebook: str) -> Iterator[NotebookNode]:
    """Yield what is on the slides of the short deck of a lesson."""
    kept = False
    for cell in cells:
        if cell.metadata.get("slideshow", {}).get("slide_type") in ("slide", "subslide"):
            kept = cell.id in SHORT[notebook]
        if kept:
            yield cell


def _deck(notebook: NotebookNode) -> str:
    """Return the page with the slides of a notebook that is cut into them."""
    reveal = from_npm(*REVEAL) / "dist"
    program = f"const WIDE = {WIDE}, HIGH = {HIGH};\n{_text(HERE / 'slides.js')}"
    slides = f'<div class="slides">\n{pages.body(notebook, EXPORTER)}</div>'
    return reel.document(
        pages.title(notebook),
        f'<main class="reveal">{slides}</main>',
        style="\n".join([_text(reveal / "reveal.css"), pages.style(), _text(HERE / "slides.css")]),
        script="\n".join([_text(reveal / "reveal.js"), pages.script(), program]),
        kind="deck",
    )


def told(cells: list[NotebookNode], notebook: str) -> Iterator[NotebookNode]:
    """Yield the cells, with a line for each widget that only the notebook has, and its exercises.

    notebook  its name, such as "03_alpha_beta"
    """
    for cell in cells:
        if cell.cell_type == "markdown" and re.match(r"## \d+ Exercises", cell.source):
            cell.source = f"{cell.source.split('**E')[0].strip()}\n\n{_exercises(notebook)}"
        yield cell
        if found := _elsewhere(cell):
            yield new_markdown_cell(f'<p class="elsewhere">In the notebook: {found}.</p>')


def _elsewhere(cell: NotebookNode) -> str:
    """Return what a cell shows that is no part of a slide, or an empty text."""
    if cell.cell_type != "code" or not is_skipped(cell) or OF_AN_EXERCISE.match(cell.id):
        return ""
    for output in cell.outputs:
        if found := ELSEWHERE.match(output.get("data", {}).get("text/plain", "")):
            name, title = found.groups()
            return CALLED[name] + (f" “{escape(title)}”" if title else "")
    return ""


def _points(count: int) -> str:
    return "point" if count == 1 else "points"


def _exercises(notebook: str) -> str:
    """Return the exercises of a notebook as a list."""
    return "\n".join(
        f"- **{one.key[3:].upper()}** {one.title} ({one.points} {_points(one.points)})"
        for one in catalogue().values()
        if one.notebook == notebook
    )


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


if __name__ == "__main__":
    each_notebook(__doc__, build)
