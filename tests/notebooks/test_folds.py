"""A student's copy folds answers; what the next visible cell needs is not folded with them."""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from tests.messages import broken
from tools.coursework import fold_answer

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("[0-9]*.ipynb"))
FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)
# A row of the glossary: the words, their meaning, the notebooks that teach them.
GLOSSARY_ROW = re.compile(
    r"^\| (?P<words>[^|]+) \|[^|]+\| (?P<number>\d\d)[\d, ]* \|$", re.MULTILINE
)
EMPHASIS = r"(\*\*?|_|`)"


def taught_words(number: str) -> list[str]:
    """Return the words of the glossary that a notebook is the first to teach."""
    rows = GLOSSARY_ROW.finditer((FOLDER / "glossary.md").read_text(encoding="utf-8"))
    found = [row["words"] for row in rows if row["number"] == number]
    return [word for words in found for word in words.split(", ") if re.search(r"\w{3}", word)]


def folded_and_visible(cell: NotebookNode) -> tuple[str, str]:
    """Return the folded text of a cell in a student's copy, and the text that is in sight."""
    if cell.cell_type != "markdown":
        return "", cell.source
    text = fold_answer(cell)
    return "\n".join(FOLDED.findall(text)), FOLDED.sub("", text)


def hidden_definitions(notebook: NotebookNode, words: list[str]) -> Iterator[str]:
    """Yield each word that is in sight only after a fold has introduced it."""
    texts = [folded_and_visible(cell) for cell in notebook.cells]
    for word in words:
        named = re.compile(rf"(?<![\w-]){re.escape(word)}s?(?![\w-])", re.IGNORECASE)
        defined = re.compile(rf"{EMPHASIS}{re.escape(word)}s?\1", re.IGNORECASE)
        folded, visible = (
            [place for place, text in enumerate(texts) if named.search(text[side])]
            for side in (0, 1)
        )
        in_sight = any(defined.search(text) for _, text in texts)
        if folded and visible and folded[0] < visible[0] and not in_sight:
            where, used = (notebook.cells[place].get("id") for place in (folded[0], visible[0]))
            yield f"{word!r} is introduced in the fold of {where!r}, and used in {used!r}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_no_definition_is_folded_away(path: Path) -> None:
    found = list(hidden_definitions(nbformat.read(path, 4), taught_words(path.stem[:2])))
    rule = f"{path.name}: define these words outside the answer (tag answer-1, answer-2, ...):"
    assert found == [], broken(rule, found)


def test_folded_definition_is_detected() -> None:
    answer = new_markdown_cell("It loses.\n\nThis is the **horizon**.", id="note")
    answer.metadata.tags = ["answer"]
    cells = [new_markdown_cell("Guess."), answer, new_markdown_cell("The horizon again.", id="use")]
    words = ["horizon", "ply"]
    (found,) = hidden_definitions(new_notebook(cells=cells), words)
    assert "'horizon'" in found
    assert "'note'" in found
    assert "'use'" in found
    answer.metadata.tags = ["answer-1"]
    assert list(hidden_definitions(new_notebook(cells=cells), words)) == []
