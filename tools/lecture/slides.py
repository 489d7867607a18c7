"""Write the slides of each notebook as one file, which needs neither Python nor a network.

    python -m tools.lecture.slides OUT [notebooks/03_alpha_beta.ipynb ...]

Questions, trees, boards and steppers work in the slides, as on the pages of the site.  A second
file, such as `03_alpha_beta.short.html`, has the slides of a lecture of fifty minutes;
`short_decks.toml` lists them.
"""

import re
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path

from nbconvert import SlidesExporter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from course.exercises.catalogue import catalogue
from course.widgets import stepper_export
from tools.lecture.split_cells import EXPORTER_CONFIG, build_notebooks, is_skipped, slide_cells
from tools.site import pages
from tools.site.downloads import from_npm
from tools.site.fragments import NO_GUESS_TEXT

HERE = Path(__file__).parent
SLIDE_WIDTH, SLIDE_HEIGHT = 1280, 720
REVEAL = (
    "reveal.js",
    "5.2.1",
    "r7//6mIM5p34hFiDMvYfXgyjXqGRta+/psd9YtytsgRlrpRzFv4RbH76TXd2qD+7ZPZEbpBDhdRhJaFgfQ7zNQ==",
)
EXPORTER = SlidesExporter(
    EXPORTER_CONFIG,
    template_name="deck",
    extra_template_basedirs=[str(HERE)],
    exclude_anchor_links=True,
)
NOTEBOOK_ONLY = re.compile(r"(Predict|PlayBoard|Playground|Lab|ExperimentLab|Bandit)\((?:'(.*?)')?")
WIDGET_NAMES = {
    "Predict": "the question",
    "PlayBoard": "the board",
    "Playground": "the playground",
    "Bandit": "the slot machines",
    "Lab": "the lab",
    "ExperimentLab": "the lab",
}
_SHORT = tomllib.loads((HERE / "short_decks.toml").read_text(encoding="utf-8"))
SUMMARY_POINTS: dict[str, list[int]] = _SHORT.pop("summary_points")
SHORT_DECKS: dict[str, list[str]] = _SHORT
AT_HOME = "## At home"  # the heading above the sections that a class does not do together
# What widgets and checks say to a reader who can run cells, and not to an audience.
NOT_WRITTEN = "Not yet: "
NEEDS_PYTHON = " needs Python: "
NO_GUESS = re.compile(rf"{NO_GUESS_TEXT}(</span>)?; ")
EXERCISE_ID = re.compile(r"e\d")


def build(path: Path, out: Path) -> Path:
    """Write the slides of a notebook to the folder `out`, and return their file.

    If the lesson has a short deck, it is written to `short_deck_path(file)`.
    """
    notebook = pages.run_for_page(path)
    notebook.cells = list(with_placeholders(list(slide_cells(notebook.cells)), path.stem))
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{path.stem}.html"
    file.write_text(_deck_page(notebook), encoding="utf-8")
    if path.stem in SHORT_DECKS:
        notebook.cells = list(short_deck_cells(notebook.cells, path.stem))
        short_deck_path(file).write_text(_deck_page(notebook), encoding="utf-8")
    return file


def short_deck_path(file: Path) -> Path:
    """Return the path of the short deck that belongs to a file of slides."""
    return file.with_suffix(".short.html")


def short_deck_cells(cells: list[NotebookNode], notebook: str) -> Iterator[NotebookNode]:
    """Yield the cells on the slides of a lesson's short deck."""
    kept = False
    for cell in cells:
        if cell.metadata.get("slideshow", {}).get("slide_type") in ("slide", "subslide"):
            kept = cell.id in SHORT_DECKS[notebook]
        if kept:
            yield _with_points(cell, notebook)


def _with_points(cell: NotebookNode, notebook: str) -> NotebookNode:
    """Return a cell of a short deck; a summary has only the points that the deck has covered."""
    points = SUMMARY_POINTS.get(notebook)
    if points and cell.source.startswith("## Summary"):
        before, *listed = re.split(r"^- ", cell.source, flags=re.M)
        kept = [f"- {listed[number - 1].strip()}" for number in points]
        cell.source = before + "\n".join(kept)
    return cell


def _deck_page(notebook: NotebookNode) -> str:
    """Return the HTML page of a notebook whose cells are split into slides."""
    reveal = from_npm(*REVEAL) / "dist"
    sizes = f"const SLIDE_WIDTH = {SLIDE_WIDTH}, SLIDE_HEIGHT = {SLIDE_HEIGHT};"
    program = f"{sizes}\n{_read_text(HERE / 'slides.js')}"
    # without a guess, only the space for one is left
    body = NO_GUESS.sub(lambda found: found[1] or "", pages.body(notebook, EXPORTER))
    slides = f'<div class="slides">\n{body}</div>'
    return stepper_export.document(
        pages.title(notebook),
        # reveal.js calls its element an application, which the main part of a page cannot be.
        f'<main><div class="reveal">{slides}</div></main>',
        style="\n".join(
            [_read_text(reveal / "reveal.css"), pages.style(), _read_text(HERE / "slides.css")]
        ),
        script="\n".join([_read_text(reveal / "reveal.js"), pages.script(), program]),
        kind="deck",
    )


def with_placeholders(cells: list[NotebookNode], notebook: str) -> Iterator[NotebookNode]:
    """Yield the cells, with a line for each widget that works in the notebook only.

    The texts of the exercises are replaced by a list of their titles.  What is meant for a reader
    who runs the cells is left out: feedback on exercises, and the heading of the part for home.

    notebook  the name of the notebook, such as "03_alpha_beta"
    """
    for cell in cells:
        if cell.cell_type == "markdown" and re.match(r"## \d+ Exercises", cell.source):
            cell.source = f"{cell.source.split('**E')[0].strip()}\n\n{_exercise_list(notebook)}"
        if cell.cell_type == "markdown" and cell.source.startswith(AT_HOME):
            continue
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if not _is_for_reader(each)]
        yield cell
        if found := _notebook_only_text(cell):
            yield new_markdown_cell(f'<p class="notebook-only">In the notebook: {found}.</p>')


def _is_for_reader(output: NotebookNode) -> bool:
    """Return whether an output speaks to a reader, of an open exercise or of Python."""
    data = output.get("data", {})
    is_feedback = str(data.get("text/plain", "")).startswith(NOT_WRITTEN)
    return is_feedback or NEEDS_PYTHON in str(data.get("text/html", ""))


def _notebook_only_text(cell: NotebookNode) -> str:
    """Return the name of the widget that a skipped cell shows, or an empty text."""
    if cell.cell_type != "code" or not is_skipped(cell) or EXERCISE_ID.match(cell.id):
        return ""
    for output in cell.outputs:
        if found := NOTEBOOK_ONLY.match(output.get("data", {}).get("text/plain", "")):
            name, title = found.groups()
            return WIDGET_NAMES[name] + (f" “{escape(title)}”" if title else "")
    return ""


def _points(count: int) -> str:
    return "point" if count == 1 else "points"


def _exercise_list(notebook: str) -> str:
    """Return the exercises of a notebook as a Markdown list of titles and points."""
    return "\n".join(
        f"- **{exercise.cell.upper()}** {exercise.title} "
        f"({exercise.points} {_points(exercise.points)})"
        for exercise in catalogue().values()
        if exercise.notebook == notebook
    )


def _read_text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


if __name__ == "__main__":
    build_notebooks(__doc__, build)
