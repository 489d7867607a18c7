"""The source of a specimen with line numbers, and the line that is wrong: find it, then compare."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getsource
from typing import Any

from course.kit.flaws import FLAWS


def listing(program: Callable[..., Any]) -> str:
    """Return the source of a specimen, a function or a class, with its lines numbered from 1."""
    lines = getsource(program).splitlines()
    return "\n".join(f"{number:2}  {line}".rstrip() for number, line in enumerate(lines, 1))


def flaw_line(program: Callable[..., Any]) -> int:
    """Return the number of the wrong line in the `listing` of a specimen; ValueError for others."""
    name = getattr(program, "__name__", repr(program))
    if name not in FLAWS:
        raise ValueError(f"the specimens with a flaw are {', '.join(FLAWS)}; got {name}")
    before, _, _ = getsource(program).partition(FLAWS[name].line)
    return before.count("\n") + 1
