"""Buggy programs: the mistakes that a check recognises, and the lab programs.

A mistake is the reference program of a check with an edit.  The source of a lab program is shown
with numbered lines, so that students can look for the wrong line and then compare.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from inspect import getfile, getsource
from sys import modules
from textwrap import dedent
from types import CodeType, FunctionType
from typing import Any

from arena.source import indented, source_lines
from course.exercises.lesson_data import load_tables
from course.lessons import LESSONS

Program = Callable[..., Any]


class Mistakes(Mapping[str, Program]):
    """Mapping from a hint to `program` with the mistake to which the hint belongs.

    The mistakes are defined in a table of the lesson's `mistakes.toml`, in the order in which they
    are tried.  The line of a mistake and its replacement are strings, or lists of strings if
    several lines change together.  A program is built only when it is looked up, so that a right
    answer does not have to wait for them.
    """

    def __init__(self, lesson: str, group: str, program: Program) -> None:
        self._lesson, self._group, self._program = lesson, group, program

    def __getitem__(self, hint: str) -> Program:
        return with_edits(self._program, *self._edits[hint])

    def __iter__(self) -> Iterator[str]:
        return iter(self._edits)

    def __len__(self) -> int:
        return len(self._edits)

    @cached_property
    def _edits(self) -> dict[str, list[tuple[str, str]]]:
        """Return hint -> (text, its replacement) for each line that changes."""
        return {
            entry["hint"]: list(zip(_all(entry["line"]), _all(entry["mistake"]), strict=True))
            for entry in load_tables(self._lesson, "mistakes")[self._group]
        }


def _all(texts: str | list[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else texts


@cache
def with_edits(program: Program, *edits: tuple[str, str]) -> Program:
    """Return a function or class, from the top level of its module, with parts of it replaced.

    edits  (text, replacement) pairs

    If the program calls itself, the edited one calls itself.  ValueError if a text does not occur
    exactly once.
    """
    source = _source(program)
    for text, instead in edits:
        if source.count(text) != 1:
            raise ValueError(
                f"the text of an edit must occur once in {program.__name__}, so that the line is "
                f"known; {text!r} occurs {source.count(text)} times"
            )
        source = source.replace(text, instead)
    # Inside another function the program's name refers to the edited one, not to the module's.
    maker = f"def make():\n{indented(source, '    ')}\n    return {program.__name__}"
    # With the lesson's file name, no line of it can be taken for a student's line.
    module = compile(maker, getfile(program), "exec")
    (code,) = (part for part in module.co_consts if isinstance(part, CodeType))
    # With the module's globals an edit may use any name of the lesson, and no source is executed.
    return FunctionType(code, vars(modules[program.__module__]))()  # type: ignore[no-any-return]


_source = cache(getsource)  # which reads the file's tokens, for each of dozens of mistakes


@dataclass(frozen=True)
class Flaw:
    """The bug of one lab program.

    line    the line of its source that is wrong
    reason  why it is wrong
    repair  the correct line; None if more than one line must change
    """

    line: str
    reason: str
    repair: str | None = None


FLAWS = {
    name: Flaw(**flaw) for lesson in LESSONS for name, flaw in load_tables(lesson, "flaws").items()
}


def listing(program: Callable[..., Any]) -> str:
    """Return the source of a function, a method or a class, with its lines numbered from 1."""
    lines = source_lines(dedent(getsource(program)))
    return "\n".join(f"{number:2}  {line}".rstrip() for number, line in enumerate(lines, 1))


def without_flaw(program: Program) -> Program:
    """Return a lab program without its bug; ValueError if more than one line must change."""
    flaw = FLAWS.get(getattr(program, "__name__", ""))
    if flaw is None or flaw.repair is None:
        repairable = [name for name, flaw in FLAWS.items() if flaw.repair is not None]
        raise ValueError(
            f"program must be one of the lab programs that one line repairs, "
            f"{', '.join(repairable)}; got {program!r}"
        )
    return with_edits(program, (flaw.line, flaw.repair))


def flaw_line(program: Program) -> int:
    """Return the number of the wrong line in the `listing` of a lab program."""
    before, _, _ = getsource(program).partition(FLAWS[program.__name__].line)
    return before.count("\n") + 1
