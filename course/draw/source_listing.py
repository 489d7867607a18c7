"""The program that ran, as the learner reads it."""

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
    """The lines of a function, and the number of each in its file."""

    name: str
    file: str
    lines: tuple[str, ...]
    numbers: tuple[int, ...]

    def line_at(self, file: str, number: int) -> int | None:
        """Return the number of the line that is shown for one of its file; None if it has none."""
        if not self.lines or file != self.file or number > self.numbers[-1]:
            return None
        # A call runs where its decorators begin, above the first line that is shown.
        return max((n for n in self.numbers if n <= number), default=None)


@cache
def source_listing(code: CodeType) -> SourceListing:
    """Return a function as one reads it: without decorators, types and docstring.

    What is no function with a name stands as it is; no lines where its source is not at hand.
    """
    name, file = code.co_name, code.co_filename
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, IndexError):  # typed in without a file, or the file is another by now
        return SourceListing(name, file, (), ())
    text = source_lines(dedent("".join(lines)))
    start, shown = 0, [(line, first + n) for n, line in enumerate(text) if line.strip()]
    try:
        function = ast.parse("\n".join(text)).body[0]
    except SyntaxError:  # a lambda amidst other things
        function = None
    if isinstance(function, ast.FunctionDef):
        body = function.body[ast.get_docstring(function) is not None :]
        start = body[0].lineno - 1 if body else len(text)
        taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        head = (f"def {name}({', '.join(taken)}):", first)
        shown = [head, *(pair for pair in shown if pair[1] >= first + start)]
    return SourceListing(name, file, *map(tuple, zip(*shown, strict=True)))


def source_listings(codes: Iterable[CodeType]) -> tuple[SourceListing, ...]:
    """Return the functions that have lines; one that stands inside another is shown there."""
    found = [shown for code in dict.fromkeys(codes) if (shown := source_listing(code)).lines]

    def stands_in(one: SourceListing, other: SourceListing) -> bool:
        ends_there = other.line_at(one.file, one.numbers[-1]) is not None
        return ends_there and other.numbers[0] < one.numbers[0]

    return tuple(one for one in found if not any(stands_in(one, other) for other in found))
