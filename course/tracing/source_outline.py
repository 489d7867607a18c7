"""Read the outline of a function's source: its returns, breaks and loops, by line."""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

Span = range  # a range of lines
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class SourceOutline(NamedTuple):
    """The outline of a function's source, by line.

    returns  line of a `return` -> its lines, and the variables that it returns, if only variables
    breaks   line of a `break` -> the lines of its loop, and whether it is alone on its line
    exits    line of a `return` in a loop -> the lines of that loop
    targets  the variables of its `for` loops
    """

    returns: dict[int, tuple[Span, tuple[str, ...]]]
    breaks: dict[int, tuple[Span, bool]]
    exits: dict[int, Span]
    targets: frozenset[str]


EMPTY_OUTLINE = SourceOutline({}, {}, {}, frozenset())


@lru_cache(maxsize=500)
def outline_of(code: CodeType) -> SourceOutline:
    """Return the outline of a function; an empty one if its source is unavailable."""
    text = "".join(linecache.getlines(code.co_filename))
    node = next((each for each in _functions(text) if _is(each, code)), None)
    if node is None:
        return EMPTY_OUTLINE
    loops = (each.target for each in ast.walk(node) if isinstance(each, ast.For))
    parts = (part for target in loops for part in ast.walk(target))
    targets = frozenset(part.id for part in parts if isinstance(part, ast.Name))
    shape = SourceOutline({}, {}, {}, targets)
    body = node.body if isinstance(node.body, list) else [ast.Return(node.body)]
    for each in body:
        _read(each, shape, None)
    return shape


@lru_cache(maxsize=50)
def _functions(text: str) -> list[Any]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, NESTED[:3])]


def _is(node: Any, code: CodeType) -> bool:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    return first == code.co_firstlineno and getattr(node, "name", "<lambda>") == code.co_name


def _span(first: ast.AST, last: ast.AST | None = None) -> Span:
    end: Any = last or first
    return range(first.lineno, end.end_lineno + 1)  # type: ignore[attr-defined]


def _read(node: ast.AST, shape: SourceOutline, loop: Span | None, alone: bool = True) -> None:
    """Add the returns and breaks of a statement to the outline; `loop` is the loop around it."""
    if isinstance(node, ast.Return) and node.value is not None:
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        names = tuple(part.id if isinstance(part, ast.Name) else "" for part in parts)
        lines = _span(node.value) if not hasattr(node, "lineno") else _span(node)
        shape.returns.update(dict.fromkeys(lines, (lines, names)))
        if loop:
            shape.exits.update(dict.fromkeys(lines, loop))
    elif isinstance(node, ast.Break) and loop:
        shape.breaks[node.lineno] = loop, alone
    if isinstance(node, NESTED):
        return
    inner, after = loop, []
    if isinstance(node, ast.For | ast.While):
        inner, after = _span(node, node.body[-1]), node.orelse
    for child in ast.iter_child_nodes(node):
        alone = getattr(child, "lineno", 0) != getattr(node, "lineno", 0)
        _read(child, shape, loop if child in after else inner, alone)
