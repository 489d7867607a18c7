"""The rules of `test_hygiene.py` that keep answers away from their questions.

A learner sees the sources of all cells, and the outputs of those that were run.  So an answer must
not be above its question, in the heading over it, or in the listing that it asks about.
"""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from nbformat import NotebookNode

from course.exercises.lesson_data import quiz_data, quiz_names
from course.exercises.mistakes import FLAWS
from tests.messages import broken

LESSONS = Path(__file__).parents[2] / "course" / "lessons"
HEADING = re.compile(r"^#{2,6} +(.+)$", re.MULTILINE)
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
# A heading names its subject or asks; one with a word of these says how it ends.
SAYS = re.compile(
    r"\b(is|are|does|do|not|no|never|nothing|everything|needs?|decides?|fails?|sees|takes|helps?"
    r"|wins|loses|shines|better|worse|wrong|right)\b"
)
# A docstring of a program says what its author claims; these words judge the claim.
JUDGES = re.compile(
    r"\b(well|badly|wrong|wrongly|right|rightly|correct|correctly|better|worse|never|always|error"
    r"|mistake|bug|fine|refused|loses|astray|forgets|otherwise|nothing|surer|seldom)\b"
)

Rule = Callable[[NotebookNode], Iterator[str]]


def words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def output_of(cell: NotebookNode) -> str:
    """Return all text that a cell shows: no pictures, no markup."""
    texts = []
    for output in cell.get("outputs", []):
        texts += [output.get("text", ""), output.get("evalue", "")]
        texts += [data for mime, data in output.get("data", {}).items() if mime == "text/plain"]
    return "\n".join(texts)


def questions(notebook: NotebookNode) -> Iterator[tuple[str, int, str]]:
    """Yield each guess: its name, the place of the cell that asks, and the answer shown later."""
    asked: dict[str, int] = {}
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        shown = re.findall(r"measured: (.+?)\.?(?=\. |\.?$)", output_of(cell), re.MULTILINE)
        compared = re.findall(r"\b(\w+)\.compare\(", cell.source)
        for name, answer in zip(compared, shown, strict=False):
            if name in asked:
                yield name, asked.pop(name), answer
        asked |= dict.fromkeys(re.findall(r"\b(\w+) = Predict\(", cell.source), place)


def headings_over_questions(notebook: NotebookNode) -> Iterator[str]:
    """Yield every heading of a section that asks for a guess or an answer."""
    title = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            title = (HEADING.findall(cell.source) or [title])[-1]
        elif title and re.search(r"\bPredict\(|\bquiz\(", cell.source):
            yield title
            title = ""


def is_telling(number: str) -> bool:
    """Return whether a number is one that hardly stands anywhere by chance."""
    return "." in number or len(number.strip("-").replace(",", "")) > 2


def answers_come_after_their_questions(notebook: NotebookNode) -> Iterator[str]:
    """No cell up to the question holds the number that its answer shows."""
    for name, asks, answer in questions(notebook):
        if not (NUMBER.fullmatch(answer) and is_telling(answer)):
            continue
        for cell in notebook.cells[: asks + 1]:
            text = f"{cell.source}\n{output_of(cell)}"
            if answer.replace(",", "") in (
                found.replace(",", "") for found in NUMBER.findall(text)
            ):
                yield f"{name}: the answer {answer} stands above it, in cell {cell.get('id')!r}"


def a_guess_can_be_made_before_the_answer(notebook: NotebookNode) -> Iterator[str]:
    """The cell that asks shows the question and answers no other one below it."""
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        for name in re.findall(r"\b(\w+) = Predict\(", cell.source):
            if re.search(rf"\b{name}\.compare\(", cell.source):
                yield f"{name}: asked and answered in one cell, {cell.get('id')!r}"
            if not re.search(rf"^{name}$", cell.source.splitlines()[-1]):
                yield f"{name}: cell {cell.get('id')!r} does not end by showing the question"


def answers_are_measured(notebook: NotebookNode) -> Iterator[str]:
    """The source below a question computes its answer and does not hold it."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            for given in re.findall(r"""\.compare\((-?[\d.,_]+|["'][^"']*["'])[,)]""", cell.source):
                yield f"cell {cell.get('id')!r} has the answer {given} in its source"


def headings_do_not_tell(notebook: NotebookNode) -> Iterator[str]:
    """A heading over a question names its subject, or asks."""
    for title in headings_over_questions(notebook):
        if "?" not in title and (told := SAYS.search(title.lower())):
            yield f"the heading {title!r} says how it ends: {told.group()!r}"


def repairs_come_after_the_search_for_the_line(notebook: NotebookNode) -> Iterator[str]:
    """Up to the cell that says which line is wrong, nothing shows the correct line.

    Text below it is on the same screen: it has no piece of the repair either.
    """
    for place, cell in enumerate(notebook.cells):
        for program in re.findall(r"flaw_line\((?:\w+\.)?(\w+)\)", cell.source):
            flaw = FLAWS[program]
            for earlier in notebook.cells[: place + 1]:
                # what the compared cell prints is the answer itself
                shown = output_of(earlier) if earlier is not cell else ""
                text = squeezed(f"{earlier.source} {shown}")
                for told in (flaw.repair, flaw.reason):
                    if told and squeezed(told) in text:
                        yield f"{program}: cell {earlier.get('id')!r} tells {told!r}"
            for near in notebook.cells[max(0, place - 2) : place + 2]:
                if near.cell_type == "markdown":
                    for piece in re.findall(r"`([^`]+)`", near.source):
                        if piece in (flaw.repair or "") and piece not in flaw.line:
                            yield f"{program}: cell {near.get('id')!r} shows {piece!r}"


def right_answers_are_not_recited(notebook: NotebookNode) -> Iterator[str]:
    """No text above a quiz has its right answer word by word."""
    above = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            above += f" {squeezed(cell.source).lower()}"
        for name in re.findall(r'\bquiz\("([^"]+)"\)', cell.source):
            correct = quiz_data(name)["correct"]
            for text in correct if isinstance(correct, list) else [correct]:
                if len(words(str(text))) > 3 and str(text).rstrip(".").lower() in above:
                    yield f"{name}: the text above it says {text!r}"


RULES: list[Rule] = [
    answers_come_after_their_questions,
    a_guess_can_be_made_before_the_answer,
    answers_are_measured,
    headings_do_not_tell,
    repairs_come_after_the_search_for_the_line,
    right_answers_are_not_recited,
]


def docstrings(path: Path) -> dict[str, str]:
    """Return the docstrings of a module's functions and classes, by name."""
    return {
        node.name: ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }


@pytest.mark.parametrize("program", FLAWS)
def test_lab_program_docstring_does_not_judge(program: str) -> None:
    (text,) = [
        found[program]
        for path in LESSONS.glob("*/lab_programs.py")
        if program in (found := docstrings(path))
    ]
    judging = JUDGES.findall(text.lower())
    rule = f"The docstring of {program} must not judge the program. Take out these words:"
    assert judging == [], broken(rule, judging)


@pytest.mark.parametrize("name", quiz_names())
def test_reason_for_wrong_answer_hides_correct_answer(name: str) -> None:
    data = quiz_data(name)
    correct = data["correct"] if isinstance(data["correct"], list) else [data["correct"]]
    for answer, reason in data["answers"].items():
        for right in map(str, correct):
            told = set(pieces(right)) <= set(pieces(reason))
            assert answer in correct or not told, broken(
                f"The quiz {name} gives its correct answer away. Rewrite the reason of {answer!r}:",
                [reason],
            )


def pieces(text: str) -> list[str]:
    """Return the words and numbers of a text."""
    return NUMBER.findall(text) + words(text)
