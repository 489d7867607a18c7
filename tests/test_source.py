"""Programs are cut into lines where Python cuts them, everywhere."""

import ast
import sys
from pathlib import Path

import pytest

from arena.source import indented, source_lines
from gamelib import ConnectFour, EinStein, TicTacToe
from tests.messages import broken

ROOT = Path(__file__).parents[1]
EVERY = "".join(map(chr, range(sys.maxunicode)))
CUTS = [line[-1] for line in EVERY.splitlines(keepends=True)[:-1]]  # the last one is not cut
ODD = [sign for sign in CUTS if sign not in "\r\n"]  # no line ends for Python
# Where `str.splitlines` may be called, and why.
ALLOWED = {
    "arena/sandbox/fork_server.py": "bytes end their lines at \\n and \\r only",
    "arena/results/record_file.py": "bytes end their lines at \\n and \\r only",
    "gamelib/games/board_text.py": "a board that somebody typed, with any line ends",
    "tools/prose_linter.py": "prose, and TOML texts, which are not programs",
}


def test_unusual_separators_are_known() -> None:
    assert {"\x0b", "\x0c", "\x85", "\u2028", "\u2029"} < {*ODD}


@pytest.mark.parametrize("sign", ODD, ids=ascii)
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"], ids=repr)
def test_source_lines_have_ast_line_numbers(sign: str, end: str) -> None:
    source = end.join([f"x = 1  # a{sign}b", f"y = 'c{sign}d'", "", "z = 3"])
    lines = source_lines(source)
    for node in ast.parse(source).body:
        first = ast.unparse(node)[0]
        assert lines[node.lineno - 1].startswith(f"{first} = ")
    assert ast.dump(ast.parse("\n".join(lines))) == ast.dump(ast.parse(source))


@pytest.mark.parametrize("sign", ODD, ids=ascii)
def test_indented_keeps_strings(sign: str) -> None:
    source = f"x = 'a{sign}b'\n\ny = 2"
    inside = ast.parse(f"if True:\n{indented(source, '    ')}").body[0]
    assert isinstance(inside, ast.If)
    assert list(map(ast.dump, inside.body)) == list(map(ast.dump, ast.parse(source).body))


@pytest.mark.parametrize("sign", CUTS, ids=ascii)
def test_parse_accepts_any_line_ends(sign: str) -> None:
    assert TicTacToe.parse(f"X..{sign}.O.{sign}...") == TicTacToe.parse("X.. / .O. / ...")
    rows = ["......."] * 5 + ["X......"]
    assert ConnectFour.parse(sign.join(rows)) == ConnectFour.parse("/".join(rows))
    rows = ["X1 . .", ". . .", ". . O1"]
    assert EinStein.parse(sign.join(rows)) == EinStein.parse("/".join(rows))


def test_splitlines_is_used_only_where_allowed() -> None:
    found = {}
    for package in ("gamelib", "gamefast", "arena", "course", "tools"):
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if "splitlines" not in text and "textwrap" not in text:
                continue  # like most files, which then need not be parsed
            for node in ast.walk(ast.parse(text)):
                called = getattr(node, "attr", "") == "splitlines"
                imported = isinstance(node, ast.ImportFrom) and node.module == "textwrap"
                if called or (imported and "indent" in {each.name for each in node.names}):
                    found[path.relative_to(ROOT).as_posix()] = node.lineno
    new = [f"{place}:{line}" for place, line in found.items() if place not in ALLOWED]
    rule = (
        "`str.splitlines` also splits where Python does not. Use `source_lines` or `indented` of "
        "arena.source for program text, or add the file to ALLOWED with the reason:"
    )
    assert new == [], broken(rule, new)
    unused = sorted(set(ALLOWED) - set(found))
    assert unused == [], broken("These files need no entry in ALLOWED. Delete it:", unused)
