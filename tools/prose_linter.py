"""Check the project's English with the rules of .vale/House, which Vale can run in an editor.

    python -m tools.prose_linter                 the files that `make test` checks
    python -m tools.prose_linter gamelib docs    every text below these paths, docstrings too

Prints the file, the line (or the cell), the rule, and what to write instead.  A rule is a file of
Vale's format, https://vale.sh/docs/styles, that extends `substitution` or `existence`.
"""

import ast
import io
import json
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[1]
RULES = ROOT / ".vale" / "House"
CLEAN = [  # what has no hits, so that a test can demand it
    *("*.md", "docs/**/*.md", "notebooks/*.md", "notebooks/*.ipynb"),
    *("course/**/*.toml", "tools/**/*.toml"),
]
CODE_KEYS = {"mistake", "line", "repair", "check", "code", "reference", "answer"}  # of TOML tables


class Rule(NamedTuple):
    """A pattern of a rule, and the message for it, with %s for the words that it finds."""

    name: str
    pattern: re.Pattern[str]
    message: str


class Hit(NamedTuple):
    """A sentence that breaks a rule; `place` is its line, or the id of its cell."""

    file: str
    place: int | str
    rule: str
    message: str
    sentence: str


def load_rules(folder: Path = RULES) -> list[Rule]:
    """Return the rules of a folder."""
    return [rule for path in sorted(folder.glob("*.yml")) for rule in _rules_in(path)]


def _rules_in(path: Path) -> Iterator[Rule]:
    data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    flags = re.IGNORECASE if data.get("ignorecase") else 0
    edge = "" if data.get("nonword") else r"\b"
    for pattern in data["swap" if data["extends"] == "substitution" else "tokens"]:
        # Of two %s Vale fills the first with the better word, and the second with what it finds.
        better = data.get("swap", {}).get(pattern, "%s")
        message = data["message"].replace("%s", better, 1)
        yield Rule(path.stem, re.compile(f"{edge}(?:{pattern}){edge}", flags), message)


def check(files: Iterable[Path], rules: list[Rule]) -> list[Hit]:
    """Return the hits of the rules in the texts of some files."""
    return [
        Hit(str(file), place, rule.name, rule.message.replace("%s", found[0]), sentence)
        for file in files
        for place, sentence in _sentences(
            READERS[file.suffix]((ROOT / file).read_text(encoding="utf-8"))
        )
        for rule in rules
        for found in rule.pattern.finditer(sentence)
    ]


def _sentences(passages: Iterable[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
    """Yield the sentences of passages; code in backticks becomes stars, as Vale does it."""
    for place, passage in passages:
        prose = re.sub(r"`[^`]+`", lambda code: "*" * len(code[0]), passage)
        for sentence in re.split(r"(?<=[.?!:])[*_)”\"]*\s+(?=[*_(“\"]*[A-Z0-9*])", prose):
            yield place, " ".join(sentence.split())


def read_markdown(text: str) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs, items and table rows of Markdown, without code."""
    text = re.sub(r"^( *)(```|~~~).*?^\1\2$|<!--.*?-->", _empty_lines, text, flags=re.M | re.S)
    start, lines = 1, list[str]()
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if not line.strip() or re.match(r" *(?:[-*] |\d+\. |#|\|)", line):
            yield start, "\n".join(lines)
            lines = []
        if line.strip() and (lines or not line.startswith("    ")):  # an indented block is code
            start = start if lines else number
            lines.append(line)


def _empty_lines(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def read_notebook(text: str) -> Iterator[tuple[str, str]]:
    """Yield the paragraphs of the Markdown cells, with the id of their cell."""
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "markdown":
            yield from ((cell["id"], part) for _, part in read_markdown("".join(cell["source"])))


def read_toml(text: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a table of feedback, quizzes or hints, but not its code."""
    lines = text.splitlines()
    for words in dict.fromkeys(_strings(tomllib.loads(text))):
        start = words.strip().splitlines()[0] if words.strip() else ""
        yield next((n for n, line in enumerate(lines, 1) if start in line), 1), words


def _strings(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            if key == "answers":  # the answers to choose from are keys
                yield name
            yield from _strings(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part, key)
    elif isinstance(value, str) and key not in CODE_KEYS:
        yield value


def read_python(text: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings and the comments of a program."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            start = node.body[0].lineno - 1 if node.body else 0
            parts = read_markdown(ast.get_docstring(node) or "")
            yield from ((start + line, part) for line, part in parts)
    start, lines = 0, list[str]()  # comments on successive lines are one text
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != start + len(lines):
                yield start, " ".join(lines)
                start, lines = token.start[0], []
            lines.append(token.string.lstrip("# "))
    yield start, " ".join(lines)


READERS: dict[str, Callable[[str], Iterable[tuple[Any, str]]]] = {
    ".md": read_markdown,
    ".ipynb": read_notebook,
    ".toml": read_toml,
    ".py": read_python,
}


def files_of(paths: Iterable[str]) -> list[Path]:
    """Return the files with text below some paths; without a path those of CLEAN."""
    found = [ROOT / path for path in paths]
    below = [file for path in found for file in (path.rglob("*") if path.is_dir() else [path])]
    files = below or [file for pattern in CLEAN for file in ROOT.glob(pattern)]
    return sorted(file.relative_to(ROOT) for file in files if file.suffix in READERS)


def main(arguments: list[str]) -> int:
    """Print the hits, and their number by rule; return 1 if there are any."""
    hits = check(files_of(arguments), load_rules())
    for hit in hits:
        print(f"{hit.file}:{hit.place}: {hit.rule}: {hit.message}")
    print(f"{len(hits)} hits", *map(str, Counter(hit.rule for hit in hits).items()))
    return 1 if hits else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
