"""Check the project's English with the rules in .vale/House, which Vale can run in an editor.

    python -m tools.prose_linter                 the files that `make test` checks
    python -m tools.prose_linter gamelib docs    all texts in these folders

Prints the file, the line (in a notebook, the id of the cell), the rule, and what to write instead.
Each rule is a file in the format of Vale, https://vale.sh/docs/styles.
"""

import ast
import io
import json
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[1]
RULES = ROOT / ".vale" / "House"
CHECKED = ("*.md", "docs/**/*.md", "notebooks/*.md", "notebooks/*.ipynb", "course/**/*.toml")
CHECKED += ("tools/**/*.toml", "gamelib/**/*.py", "gamefast/**/*.py", "arena/**/*.py")
CHECKED += ("course/**/*.py", "tools/**/*.py", "tests/**/*.py")
SUFFIXES = {".md", ".ipynb", ".toml", ".py"}
CODE_KEYS = {"mistake", "line", "repair", "check", "reference", "answer"}  # in TOML files
MARKDOWN_CODE = re.compile(r"^( *)(```|~~~).*?^\1\2$|<!--.*?-->", re.M | re.S)
PARAGRAPH_END = re.compile(r"(\n\s*\n|\n(?= *(?:[-*] |\d+\. |#|\|)))")
SENTENCE_END = re.compile(r"(?<=[.?!:])[*_)”\"]*\s+(?=[*_(“\"]*[A-Z0-9*])")

Passage = tuple[int | str, str]  # a line, or the id of a cell, and the text that begins there


class Rule(NamedTuple):
    """One pattern of a rule; %s in its message stands for the words that match."""

    name: str
    pattern: re.Pattern[str]
    message: str


def load_rules() -> Iterator[Rule]:
    """Yield the rules, one for each pattern in their files."""
    for path in sorted(RULES.glob("*.yml")):
        rule: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        flags = re.IGNORECASE if rule.get("ignorecase") else 0
        edge = "" if rule.get("nonword") else r"\b"
        for pattern in rule.get("swap") or rule["tokens"]:
            # In a substitution, the first %s stands for the better word.
            message = rule["message"].replace("%s", rule.get("swap", {}).get(pattern, "%s"), 1)
            yield Rule(path.stem, re.compile(f"{edge}(?:{pattern}){edge}", flags), message)


def find_hits(files: list[Path]) -> list[str]:
    """Return "file:line: rule: message" for each sentence that breaks a rule."""
    rules = list(load_rules())
    return [
        f"{file.relative_to(ROOT)}:{place}: {rule.name}: {rule.message.replace('%s', match[0])}"
        for file in files
        for place, passage in read_passages(file.suffix, file.read_text(encoding="utf-8"))
        # Vale, too, replaces code in backticks by stars.
        for sentence in SENTENCE_END.split(re.sub(r"`[^`]+`", lambda m: "*" * len(m[0]), passage))
        for rule in rules
        for match in rule.pattern.finditer(" ".join(sentence.split()))
    ]


def read_passages(suffix: str, text: str) -> Iterator[Passage]:
    """Yield the passages of prose in a file."""
    match suffix:
        case ".md":
            yield from split_paragraphs(text)
        case ".py":
            yield from split_paragraphs(docstrings_and_comments(text))
        case ".ipynb":
            for cell in json.loads(text)["cells"]:
                if cell["cell_type"] == "markdown":
                    for _, paragraph in split_paragraphs("".join(cell["source"])):
                        yield cell["id"], paragraph
        case ".toml":
            for words in toml_texts(tomllib.loads(text)):
                first_line = words.strip().partition("\n")[0]
                yield text.partition(first_line)[0].count("\n") + 1, words


def split_paragraphs(text: str) -> Iterator[Passage]:
    """Yield the paragraphs, list items and table rows of a Markdown text, without its code."""
    line = 1
    for part in PARAGRAPH_END.split(MARKDOWN_CODE.sub(lambda m: "\n" * m[0].count("\n"), text)):
        if part.strip() and not part.startswith("    "):  # an indented block is code
            yield line, part.strip()
        line += part.count("\n")


def docstrings_and_comments(text: str) -> str:
    """Return the prose of a program, each part in the line where it begins."""
    lines = [""] * (text.count("\n") + 1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = token.string.lstrip("# ")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            docstring = (ast.get_docstring(node) or "").splitlines()
            for number, line in enumerate(docstring, node.body[0].lineno - 1 if docstring else 0):
                lines[number] = line
    return "\n".join(lines)


def toml_texts(value: Any, key: str = "") -> Iterator[str]:
    """Yield the texts of a TOML table, but not its code."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from [name] if key == "answers" else []  # each answer of a quiz is a key
            yield from toml_texts(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from toml_texts(part, key)
    elif isinstance(value, str) and value.strip() and key not in CODE_KEYS:
        yield value


def checked_files(names: Sequence[str] = ()) -> list[Path]:
    """Return the given files and those in the given folders, or else the files of CHECKED."""
    paths = [ROOT / name for name in names]
    found = [[path, *path.rglob("*")] for path in paths] or map(ROOT.glob, CHECKED)
    return sorted({path for paths in found for path in paths if path.suffix in SUFFIXES})


def main(arguments: list[str]) -> int:
    """Print the hits and their number for each rule; return 1 if there are any."""
    hits = find_hits(checked_files(arguments))
    print(*hits, sep="\n")
    print(f"{len(hits)} hits", dict(Counter(hit.split(": ")[1] for hit in hits)))
    return 1 if hits else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
