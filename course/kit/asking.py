"""Questions to a student's function: its answers, the first wrong one, and which mistake fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isnan
from typing import Any, TypeVar

from course.kit.blame import name_of, place_of_error, raised, shown
from course.kit.feedback import Case, Feedback, NotWrittenError, WrongAnswerError
from course.kit.guarded import asks
from course.kit.key import Key
from course.kit.smallest import smallest
from gamelib.state import GameState, from_numpy

DOTS = "{} is not written yet. Write your line in the place of the three dots."

Kind = type | tuple[type, ...]
A = TypeVar("A")
Again = Callable[[Case], A]


def ask(function: Callable[..., Any], case: Case, kind: Kind) -> Any:
    """Return the function's answer; WrongAnswerError if it has none, or one that is no answer.

    The arguments must be left as they are: a state that is changed would be wrong for everybody.
    """
    name = name_of(function)
    if not callable(function):
        raise WrongAnswerError(
            f"give the function itself, its name without brackets; got {shown(function)}."
        )
    asks(case, name)
    before = [_contents(argument) for argument in case.arguments]
    try:
        answer = from_numpy(function(*case.arguments))
    except NotImplementedError:
        raise NotWrittenError(not_written(name)) from None
    except TypeError as error:
        if "ellipsis" in str(error):
            raise NotWrittenError(DOTS.format(name)) from None
        raise WrongAnswerError(_problem(name, error, case), case.state) from error
    except WrongAnswerError:
        raise
    except BaseException as error:
        raise WrongAnswerError(_problem(name, error, case), case.state) from error
    finally:
        changed = _restore(case.arguments, before)
    if changed:
        raise WrongAnswerError(f"{name} changes what it is given: {changed}", case.state)
    if answer is ...:
        raise NotWrittenError(DOTS.format(name))
    if fault := _fault(answer, kind):
        raise WrongAnswerError(f"{name} {fault} It was asked for {case.words}.", case.state)
    return answer


def not_written(name: str) -> str:
    """Return the sentence for a function that is still blank."""
    return f"{name} is not written yet. Replace `raise NotImplementedError`."


def _problem(name: str, error: BaseException, case: Case) -> str:
    """Return what was raised, and when; a call with the wrong number of arguments is told so."""
    what = raised(error)
    if isinstance(error, TypeError) and not place_of_error(error):
        arguments = ", ".join(map(shown, case.arguments))
        what = f"was called with the arguments ({arguments}), and {what}"
    return f"{name} {what} It was asked for {case.words}."


def _fault(answer: Any, kind: Kind) -> str:
    """Return what is wrong with an answer that is not of the right kind; "" if it is."""
    if answer is None:
        return "returned None. Is a `return` missing? Or is none reached in this case?"
    if not isinstance(answer, kind) or (isinstance(answer, bool) and kind is not bool):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        allowed = " or ".join(k.__name__ for k in kinds)
        return f"must return {allowed}; it returned {shown(answer)} ({type(answer).__name__})."
    if isinstance(answer, float) and isnan(answer):
        return "returned nan, which is no number: nothing is larger or smaller."
    return ""


def _contents(argument: Any) -> dict[str, Any] | list[Any] | None:
    """Return what a program could change by accident: the items of a list, the facts of a state."""
    if isinstance(argument, list):
        return argument.copy()
    if isinstance(argument, GameState) and (slots := getattr(type(argument), "__slots__", None)):
        return {name: getattr(argument, name) for name in slots if not name.startswith("_")}
    return None


def _restore(arguments: tuple[Any, ...], before: list[Any]) -> str:
    """Put back what a program has changed in its arguments; return what that was, in words."""
    words = ""
    for argument, contents in zip(arguments, before, strict=True):
        if isinstance(contents, list) and argument != contents:
            words = f"the list was {shown(contents)}, and then {shown(argument)}. Work on a copy."
            argument[:] = contents
        elif isinstance(contents, dict):
            for name, value in contents.items():
                if getattr(argument, name) != value:
                    words = f"`{name}` of the state. `state.successor(action)` makes a new state."
                    setattr(argument, name, value)
    return words


def check_cases(function: Callable[..., Any], key: Key, kind: Kind, success: str) -> Feedback:
    """Return feedback on `function`: a wrong answer, and a hint if a known mistake fits."""
    cases, asked = key.cases(), key.view(function)
    answers = [ask(asked, case, kind) for case in cases]
    given = zip(cases, answers, strict=True)
    if found := first_fault(key, given, unequal, lambda case: ask(asked, case, kind)):
        return Feedback(False, f"{found[1]} {key.hint(answers)}".strip(), found[0].state)
    return Feedback(True, success.format(cases=f"{len(cases):,}"))


def unequal(case: Case, answer: Any) -> str:
    """Return what was asked, expected and answered; "" if the answer is right."""
    if answer == case.expected:
        return ""
    return f"asked for {case.words}, expected {case.expected!r}, got {shown(answer)}."


def first_fault(
    key: Key, given: Iterable[tuple[Case, A]], fault: Callable[[Case, A], str], again: Again[A]
) -> tuple[Case, str] | None:
    """Return a question and what is wrong with the answer to it, the first of some; None if none.

    given  questions with their answers
    fault  says what is wrong with an answer, "" if nothing is
    again  asks: where the key can make smaller questions, the smallest wrong answer is returned
    """
    for case, answer in given:
        if words := fault(case, answer):
            if not key.make:
                return case, words
            return smallest(case, words, key.make, lambda one: fault(one, again(one)))
    return None
