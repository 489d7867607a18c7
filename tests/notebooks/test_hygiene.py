"""What strict nbval does not see, as it sees outputs and errors: complaints about a notebook."""

import ast
import io
import itertools
import json
import re
import statistics
import tempfile
import tokenize
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course.exercises.mistakes import FLAWS
from tests.messages import broken
from tests.notebooks import test_answers as answers
from tests.notebooks import test_lecture as lecture
from tools import refresh_notebooks
from tools.coursework import DEMO

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
LONGEST_CELL = 15
LONGEST_TEXT = 120  # words of a text cell
LONGEST_READING = 200  # words between two cells that are run
LONGEST_MEDIAN = 5
MOST_IGNORED = 0.05
IMPORTS = {
    *("arena", "collections", "course", "dataclasses", "fractions", "functools", "gamefast"),
    *("gamelib", "itertools", "math", "matplotlib", "numpy", "random", "statistics", "tempfile"),
    "typing",
}
IGNORING_TAGS = {"nbval-ignore-output", "nbval-skip"}
MACHINE = re.compile(
    r"(?<![\w.])/(?:home|root|Users|tmp|var|usr|opt|mnt|work)/[\w.-]+|[A-Za-z]:\\\\?Users"
    r"|(?:site|dist)-packages|\bat 0x[0-9a-fA-F]{6,}"
    + "".join(
        f"|{re.escape(str(path))}"
        for path in (ROOT, Path.home(), Path(tempfile.gettempdir()))
        if path != Path(path.anchor)
    )
)
TIME = re.compile(
    r"\b\d[\d.,]*\s?(?:ns|µs|us|ms|s|secs?|seconds?|minutes?|hours?)\b"
    r"|\b\d\d?:\d\d(?::\d\d)\b|\b20\d\d-\d\d-\d\d\b"
)

# In a window 853 pixels wide, as on a projector, JupyterLab wraps longer lines, even inside a word.
PRINTED_WIDTH = 84
COLUMNS = re.compile(r"\S {2,}\S.* {2,}\S")
LISTED = re.compile(r" ?\d+  ")  # a line of a program, with its number

Rule = Callable[[NotebookNode], Iterator[str]]


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tags(cell: NotebookNode) -> set[str]:
    return set(cell.metadata.get("tags", []))


def named(cell: NotebookNode) -> str:
    return f"cell {cell.get('id')!r} ({(cell.source.splitlines() or [''])[0][:50]})"


def shown_text(cell: NotebookNode) -> str:
    """Return all a reader can read in the outputs of a cell: no pictures, no markup."""
    texts = []
    for output in cell.outputs:
        texts += [output.get("text", ""), output.get("ename", ""), output.get("evalue", "")]
        texts += output.get("traceback", [])
        for mime, data in output.get("data", {}).items():
            if mime.startswith("text/") or mime == "image/svg+xml":
                texts.append(re.sub(r"<style.*?</style>|<[^<>]*>", " ", data, flags=re.DOTALL))
    return "\n".join(texts)


def is_as_the_tool_writes_it(notebook: NotebookNode) -> Iterator[str]:
    if refresh_notebooks.clean(notebook) != notebook:
        yield "it holds widget states, times or split outputs: run `make notebooks`"


def is_executed_in_order(notebook: NotebookNode) -> Iterator[str]:
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts are {counts}: run `make notebooks`"


def ids_are_unique(notebook: NotebookNode) -> Iterator[str]:
    seen = set()
    for cell in notebook.cells:
        if not CELL_ID.fullmatch(str(cell.get("id", ""))):
            yield f"{named(cell)} has no valid id: give it one of letters, digits, `-` and `_`"
        if cell.get("id") in seen:
            yield f"{named(cell)} has the id of an earlier cell: give it another one"
        seen.add(cell.get("id"))


def errors_are_meant(notebook: NotebookNode) -> Iterator[str]:
    for cell in code_cells(notebook):
        fails = any(output.output_type == "error" for output in cell.outputs)
        if not fails and "raises-exception" in tags(cell):
            yield f"{named(cell)} does not raise: take away its tag raises-exception"


def few_cells_are_ignored(notebook: NotebookNode) -> Iterator[str]:
    cells = code_cells(notebook)
    ignored = [cell for cell in cells if tags(cell) & IGNORING_TAGS]
    if len(ignored) > MOST_IGNORED * len(cells):
        share = f"at most {MOST_IGNORED:.0%} may be left out"
        yield f"{len(ignored)} of {len(cells)} code cells are not compared; {share}"
    for cell in ignored:
        if not cell.metadata.get("gamelib", {}).get("ignored_because"):
            reason = "write the reason into its metadata, gamelib.ignored_because"
            yield f"{named(cell)} is not compared: {reason}"
    for cell in cells:
        if "NBVAL" in cell.source:
            yield f"{named(cell)}: use a tag instead of a comment for nbval"


def no_machine_shows(notebook: NotebookNode) -> Iterator[str]:
    for cell in code_cells(notebook):
        for found in MACHINE.finditer(shown_text(cell)):
            yield f"{named(cell)} shows {found.group()!r}, which other machines or runs do not have"


def no_time_shows(notebook: NotebookNode) -> Iterator[str]:
    for cell in code_cells(notebook):
        for found in TIME.finditer(shown_text(cell)):
            yield f"{named(cell)} shows a time, {found.group()!r}: show a count instead"


def printed_tables_fit_a_projector(notebook: NotebookNode) -> Iterator[str]:
    for cell in code_cells(notebook):
        printed = "".join(output.get("text", "") for output in cell.outputs)
        for line in printed.splitlines():
            if len(line) > PRINTED_WIDTH and COLUMNS.search(line) and not LISTED.match(line):
                yield f"{named(cell)} prints a row of {len(line)} characters: {PRINTED_WIDTH} fit"


def cells_are_short(notebook: NotebookNode) -> Iterator[str]:
    lengths = [len(cell.source.splitlines()) for cell in code_cells(notebook)]
    for cell, length in zip(code_cells(notebook), lengths, strict=True):
        if length > LONGEST_CELL:
            yield f"{named(cell)} has {length} lines: split it, {LONGEST_CELL} are the most"
    if lengths and statistics.median(lengths) > LONGEST_MEDIAN:
        yield f"half of the cells have more than {LONGEST_MEDIAN} lines: split some"


def doing_comes_before_reading(notebook: NotebookNode) -> Iterator[str]:
    """Complain of long texts; the summary behind the last code cell may be long."""
    read = 0
    last = max(i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code")
    for cell in notebook.cells[:last]:
        words = len(re.findall(r"\w[^\s|]*", cell.source)) if cell.cell_type == "markdown" else 0
        read = read + words if cell.cell_type == "markdown" else 0
        if words > LONGEST_TEXT:
            yield f"{named(cell)} has {words} words: cut or split it, {LONGEST_TEXT} are the most"
        if read > LONGEST_READING:
            most = f"{LONGEST_READING} are the most: cut, or let the reader run something before"
            yield f"{named(cell)}: {read} words since something was run; {most}"


def imports_are_few(notebook: NotebookNode) -> Iterator[str]:
    for cell in code_cells(notebook):
        try:
            tree = ast.parse(cell.source)
        except SyntaxError as error:
            yield f"{named(cell)} does not compile as plain Python: {error.msg}"
            continue
        nodes = list(ast.walk(tree))
        names = [n.module or "." for n in nodes if isinstance(n, ast.ImportFrom)]
        names += [one.name for n in nodes if isinstance(n, ast.Import) for one in n.names]
        for name in names:
            if name.split(".")[0] not in IMPORTS:
                yield f"{named(cell)} imports {name}, which is not in IMPORTS of test_hygiene.py"


def headings_are_in_order(notebook: NotebookNode) -> Iterator[str]:
    headings = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            prose = re.sub(r"^(```|~~~).*?^\1", "", cell.source, flags=re.DOTALL | re.MULTILINE)
            headings += re.findall(r"^(#{1,6})\s+(.+)$", prose, re.MULTILINE)
    levels = [len(marks) for marks, _ in headings]
    if levels.count(1) != 1 or levels[0] != 1:
        yield "it needs one heading of level 1, and that one first"
    for (_, title), (before, level) in zip(headings[1:], itertools.pairwise(levels), strict=True):
        if level > before + 1:
            yield f"the heading {title!r} has level {level} below level {before}: leave none out"


def no_cell_ends_in_a_semicolon(notebook: NotebookNode) -> Iterator[str]:
    blank = {tokenize.COMMENT, tokenize.NEWLINE, tokenize.NL, tokenize.ENDMARKER, tokenize.DEDENT}
    for cell in code_cells(notebook):
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(cell.source).readline))
        except (tokenize.TokenError, SyntaxError):
            continue  # another rule says that this is not Python
        words = [token.string for token in tokens if token.type not in blank]
        if words and words[-1] == ";":
            yield f"{named(cell)} ends in `;`, which hides nothing from nbval: write `_ = ...`"


RULES: list[Rule] = [
    is_as_the_tool_writes_it,
    is_executed_in_order,
    ids_are_unique,
    errors_are_meant,
    few_cells_are_ignored,
    no_machine_shows,
    no_time_shows,
    printed_tables_fit_a_projector,
    cells_are_short,
    doing_comes_before_reading,
    imports_are_few,
    headings_are_in_order,
    no_cell_ends_in_a_semicolon,
    *answers.RULES,
    *lecture.RULES,
]


def read_as_it_is(path: Path) -> NotebookNode:
    """Return the notebook without the repairs that nbformat makes when it reads a file."""
    notebook = nbformat.from_dict(json.loads(path.read_text(encoding="utf-8")))
    return nbformat.v4.rwbase.rejoin_lines(notebook)


read_once = cache(read_as_it_is)  # for the rules, which change nothing


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebook_follows_rule(path: Path, rule: Rule) -> None:
    complaints = list(rule(read_once(path)))
    assert complaints == [], broken(f"{path.name} breaks the rule {rule.__name__}:", complaints)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebook_has_valid_format(path: Path) -> None:
    nbformat.validate(read_as_it_is(path))


def test_notebook_names_are_numbered() -> None:
    assert NOTEBOOKS
    allowed = re.compile(rf"\d\d_[a-z_]+|{DEMO.stem}")
    wrong = [path.name for path in NOTEBOOKS if not allowed.fullmatch(path.stem)]
    rule = "A lesson is called like 02_minimax.ipynb. Rename these:"
    assert wrong == [], broken(rule, wrong)


FLAW = FLAWS["fair_choice"]


def a_good_notebook() -> NotebookNode:
    shown = new_output("execute_result", {"text/plain": "0.5"})
    asked = new_output("execute_result", {"text/plain": "Predict('How many?', no guess yet)"})
    measured = new_output("stream", name="stdout", text="no guess yet; measured: 5,478.\n")
    refused = new_output("error", ename="ValueError", evalue="no", traceback=["ValueError: no"])
    flaw = "line.compare(flaw_line(broken.fair_choice))"
    cells = [
        new_markdown_cell("# Title\n\n## 1 How many?\n\n```\n#### in a program\n```", id="title"),
        code("in", "import random\nfrom gamelib import minimax"),
        code("half", "1 / 2", shown),
        code("refused", "raise ValueError('no')", refused, tags=["raises-exception"]),
        code("ask", 'guess = Predict("How many?")\nguess', asked),
        code("tell", "guess.compare(count())", measured, kind="subslide", tags=["answer"]),
        new_markdown_cell("5,478 positions. The value is the result with best play.", id="why"),
        new_markdown_cell("## 2 The line", id="s2"),
        code("line", 'line = Predict("Which line is wrong?")\nline', asked),
        code("flaw", flaw, kind="subslide", tags=["answer"]),
        code("quiz", 'quiz("minimax/weak")'),
        new_markdown_cell(f"## 3 The repair\n\nIt reads `{FLAW.repair}`.", id="s3"),
    ]
    notebook = refresh_notebooks.clean(new_notebook(cells=cells))
    for count, cell in enumerate(code_cells(notebook), 1):
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
    return notebook


def code(
    name: str, source: str, *outputs: NotebookNode, kind: str = "-", tags: Sequence[str] = ()
) -> NotebookNode:
    facts = {"slideshow": {"slide_type": kind}, "tags": [*tags]}
    return new_code_cell(source, id=name, outputs=[*outputs], metadata=facts)


def test_good_notebook_follows_all_rules() -> None:
    complaints = [complaint for rule in RULES for complaint in rule(a_good_notebook())]
    message = "A rule complains of `a_good_notebook`. Correct the rule, or the notebook here:"
    assert complaints == [], broken(message, complaints)


Spoil = Callable[[NotebookNode], object]


def of(notebook: NotebookNode, name: str) -> NotebookNode:
    (found,) = (cell for cell in notebook.cells if cell.id == name)
    return found


def changed(name: str, **facts: object) -> Spoil:
    return lambda notebook: of(notebook, name).update(facts)


def printed(text: str) -> Spoil:
    return changed("half", outputs=[new_output("stream", name="stdout", text=text)])


def written(source: str, name: str = "half") -> Spoil:
    return changed(name, source=source)


def tagged(name: str) -> Spoil:
    return changed("half", metadata=nbformat.from_dict({"tags": [name]}))


FAULTS: list[tuple[str, Spoil, Rule]] = [
    ("run out of order", changed("in", execution_count=7), is_executed_in_order),
    ("an id twice", changed("in", id="title"), ids_are_unique),
    ("an id missing", lambda nb: of(nb, "in").pop("id"), ids_are_unique),
    ("a tag without error", tagged("raises-exception"), errors_are_meant),
    ("an ignored cell", tagged("nbval-ignore-output"), few_cells_are_ignored),
    ("a comment for nbval", written("# NBVAL_IGNORE_OUTPUT\n1"), few_cells_are_ignored),
    (
        "a widget view",
        lambda nb: of(nb, "half").outputs[0].data.update({refresh_notebooks.WIDGET_VIEW: {}}),
        is_as_the_tool_writes_it,
    ),
    (
        "a widget state",
        lambda nb: nb.metadata.update(widgets={"state": {}}),
        is_as_the_tool_writes_it,
    ),
    (
        "a stream in pieces",
        changed("half", outputs=[new_output("stream", name="stdout", text="a")] * 2),
        is_as_the_tool_writes_it,
    ),
    ("a path of another machine", printed("saved to /home/ada/game.json"), no_machine_shows),
    ("a Windows path", printed(r"C:\Users\ada"), no_machine_shows),
    ("this checkout", printed(str(ROOT)), no_machine_shows),
    ("an address", printed("<object at 0x7f00c0ffee>"), no_machine_shows),
    ("milliseconds", printed("took 3.5 ms"), no_time_shows),
    ("a clock", printed("done 12:30:01"), no_time_shows),
    ("a date", printed("2026-01-31"), no_time_shows),
    ("a long cell", written("x = 1\n" * 16), cells_are_short),
    (
        "cells of middle length",
        lambda nb: [cell.update(source="x = 1\n" * 6) for cell in code_cells(nb)],
        cells_are_short,
    ),
    ("a long text", written("# A\n\n" + "word " * 120, "title"), doing_comes_before_reading),
    (
        "many texts",
        lambda nb: [nb.cells.insert(1, new_markdown_cell("word " * 110)) for _ in range(2)],
        doing_comes_before_reading,
    ),
    ("an import", written("import os"), imports_are_few),
    ("a late import", written("def f():\n    from subprocess import run"), imports_are_few),
    ("a magic", written("%time 1 + 1"), imports_are_few),
    ("a level skipped", written("# A\n\n### B", "title"), headings_are_in_order),
    ("no title", written("A", "title"), headings_are_in_order),
    ("a semicolon", written("1 / 2;  # quiet"), no_cell_ends_in_a_semicolon),
    (
        "an answer in the title",
        written("# T\n\n## 1 Is it 5478?", "title"),
        answers.answers_come_after_their_questions,
    ),
    (
        "an answer printed",
        written('print("5,478")\nguess = Predict("?")\nguess', "ask"),
        answers.answers_come_after_their_questions,
    ),
    (
        "asked and answered at once",
        written("guess = Predict('')\nguess.compare(1)", "ask"),
        answers.a_guess_can_be_made_before_the_answer,
    ),
    (
        "a question unseen",
        written("guess = Predict('')", "ask"),
        answers.a_guess_can_be_made_before_the_answer,
    ),
    ("an answer written", written("guess.compare(5_478)", "tell"), answers.answers_are_measured),
    ("a word", written("guess.compare('worse', note)", "tell"), answers.answers_are_measured),
    ("a verdict", written("# T\n\n## 1 Ties decide", "title"), answers.headings_do_not_tell),
    (
        "the repair",
        written(FLAW.repair or "", "line"),
        answers.repairs_come_after_the_search_for_the_line,
    ),
    (
        "the reason",
        written(f"line.compare(flaw_line(broken.fair_choice))  # {FLAW.reason}", "flaw"),
        answers.repairs_come_after_the_search_for_the_line,
    ),
    (
        "a table that a projector wraps",
        printed("500 v 100" + "          50.0" * 6),
        printed_tables_fit_a_projector,
    ),
    (
        "a piece of the repair",
        written("## 2 Line\n\nTry `-inf, inf`.", "s2"),
        answers.repairs_come_after_the_search_for_the_line,
    ),
    (
        "an answer recited",
        written("It never does worse than its value.", "s2"),
        answers.right_answers_are_not_recited,
    ),
    (
        "no word of slides",
        lambda nb: of(nb, "ask").metadata.pop("slideshow"),
        lecture.every_program_is_shown_or_skipped,
    ),
    (
        "a verdict without a tag",
        lambda nb: of(nb, "tell").metadata.pop("tags"),
        lecture.every_verdict_is_an_answer,
    ),
    (
        "an answer beside its question",
        lambda nb: of(nb, "tell").metadata.slideshow.update(slide_type="-"),
        lecture.answers_stand_on_a_later_slide,
    ),
]


@pytest.mark.parametrize(("spoil", "rule"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])
def test_rule_detects_its_fault(spoil: Callable[[NotebookNode], object], rule: Rule) -> None:
    notebook = a_good_notebook()
    spoil(notebook)
    assert list(rule(notebook)) != []


def test_one_ignored_cell_in_twenty_is_allowed() -> None:
    cells = [new_code_cell("1") for _ in range(20)]
    cells[0].metadata = nbformat.from_dict(
        {"tags": ["nbval-ignore-output"], "gamelib": {"ignored_because": "it depends on the clock"}}
    )
    assert list(few_cells_are_ignored(new_notebook(cells=cells))) == []


def test_counts_and_plies_are_not_times() -> None:
    notebook = a_good_notebook()
    printed("549,946 nodes, 9 stones, 3 x 3, 255168 sequences, value 0, 8 m")(notebook)
    assert list(no_time_shows(notebook)) == []
