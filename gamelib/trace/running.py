"""The program that ran: which of its lines told each event, as the learner reads it."""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import dataclass
from functools import cache
from textwrap import dedent
from types import CodeType, FrameType
from typing import NamedTuple

from gamelib.search.events import SHOWN


class Place(NamedTuple):
    """A line of a function; its number is that in its file."""

    code: CodeType
    line: int


@dataclass(frozen=True)
class Listing:
    """The lines of a function, and the number of each in its file."""

    name: str
    lines: tuple[str, ...]
    numbers: tuple[int, ...]


def place_now() -> Place:
    """Return where the search is that is telling an event to the caller of this function.

    That is in the function marked as `shown`, or else in the one that tells it.
    """
    teller = sys._getframe(2)
    frame: FrameType | None = teller
    while frame is not None:
        if frame.f_code in SHOWN:
            return Place(frame.f_code, frame.f_lineno)
        frame = frame.f_back
    return Place(teller.f_code, teller.f_lineno)


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
