"""The feedback of a check: passed, or the first question that goes wrong and the reason."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import Any

from course.exercises.activity_log import CarriesActivityLog
from gamelib.state import GameState


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer, with the data needed to show where in a program it comes from.

    program    the function that gave it
    arguments  the arguments with which `view(program)` was called, or the program without a view
    right      takes the arguments and the result of any call of the program, and returns the
               correct result; None if the given one is correct
    view       turns the program into a function that calls it with arguments of its own
    node       the path of the node at which the program goes wrong, if its results are right
    """

    program: Callable[..., Any]
    arguments: tuple[Any, ...]
    right: Callable[[tuple[Any, ...], Any], Any]
    view: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None
    node: tuple[Any, ...] | None = None


@dataclass(frozen=True)
class Feedback(CarriesActivityLog):
    """The result of a check: true if passed; prints as sentences, with the position.

    printed         the beginning of the output of the student's program
    attempted       false while the exercise is still blank
    wrong_answer    the wrong answer that was found, if its program can be stepped through
    partial_credit  the part that is solved of an exercise with several parts, from 0 to 1
    """

    passed: bool
    message: str
    state: Any = None  # a position, or another object that draws or prints itself
    printed: str = ""
    attempted: bool = True
    wrong_answer: WrongAnswer | None = field(default=None, repr=False, compare=False)
    partial_credit: float = field(default=0, repr=False, compare=False)

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**options)
        for offer in display_hooks if self.wrong_answer else ():
            data |= offer(self)
        return data, metadata

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        position = "" if self.state is None else f"\n{self.state}"
        printed = f"\n{self.printed}" if self.printed else ""
        return f"{'Passed' if self.passed else 'Not yet'}: {self.message}{position}{printed}"

    def _repr_html_(self) -> str:
        mark, colour = ("✓ Passed", "#009E73") if self.passed else ("✗ Not yet", "#D55E00")
        drawing = ""
        if self.state:
            drawing = self.state._repr_svg_() or f"<pre>{escape(str(self.state))}</pre>"
        printed = f"<pre>{escape(self.printed)}</pre>" if self.printed else ""
        return (
            f'<div style="border-left: 6px solid {colour}; padding: 4px 12px; max-width: 46em">'
            f"<b>{mark}:</b> {markup_to_html(self.message)}<div>{drawing}</div>{printed}</div>"
        )


# Functions that add to the display of wrong answers; `course.widgets` adds one once it has loaded.
display_hooks: list[Callable[[Feedback], dict[str, Any]]] = []


def markup_to_html(text: object) -> str:
    """Return text as safe HTML, with words between backticks set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(str(text)))


@dataclass(frozen=True)
class Case:
    """One question to a student's function, with the correct answer."""

    arguments: tuple[Any, ...]
    expected: Any
    prompt: str  # the question as text
    state: Any = None  # a position, or another object that draws or prints itself


class WrongAnswerError(Exception):
    """A student's function failed; the message is addressed to the student."""

    def __init__(self, message: str, state: GameState | None = None) -> None:
        super().__init__(message)
        self.state = state


class NotWrittenError(WrongAnswerError):
    """A student's function is still blank."""
