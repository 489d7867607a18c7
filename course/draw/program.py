"""The program that ran, as the learner reads it."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from functools import cache
from textwrap import dedent
from types import CodeType


@dataclass(frozen=True)
class Listing:
    """The lines of a function, and the number of each in its file."""

    name: str
    lines: tuple[str, ...]
    numbers: tuple[int, ...]


@cache
def listing(code: CodeType) -> Listing:
    """Return a function as one reads it: without decorators, types and docstring.

    No lines where its source is not at hand.
    """
    try:
        lines, first = inspect.getsourcelines(code)
        text = dedent("".join(lines))
        function = ast.parse(text).body[0]
    except (OSError, SyntaxError):  # typed in without a file; a lambda amidst other things
        return Listing(code.co_name, (), ())
    if not isinstance(function, ast.FunctionDef):
        return Listing(code.co_name, (), ())
    body = function.body[ast.get_docstring(function) is not None :]
    start = body[0].lineno - 1 if body else 0
    kept = [
        (line, first + number)
        for number, line in enumerate(text.splitlines())
        if number >= start and line.strip()
    ]
    taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    shown, numbers = zip((f"def {code.co_name}({', '.join(taken)}):", first), *kept, strict=True)
    return Listing(code.co_name, shown, numbers)
