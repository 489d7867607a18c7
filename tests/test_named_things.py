"""Whatever a docstring or a message writes as code exists: names, files and commands."""

import ast
import builtins
import importlib.util
import keyword
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.messages import broken

ROOT = Path(__file__).parents[1]
PACKAGES = ["gamelib", "gamefast", "arena", "course", "tools"]
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"[\w/.-]+\.(?:py|toml|md|ipynb|mjs|json|csv|ini)")
COMMAND = re.compile(r"python -m ([\w.]+)")
# Names of others, and names that stand for those of the reader.
FOREIGN = {
    *("existence", "substitution"),  # Vale
    *("ServerApp", "kernel_websocket_connection_class"),  # Jupyter
    *("malloc", "serialize", "futures"),  # C, OpenSpiel, a module in a package of Python
    *("MyGame", "min_value", "my_search", "turingalan"),  # examples
}


@cache
def sources() -> list[tuple[str, list[ast.AST]]]:
    """Return (file, all nodes of its syntax tree) for each file."""
    return [
        (
            str(path.relative_to(ROOT)),
            list(ast.walk(ast.parse(path.read_text(encoding="utf-8")))),
        )
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    ]


def names_in(nodes: list[ast.AST]) -> set[str]:
    """Return every name that code defines or uses, and the strings that could be names."""
    found: set[str] = set()
    for node in nodes:
        for field in ("id", "attr", "arg", "name", "asname"):
            text = getattr(node, field, None)
            if isinstance(text, str):
                found |= set(text.split("."))
        if isinstance(node, ast.Constant) and re.fullmatch(r"[\w.]+", str(node.value)):
            found |= set(str(node.value).split("."))
    return found


@cache
def known_names() -> set[str]:
    """Return all names of the project and of Python; read once, by the first test that needs it."""
    known = {*dir(builtins), *keyword.kwlist, *sys.stdlib_module_names, *PACKAGES, *FOREIGN}
    for file, nodes in sources():
        known |= names_in(nodes) | set(Path(file).with_suffix("").parts)
    return known


@cache
def missing(code: str) -> str | None:
    """Return the first thing in a piece of code that does not exist."""
    if command := COMMAND.search(code):
        return None if importlib.util.find_spec(command[1]) else command[1]
    if FILE.fullmatch(code):
        if "/" not in code:
            return None  # a file of the reader's
        inside = (each for package in PACKAGES for each in (ROOT / package).glob(f"**/{code}"))
        return None if (ROOT / code).exists() or any(inside) else code
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return None  # a formula, a position, an option of a shell
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    used |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg}
    unknown = sorted(name for name in used - known_names() if len(name) > 1)
    return unknown[0] if unknown else None


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("minimax(state)", None),
        ("minimaxx(state)", "minimaxx"),
        ("SearchResult.valued", "valued"),
        ("minimax(state, deepness=3)", "deepness"),
        ("python -m arena match", None),
        ("python -m arenas", "arenas"),
        ("tools/site/nowhere.py", "tools/site/nowhere.py"),
    ],
)
def test_missing_returns_first_unknown_name(code: str, name: str | None) -> None:
    assert missing(code) == name


def test_docstrings_and_messages_name_only_things_that_exist() -> None:
    lines = [
        f"{file}:{node.lineno}: `{code}`: {name}"
        for file, nodes in sources()
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for code in CODE.findall(node.value)
        if (name := missing(code))
    ]
    assert not lines, broken("These names do not exist: write today's name.", lines)
