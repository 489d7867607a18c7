"""Texts that are shown as plain text have no marks of Markdown.

Widgets turn only `code` into HTML.  So a star or a link would be shown as it is written, anywhere
in the texts of the course, and a backtick wherever a text is a label, or has no partner.
"""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.messages import broken

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
TEXTS = sorted((ROOT / "course" / "lessons").glob("*/*.toml"))
PROGRAMS = sorted((ROOT / "course").rglob("*.py"))
MARKS = re.compile(
    r"(?<![\w*/.)\]])(\*{1,2})(?=\w)[^*\n]*[\w.!?)]\1(?![\w*/.])"  # *stress* and **bold**
    r"|(?<!\w)_[^\W_][^_\n]*[^\W_]_(?!\w)"  # _stress_
    r"|\]\(\w|^#{1,6} ",  # links and headings
    re.MULTILINE,
)
LABELS = {"description", "options", "placeholder", "tooltip"}  # of widgets; the rest are HTML
# Arguments that are labels, by the function: a question is turned into HTML, its choices are not.
CHOICES = {"button": slice(None), "Predict": slice(1, 2), "Checkbox": slice(None)}


def strings(value: Any) -> Iterator[str]:
    """Yield every string in a table of TOML."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from strings([key, part])
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def constants(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string, without docstrings."""
    statements = {node.value for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node not in statements
        ):
            yield node.lineno, node.value


def labels(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string that a call shows as a label."""
    for node in nodes:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            shown = [word.value for word in node.keywords if word.arg in {*LABELS, "choices"}]
            for part in [*node.args[CHOICES.get(name, slice(0))], *shown]:
                yield from constants(list(ast.walk(part)))


def wrong(text: str, is_label: bool) -> bool:
    """Return whether a text would show a mark of Markdown."""
    return bool(MARKS.search(text)) or text.count("`") % 2 == 1 or (is_label and "`" in text)


def code_of(notebook: Path) -> ast.AST:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ast.parse("\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code"))


def in_tables() -> Iterator[str]:
    for path in TEXTS:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        found = [text for text in strings(table) if wrong(text, False)]
        if path.name == "quiz.toml":
            answers = [one for quiz in table.values() for one in quiz.get("answers", {})]
            found += [text for text in answers if wrong(text, True)]
        yield from (f"{path.relative_to(ROOT)}: {text}" for text in found)


def in_programs() -> Iterator[str]:
    trees = [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in PROGRAMS]
    for path, tree in [*trees, *((path, code_of(path)) for path in NOTEBOOKS)]:
        nodes = list(ast.walk(tree))
        found = [each for each in constants(nodes) if MARKS.search(each[1])]
        found += [each for each in labels(nodes) if wrong(each[1], True)]
        yield from (f"{path.relative_to(ROOT)}:{line}: {text}" for line, text in found)


def test_plain_texts_have_no_markdown() -> None:
    rule = "These texts are shown as they are. Take out the stars, underscores, links or backticks:"
    assert not (found := [*in_tables(), *in_programs()]), broken(rule, found)


def test_markdown_is_found() -> None:
    for text in ("It is *at most* 2.", "**Not** yet.", "_here_", "[page](a.md)", "an odd ` mark"):
        assert wrong(text, False)
    for text in ("3 * 4 * 5", "a_b_c", "`code` and `*args, **more`", "__init__", "2 * (x)"):
        assert not wrong(text, False)
    assert wrong("`code`", True)
