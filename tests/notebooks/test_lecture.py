"""Notebooks as slides and on paper: what stands where, without a browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from tests.messages import broken
from tools.lecture import slides as slides_of
from tools.lecture import worksheets
from tools.lecture.split_cells import is_skipped, slide_cells

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("[0-9]*.ipynb"))
TYPES = {"slide", "subslide", "fragment", "skip", "-"}
ASKS = re.compile(r"^(?:Predict|Quiz|FillInTree)\(", re.M)


def slide_type(cell: NotebookNode) -> str:
    return str(cell.metadata.get("slideshow", {}).get("slide_type", "-"))


def slides(cells: list[NotebookNode]) -> Iterator[list[NotebookNode]]:
    """Yield what is on each slide."""
    here: list[NotebookNode] = []
    for cell in slide_cells(cells):
        if slide_type(cell) in ("slide", "subslide") and here:
            yield here
            here = []
        if slide_type(cell) != "skip":
            here.append(cell)
    yield here


def asks(cell: NotebookNode) -> bool:
    texts = (output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", []))
    return any(map(ASKS.search, texts))


def every_program_is_shown_or_skipped(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        if (
            cell.cell_type == "code"
            and cell.metadata.get("slideshow", {}).get("slide_type") not in TYPES
        ):
            yield f"{cell.id} says nothing about slides"


def every_verdict_is_an_answer(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        if ".compare(" in cell.source and "answer" not in cell.metadata.get("tags", []):
            yield f"{cell.id} compares a guess, and has no tag `answer`"


def answers_stand_on_a_later_slide(notebook: NotebookNode) -> Iterator[str]:
    for here in slides(notebook.cells):
        asked = False
        for cell in here:
            if asked and "answer" in cell.metadata.tags:
                yield f"{cell.id} answers on the slide of its question"
            asked = asked or asks(cell)


RULES = [  # of `test_hygiene.py`
    every_program_is_shown_or_skipped,
    every_verdict_is_an_answer,
    answers_stand_on_a_later_slide,
]


# The short decks


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_deck_has_at_most_25_slides(path):
    cells = nbformat.read(path, 4).cells
    count = len(slides_of.SHORT_DECKS.get(path.stem, list(slides(cells))))
    advice = "choose fewer in tools/lecture/short_decks.toml"
    assert count <= 25, f"{path.stem} has {count} slides, more than 25 for an hour: {advice}"


@pytest.mark.parametrize("name", slides_of.SHORT_DECKS)
def test_short_deck_runs_from_title_to_summary(name):
    (path,) = (path for path in NOTEBOOKS if path.stem == name)
    cells = list(slides_of.short_deck_cells(list(slide_cells(nbformat.read(path, 4).cells)), name))
    begins = [cell.id for cell in cells if slide_type(cell) in ("slide", "subslide")]
    rule = (
        f"In tools/lecture/short_decks.toml, {name} must list cells that begin a slide, in the "
        "order of the notebook. Correct these ids:"
    )
    wrong = set(slides_of.SHORT_DECKS[name]) ^ set(begins)
    assert begins == slides_of.SHORT_DECKS[name], broken(rule, sorted(wrong) or begins)
    ends = begins[0] == "title" and "summary" in begins[-2:]
    assert ends, f"the short deck {name} must begin with `title` and end with `summary`"


def words(text: str) -> list[str]:
    """Return the long words of a text without their endings."""
    return [word[:5] for word in re.findall(r"[a-z]{5,}", text.lower())]


@pytest.mark.parametrize("name", slides_of.SHORT_DECKS)
def test_summary_has_only_points_of_its_deck(name):
    (path,) = (path for path in NOTEBOOKS if path.stem == name)
    cells = list(slides_of.short_deck_cells(list(slide_cells(nbformat.read(path, 4).cells)), name))
    place = next(n for n, cell in enumerate(cells) if cell.source.startswith("## Summary"))
    earlier = {*words(" ".join(f"{c.source} {c.get('outputs', '')}" for c in cells[:place]))}
    _, *points = cells[place].source.split("\n- ")
    new = [
        point
        for point in points
        if sum(word not in earlier for word in words(point)) > 0.45 * len(words(point))
    ]
    rule = (
        f"{name}: most words of these points are on no slide of the short deck. Leave them out in "
        "[summary_points] of tools/lecture/short_decks.toml:"
    )
    assert points
    assert new == [], broken(rule, new)


@pytest.mark.parametrize("name", slides_of.SHORT_DECKS)
def test_stepper_above_an_open_line_asks(name):
    """A stepper that does not ask shows its program, and the line that the class is to write."""
    (path,) = (path for path in NOTEBOOKS if path.stem == name)
    cells = list(slides_of.short_deck_cells(list(slide_cells(nbformat.read(path, 4).cells)), name))
    open_lines = [n for n, cell in enumerate(cells) if "# your line" in cell.source]
    for cell in cells[: open_lines[0] if open_lines else 0]:
        shown = "SearchStepper(" in cell.source and not is_skipped(cell)
        assert not shown or "ask=True" in cell.source, f"{cell.id} shows the line to write"


def on_slide(kind: str, *tags: str) -> dict[str, object]:
    return {"slideshow": {"slide_type": kind}, "tags": list(tags)}


def a_lesson() -> list[NotebookNode]:
    question = new_output("execute_result", {"text/plain": "Predict('How many?', no guess yet)"})
    verdict = new_output("execute_result", {"text/plain": "no guess yet; measured: 3."})
    return [
        new_markdown_cell("# T\n\n## 1 Count", id="s1", metadata=on_slide("slide")),
        new_code_cell(
            "many = Predict('How many?')\nmany",
            id="asks",
            metadata=on_slide("-", "remove-input"),
            outputs=[question],
        ),
        new_code_cell(
            "many.compare(1 + 2)",
            id="tells",
            metadata=on_slide("subslide", "answer"),
            outputs=[verdict],
        ),
        new_markdown_cell(
            "Three.\n\n**Lab.** And now?", id="why", metadata=on_slide("subslide", "answer-1")
        ),
    ]


# How cells are cut


def test_answer_output_is_a_fragment_after_program():
    program, output = list(slide_cells([a_lesson()[2]]))
    assert (program.outputs, program.metadata.tags) == ([], [])
    assert (slide_type(output), output.metadata.tags) == ("fragment", ["answer", "remove-input"])


def test_skipped_answer_is_not_a_fragment():
    verdict = a_lesson()[2]
    verdict.metadata["slideshow"]["slide_type"] = "skip"
    assert [slide_type(piece) for piece in slide_cells([verdict])] == ["skip"]


def test_setup_position_is_shown_without_code():
    setup = new_code_cell("hand = TicTacToe()\nhand", id="setup")
    setup.metadata.slideshow = {"slide_type": "skip"}
    setup.outputs = [
        new_output("stream", text="ready"),
        new_output("execute_result", {"image/svg+xml": "<svg/>"}),
    ]
    left_out, position = slide_cells([setup])
    assert is_skipped(left_out)
    assert not is_skipped(position)
    assert position.metadata.tags == ["remove-input"]
    assert [output.output_type for output in position.outputs] == ["execute_result"]


def test_skipped_lab_leaves_a_note():
    lab = new_output("display_data", {"text/plain": "Lab('Depth against cost', not run)"})
    cells = [
        new_markdown_cell("Press *Run*.", id="asks", metadata=on_slide("slide")),
        new_code_cell("lab", id="lab", metadata=on_slide("skip"), outputs=[lab]),
        new_code_cell("lab", id="e1-plays", metadata=on_slide("skip"), outputs=[lab]),
    ]
    *_, note, of_an_exercise = slides_of.with_placeholders(list(slide_cells(cells)), "02_minimax")
    assert "In the notebook: the lab “Depth against cost”." in note.source
    assert of_an_exercise.id == "e1-plays"


def test_exercise_slide_lists_titles_without_texts():
    text = "## 9 Exercises\n\nChange the code.\n\n**E1.** The first one."
    (cell,) = slides_of.with_placeholders(
        list(slide_cells([new_markdown_cell(text, id="all")])), "02_minimax"
    )
    assert "The first one" not in cell.source
    assert re.findall(r"\*\*(E\d)\*\* .*\((\d) points\)", cell.source) == [
        ("E1", "3"),
        ("E2", "3"),
        ("E3", "2"),
        ("E4", "2"),
    ]


def test_text_is_split_before_question_and_heading():
    text = "So it is 3.\n\nNow more.\n\n## 2 Next\n\nHow many?\n\n**Further reading.** A book."
    cell = new_markdown_cell(text, id="why", metadata=on_slide("subslide", "answer-1"))
    assert [(p.source, slide_type(p), p.metadata.tags) for p in slide_cells([cell])] == [
        ("So it is 3.", "subslide", ["answer"]),
        ("Now more.", "subslide", []),
        ("## 2 Next\n\nHow many?", "slide", []),
    ]


def test_slide_drops_links_between_notebooks():
    cell = new_markdown_cell("[03](03_alpha_beta.ipynb), [a book](https://example.org)", id="links")
    (piece,) = slide_cells([cell])
    assert piece.source == "03, [a book](https://example.org)"


# On paper


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_worksheet_has_no_answer(path):
    for cell in worksheets.without_answers(nbformat.read(path, 4).cells):
        shown = str(cell.get("outputs", ""))
        assert "measured:" not in shown
        assert not (cell.cell_type == "markdown" and "answer" in cell.metadata.tags)
        assert "## Summary" not in cell.source


def test_worksheet_has_space_for_outputs():
    cells = list(worksheets.without_answers(a_lesson()))
    assert [cell.id for cell in cells] == ["s1", "s1-2", "asks", "tells", "tells-shows", "why-2"]
    (space,) = cells[4].outputs
    assert space.data["text/html"] == worksheets.BLANK_SPACE


def test_worksheet_has_space_for_closing_sentence():
    last = new_markdown_cell("**Say it in one sentence:** why?", id="next")
    assert [cell.source for cell in worksheets.without_answers([last])] == [
        last.source,
        worksheets.BLANK_SPACE,
    ]


def test_worksheet_has_space_for_skipped_answer():
    verdict = a_lesson()[2]
    verdict.metadata["slideshow"]["slide_type"] = "skip"
    (cell,) = worksheets.without_answers([verdict])
    assert [output.data["text/html"] for output in cell.outputs] == [worksheets.BLANK_SPACE]


def test_worksheet_omits_imports_and_widgets():
    exercise = new_output("display_data", {"text/html": "Not yet", "text/plain": "Not yet"})
    board = new_output("display_data", {"text/html": '<div class="gl-live gl-still"></div>'})
    skipped = [
        new_code_cell("from gamelib import Nim", id="setup", metadata=on_slide("skip")),
        new_code_cell("Playground()", id="play", metadata=on_slide("skip"), outputs=[board]),
        new_code_cell("check(f)", id="e1", metadata=on_slide("skip"), outputs=[exercise]),
    ]
    assert [(cell.id, cell.outputs) for cell in worksheets.without_answers(skipped)] == [("e1", [])]
