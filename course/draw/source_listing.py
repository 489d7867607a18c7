"""The source lines of the program that runs, as learners should see them."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from textwrap import dedent
from types import CodeType

from arena.source import source_lines


@dataclass(frozen=True)
class SourceListing:
    """The lines of a function to show, with the line number of each in its file."""

    name: str
    file: str
    lines: tuple[str, ...]
    numbers: tuple[int, ...]

    def line_at(self, file: str, number: int) -> int | None:
        """Return the number of the shown line for a line of a file; None if there is none."""
        if not self.lines or file != self.file or number > self.numbers[-1]:
            return None
        # A call begins at the line of its first decorator, above the first line that is shown.
        return max((n for n in self.numbers if n <= number), default=None)


@cache
def source_listing(code: CodeType) -> SourceListing:
    """Return the source of a function without decorators, types and docstring.

    Code that is not a named function is shown as it is.  The listing has no lines if the source is
    unavailable.
    """
    name, file = code.co_name, code.co_filename
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, IndexError):  # typed in without a file, or the file has changed
        return SourceListing(name, file, (), ())
    text = source_lines(dedent("".join(lines)))
    start, shown = 0, [(line, first + n) for n, line in enumerate(text) if line.strip()]
    try:
        function = ast.parse("\n".join(text)).body[0]
    except SyntaxError:  # a lambda in the middle of an expression
        function = None
    if isinstance(function, ast.FunctionDef):
        body = function.body[ast.get_docstring(function) is not None :]
        start = body[0].lineno - 1 if body else len(text)
        taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        head = (f"def {name}({', '.join(taken)}):", first)
        shown = [head, *(pair for pair in shown if pair[1] >= first + start)]
    return SourceListing(name, file, *map(tuple, zip(*shown, strict=True)))


def source_listings(codes: Iterable[CodeType]) -> tuple[SourceListing, ...]:
    """Return the functions that have source lines; a nested function is shown in the outer one."""
    listings = [shown for code in dict.fromkeys(codes) if (shown := source_listing(code)).lines]

    def is_inside(inner: SourceListing, outer: SourceListing) -> bool:
        ends_inside = outer.line_at(inner.file, inner.numbers[-1]) is not None
        return ends_inside and outer.numbers[0] < inner.numbers[0]

    return tuple(
        inner for inner in listings if not any(is_inside(inner, outer) for outer in listings)
    )
