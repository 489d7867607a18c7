"""What a check answers: passed, or the first case that goes wrong and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from gamelib.state import GameState


@dataclass(frozen=True)
class Feedback:
    """The answer of a check: true when passed; prints as sentences, with the position."""

    passed: bool
    message: str
    state: GameState | None = None

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        position = "" if self.state is None else f"\n{self.state}"
        return f"{'Passed' if self.passed else 'Not yet'}: {self.message}{position}"

    def _repr_html_(self) -> str:
        mark, colour = ("✓ Passed", "#009E73") if self.passed else ("✗ Not yet", "#D55E00")
        drawing = (
            (self.state._repr_svg_() or f"<pre>{escape(str(self.state))}</pre>")
            if self.state
            else ""
        )
        return (
            f'<div style="border-left: 6px solid {colour}; padding: 4px 12px; max-width: 46em">'
            f"<b>{mark}.</b> {_with_code(self.message)}<div>{drawing}</div></div>"
        )


def _with_code(message: str) -> str:
    """Return the message as HTML, what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(message))


@dataclass(frozen=True)
class Case:
    """One question to a student's function, with the right answer."""

    arguments: tuple[Any, ...]
    expected: Any
    words: str  # the question in words: "the value of this position for X, 2 plies ahead"
    state: GameState | None = None


class WrongAnswerError(Exception):
    """A student's function failed; the message is for the student."""


class NotWrittenError(WrongAnswerError):
    """A student's function is still blank."""


def ask(function: Callable[..., Any], case: Case, kind: type | tuple[type, ...]) -> Any:
    """Return the function's answer; WrongAnswerError if it raises or has the wrong type."""
    name = getattr(function, "__name__", "your function")
    try:
        answer = function(*case.arguments)
    except NotImplementedError:
        todo = f"{name} is not written yet. Replace `raise NotImplementedError`."
        raise NotWrittenError(todo) from None
    except Exception as error:
        raise WrongAnswerError(
            f"{name} raised {type(error).__name__}: {error}. Asked for {case.words}."
        ) from error
    if answer is None:
        raise WrongAnswerError(
            f"{name} returned None. Is a `return` missing? Asked for {case.words}."
        )
    if not isinstance(answer, kind) or (isinstance(answer, bool) and kind is not bool):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        allowed = " or ".join(k.__name__ for k in kinds)
        raise WrongAnswerError(f"{name} must return {allowed}; it returned {answer!r}.")
    return answer


def check_cases(
    function: Callable[..., Any],
    cases: Iterable[Case],
    mutants: Mapping[str, Callable[..., Any]],
    kind: type | tuple[type, ...],
    success: str,
) -> Feedback:
    """Return feedback on `function`: the first wrong case, and a hint if a known mistake fits.

    `mutants` maps a hint to a program with that mistake.  The hint is given when that program
    answers every case that was asked as the student's does.
    """
    asked: list[tuple[Case, Any]] = []
    wrong = None
    for case in cases:
        try:
            answer = ask(function, case, kind)
        except NotWrittenError as problem:
            return Feedback(False, str(problem))
        except WrongAnswerError as problem:
            return Feedback(False, str(problem), case.state)
        asked.append((case, answer))
        if wrong is None and answer != case.expected:
            wrong = case, answer
    if wrong is None:
        return Feedback(True, success.format(cases=f"{len(asked):,}"))
    case, answer = wrong
    message = f"asked for {case.words}, expected {case.expected!r}, got {answer!r}."
    return Feedback(False, f"{message} {matching_hint(asked, mutants)}".strip(), case.state)


def matching_hint(asked: list[tuple[Case, Any]], mutants: Mapping[str, Callable[..., Any]]) -> str:
    """Return the hint of the first mutant that gives the same answers, or an empty string."""
    for hint, mutant in mutants.items():
        if all(_same(mutant, case, answer) for case, answer in asked):
            return hint
    return ""


def _same(mutant: Callable[..., Any], case: Case, answer: Any) -> bool:
    try:
        return bool(mutant(*case.arguments) == answer)
    except Exception:
        return False
