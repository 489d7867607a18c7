"""Programs with a line written wrong: the mistakes that a check recognises, and the lab programs.

A mistake is a check's own reference program, edited.  Of a lab program its source is shown, with
numbered lines: find the wrong one, then compare.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
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
    """Hint -> `program` with the mistake that the hint is for, from a lesson's group.

    They stand in its `mistakes.toml`, in the order in which they are tried.  The line of a mistake,
    and what it is changed to, are texts, or lists of them where several places change together.
    They are made when they are looked up: a right answer must not wait for them.
    """

    def __init__(self, lesson: str, group: str, program: Program) -> None:
        self._lesson, self._group, self._program = lesson, group, program

    def __getitem__(self, hint: str) -> Program:
        return with_edits(self._program, *self._edits()[hint])

    def __iter__(self) -> Iterator[str]:
        return iter(self._edits())

    def __len__(self) -> int:
        return len(self._edits())

    def _edits(self) -> dict[str, list[tuple[str, str]]]:
        """Return hint -> (text, text with the mistake) for each place that changes."""
        return {
            entry["hint"]: list(zip(_all(entry["line"]), _all(entry["mistake"]), strict=True))
            for entry in load_tables(self._lesson, "mistakes")[self._group]
        }


def _all(texts: str | list[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else texts


@cache
def with_edits(program: Program, *edits: tuple[str, str]) -> Program:
    """Return a function or class, from the top of its module, with some of its text replaced.

    An edit is (text, what stands there instead).  Where the program calls itself, the edited one
    calls itself.  ValueError if a text does not stand there exactly once.
    """
    source = getsource(program)
    for text, instead in edits:
        if source.count(text) != 1:
            words = f"{program.__name__} must have the text of an edit once"
            raise ValueError(f"{words}, it has it {source.count(text)} times: {text!r}")
        source = source.replace(text, instead)
    # Inside another function the program's own name means the edited one, not the module's.
    maker = f"def make():\n{indented(source, '    ')}\n    return {program.__name__}"
    # Under the lesson's file name no line of it can be taken for one of the student.
    module = compile(maker, getfile(program), "exec")
    (code,) = (part for part in module.co_consts if isinstance(part, CodeType))
    # With the module's globals, an edit may name whatever the lesson has, and no text is run.
    return FunctionType(code, vars(modules[program.__module__]))()  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Flaw:
    """The flaw of one lab program.

    line    the line of its source that is wrong
    reason  why
    repair  what should stand there; None where more than a line must change
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
    """Return a lab program without its flaw; ValueError where more than a line must change."""
    flaw = FLAWS.get(getattr(program, "__name__", ""))
    if flaw is None or flaw.repair is None:
        known = [name for name, flaw in FLAWS.items() if flaw.repair is not None]
        raise ValueError(f"the lab programs with a repair are {', '.join(known)}; got {program!r}")
    return with_edits(program, (flaw.line, flaw.repair))


def flaw_line(program: Program) -> int:
    """Return the number of the wrong line in the `listing` of a lab program."""
    before, _, _ = getsource(program).partition(FLAWS[program.__name__].line)
    return before.count("\n") + 1
