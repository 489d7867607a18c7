"""Write notebooks as worksheets: questions with space to write, trees to fill in, no answers.

    python -m tools.lecture.worksheets OUT [notebooks/03_alpha_beta.ipynb ...]

Open a worksheet in a browser and print it, on A4 or Letter.
"""

from collections.abc import Iterator
from pathlib import Path

from nbconvert import HTMLExporter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_output

from course import SearchStepper
from course.draw.tree import tree_drawing
from course.exercises.tree_exercises import inner_nodes
from course.widgets import stepper_export
from course.widgets.fill_in_tree import CUT_TASK, VALUE_TASK, field_width
from gamelib.svg import board_svg
from tools.lecture.split_cells import EXPORTER_CONFIG, build_notebooks, is_skipped, slide_cells
from tools.site import fragments, pages

HERE = Path(__file__).parent
EXPORTER = HTMLExporter(EXPORTER_CONFIG, template_name="basic", exclude_anchor_links=True)
PAPER_TASKS = {  # the task on a screen -> the task on paper
    CUT_TASK: "Which nodes can be skipped, from left to right? Cross out the edges above them.",
    VALUE_TASK: "Which value does each node have? Write it into the tree.",
}
ONE_SENTENCE_TASK = "**Say it in one sentence"  # the last task of a lesson
IMPORTS = ("from ", "import ")
BLANK_SPACE = '<div class="space" role="note" aria-label="room to write"></div>'


def register_formatters() -> None:
    """Make the outputs of this kernel contain what a worksheet shows of each widget."""
    fragments.register_formatters({SearchStepper: tree_to_trace})


def tree_to_trace(stepper: SearchStepper) -> str:
    """Return the HTML of a stepper's tree with empty nodes; of its root, if the tree is large."""
    state = stepper.trace.state
    try:
        inner = inner_nodes(state)
    except ValueError:  # too large for a sheet
        drawing = str(board_svg(state)) if state.spots() else ""
    else:
        blanks = dict.fromkeys(inner, " " * field_width(state))
        drawing = tree_drawing(state, expanded=inner, labels=blanks).svg
    return f'<div class="drawing traced">{drawing}</div>'


def build(path: Path, out: Path) -> Path:
    """Write the worksheet of a notebook to the folder `out`, and return its file."""
    notebook = pages.run_for_page(path, "lecture.worksheets")
    notebook.cells = list(without_answers(notebook.cells))
    # Paper is white, even if the screen has a dark theme.
    style = pages.style().replace("(prefers-color-scheme: dark)", "not all")
    text = stepper_export.document(
        pages.title(notebook),
        f'<p class="name">Name:</p>\n<main>\n{pages.body(notebook, EXPORTER)}</main>',
        style=style + (HERE / "worksheets.css").read_text(encoding="utf-8"),
        script=pages.script(),
        kind="sheet",
    )
    for screen, paper in PAPER_TASKS.items():
        text = text.replace(screen, paper)
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{path.stem}.html"
    file.write_text(text, encoding="utf-8")
    return file


def without_answers(cells: list[NotebookNode]) -> Iterator[NotebookNode]:
    """Yield the cells without answers; space to write replaces the output of a program."""
    space = new_output("display_data", {"text/html": BLANK_SPACE})
    for cell in slide_cells(cells):
        answers = "answer" in cell.metadata.tags
        if cell.cell_type == "markdown":
            if cell.source and not answers:
                yield cell
                if cell.source.startswith(ONE_SENTENCE_TASK):
                    yield new_markdown_cell(BLANK_SPACE, metadata={"tags": []})
        elif not is_skipped(cell):
            if answers:
                questions = [output for output in cell.outputs if _is_question(output)]
                cell.outputs = questions or [space]
            yield cell
        elif not (cell.source.startswith(IMPORTS) or any(map(_is_question, cell.outputs))):
            cell.outputs = [space] if answers else []
            yield cell


def _is_question(output: NotebookNode) -> bool:
    return "gl-live" in output.get("data", {}).get("text/html", "")


if __name__ == "__main__":
    build_notebooks(__doc__, build)
