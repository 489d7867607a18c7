"""Specimens: their source with numbered lines, and what is wrong with each.

For teachers, and for checks after a student's attempt: find the line, then compare.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import getsource
from textwrap import dedent
from typing import Any

from course.kit.mistakes import Program, edited
from course.kit.tables import tables
from course.lessons import LESSONS


@dataclass(frozen=True)
class Flaw:
    """The flaw of one specimen.

    line    the line of its source that is wrong
    reason  why
    repair  what should stand there; None where more than a line must change
    """

    line: str
    reason: str
    repair: str | None = None


FLAWS = {
    specimen: Flaw(**flaw)
    for lesson in LESSONS
    for specimen, flaw in tables(lesson, "flaws").items()
}


def listing(program: Callable[..., Any]) -> str:
    """Return the source of a function, a method or a class, with its lines numbered from 1."""
    lines = dedent(getsource(program)).splitlines()
    return "\n".join(f"{number:2}  {line}".rstrip() for number, line in enumerate(lines, 1))


def repaired(program: Program) -> Program:
    """Return a specimen with its flaw repaired; ValueError where more than a line must change."""
    flaw = FLAWS.get(getattr(program, "__name__", ""))
    if flaw is None or flaw.repair is None:
        known = [name for name, flaw in FLAWS.items() if flaw.repair is not None]
        raise ValueError(f"the specimens with a repair are {', '.join(known)}; got {program!r}")
    return edited(program, (flaw.line, flaw.repair))


def flaw_line(program: Callable[..., Any]) -> int:
    """Return the number of the wrong line in the `listing` of a specimen; ValueError for others."""
    name = getattr(program, "__name__", repr(program))
    if name not in FLAWS:
        raise ValueError(f"the specimens with a flaw are {', '.join(FLAWS)}; got {name}")
    before, _, _ = getsource(program).partition(FLAWS[name].line)
    return before.count("\n") + 1
