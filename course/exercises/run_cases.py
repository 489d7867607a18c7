"""Ask a student's function the questions of an exercise, and give feedback on its answers.

The feedback shows the first wrong answer, on the smallest question that has the error, and the hint
of a known mistake that explains all answers.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from math import isnan
from types import CodeType
from typing import Any, TypeVar

from course.exercises.answer_key import AnswerKey, apply_view, return_value
from course.exercises.check_runner import guarded, running_program, set_current_question
from course.exercises.error_report import describe_error, error_location, name_of, safe_repr
from course.exercises.feedback import Case, Feedback, NotWrittenError, WrongAnswer, WrongAnswerError
from course.exercises.lesson_data import load_tables
from course.exercises.memory import Memory
from course.exercises.shrinking import shrink
from course.exercises.visit_counter import Path, VisitCounter
from gamelib.state import GameState, to_python_action

BLANK_MESSAGE = "{} is not written yet. Replace `raise NotImplementedError`."
BLANK_LINE_MESSAGE = "{} is not written yet. Write your line instead of the three dots."

REMEMBERS_MESSAGE = (
    "If this question is the first one, your program answers it right. So it keeps something from "
    "earlier questions in {}. Let every call begin with an empty one, or store there everything "
    "that the answer depends on."
)

LAB_PROGRAMS = ".lab_programs"  # the end of the names of modules, whose programs labs show
NUMBER = (int, float)
Kind = type | tuple[type, ...]
A = TypeVar("A")
CorrectAnswer = Callable[[tuple[Any, ...], Any], Any]


def call_student(function: Callable[..., Any], case: Case, kind: Kind) -> Any:
    """Return the answer of a student's function, as Python values.

    WrongAnswerError if the function raises an error, changes its arguments, or returns a value that
    is not of this kind.  NotWrittenError if it is still blank.  Changed arguments are restored,
    because other questions use the same states.
    """
    name = name_of(function)
    if not callable(function):
        raise WrongAnswerError(
            f"give the function itself, its name without brackets; got {safe_repr(function)}."
        )
    if str(getattr(function, "__module__", "")).endswith(LAB_PROGRAMS):
        raise WrongAnswerError(f"{name} is a program of a lab. Write your own.")
    set_current_question(case, name)
    before = [snapshot(argument) for argument in case.arguments]
    try:
        with running_program():
            answer = to_python_action(function(*case.arguments))
    except NotImplementedError as error:
        # perhaps of a helper that this function calls
        _, _, blank = error_location(error).partition(" of `")
        raise NotWrittenError(BLANK_MESSAGE.format(blank.partition("`")[0] or name)) from None
    except WrongAnswerError:
        raise
    except BaseException as error:
        if isinstance(error, TypeError) and "ellipsis" in str(error):
            raise NotWrittenError(BLANK_LINE_MESSAGE.format(name)) from None
        raise WrongAnswerError(_problem(name, error, case), case.state) from error
    finally:
        changed = restore(case.arguments, before)
    if changed:
        raise WrongAnswerError(f"{name} changes what it is given: {changed}", case.state)
    if answer is ...:
        raise NotWrittenError(BLANK_LINE_MESSAGE.format(name))
    if fault := _fault(answer, kind):
        raise WrongAnswerError(f"{name} {fault} It was asked for {case.prompt}.", case.state)
    return answer


def call_and_count(
    function: Callable[..., Any], case: Case, kind: Kind, *, max_nodes: int
) -> tuple[Any, tuple[Path, ...]]:
    """Return the answer of a function, and the paths of the nodes that it visits.

    Errors are those of `call_student`, and TooManyVisitsError if it visits more than `max_nodes`.
    """
    state, *others = case.arguments
    visits = VisitCounter(state, max_nodes=max_nodes)
    answer = call_student(function, replace(case, arguments=(visits.root, *others)), kind)
    return answer, tuple(visits.paths)


def _problem(name: str, error: BaseException, case: Case) -> str:
    """Return the sentence about an error, with the arguments if their number may be wrong."""
    what = describe_error(error)
    if isinstance(error, TypeError) and not error_location(error):
        arguments = ", ".join(map(safe_repr, case.arguments))
        what = f"was called with the arguments ({arguments}), and {what}"
    return f"{name} {what} It was asked for {case.prompt}."


def _fault(answer: Any, kind: Kind) -> str:
    """Return what is wrong with an answer that is not of the right kind, or "" if it is."""
    if answer is None:
        return "returned None. Is a `return` missing? Or is none reached in this case?"
    if not isinstance(answer, kind) or (isinstance(answer, bool) and kind is not bool):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        allowed = " or ".join(k.__name__ for k in kinds)
        return f"must return {allowed}; it returned {safe_repr(answer)} ({type(answer).__name__})."
    if isinstance(answer, float) and isnan(answer):
        return "returned nan, which is not a number: nothing is larger or smaller."
    return ""


def snapshot(argument: Any) -> dict[str, Any] | list[Any] | None:
    """Return the parts of an argument that a program could change by accident.

    They are the items of a list or the attributes of a state; None for any other argument.
    """
    if isinstance(argument, list):
        return argument.copy()
    if isinstance(argument, GameState):
        names = _public_slots(type(argument))
        return {name: getattr(argument, name) for name in names} or None
    return None


@cache
def _public_slots(kind: type) -> tuple[str, ...]:
    """Return the attributes of a class with slots that a program could set by accident."""
    return tuple(name for name in getattr(kind, "__slots__", ()) if not name.startswith("_"))


def restore(arguments: Sequence[Any], snapshots: list[Any]) -> str:
    """Restore the arguments that a program has changed; return what it changed, or ""."""
    words = ""
    for argument, contents in zip(arguments, snapshots, strict=True):
        if isinstance(contents, list) and argument != contents:
            was = f"the list was {safe_repr(contents)}"
            words = f"{was}, and then {safe_repr(argument)}. Work on a copy."
            argument[:] = contents
        elif isinstance(contents, dict):
            for name, value in contents.items():
                if getattr(argument, name) != value:
                    words = f"`{name}` of the state. `state.successor(action)` makes a new state."
                    setattr(argument, name, value)
    return words


def check_cases(
    function: Callable[..., Any],
    key: AnswerKey,
    kind: Kind,
    success: str,
    *,
    fault: Callable[[Case, Any], str] | None = None,
    right: CorrectAnswer | None = None,
) -> Feedback:
    """Return feedback on the first wrong answer of `function`, with the hint of a known mistake.

    fault  returns what is wrong with an answer, or ""; by default the answer is compared
    right  returns the correct answer to any call of the function, if the key cannot: see
           `WrongAnswer`
    """
    cases, asked, memory = key.cases(), apply_view(key.view, function), Memory(function)
    answers = [call_student(asked, case, kind) for case in cases]
    given = list(zip(cases, answers, strict=True))
    again = partial(call_student, asked, kind=kind)
    remembers = _memory_feedback(memory, given, fault or compare_answer, again)
    if remembers is not None:
        return remembers
    wrong = first_wrong_feedback(key, given, fault or compare_answer, again, function, right)
    if wrong is not None:
        return with_hint(wrong, key.hint(answers))
    return Feedback(True, success.format(cases=f"{len(cases):,}"))


def _memory_feedback(
    memory: Memory,
    given: Iterable[tuple[Case, A]],
    fault: Callable[[Case, A], str],
    again: Callable[[Case], A],
) -> Feedback | None:
    """Return feedback on a wrong answer that is correct if no question precedes it, or None."""
    wrong = next(((case, words) for case, answer in given if (words := fault(case, answer))), None)
    if wrong is None or not (names := memory.changed()):
        return None
    case, words = wrong
    with memory.forgotten(), suppress(WrongAnswerError):
        if not fault(case, again(case)):
            kept = " and ".join(f"`{name}`" for name in names)
            return Feedback(False, f"{words} {REMEMBERS_MESSAGE.format(kept)}", case.state)
    return None


def make_check(
    key: AnswerKey, kind: Kind, name: str = ""
) -> Callable[[Callable[..., Any]], Feedback]:
    """Return the check of an exercise that only asks the questions of a key.

    name  the `check` of the exercise in `exercises.toml`, if it is not `check_` and the name of the
          key's program; its table also has the `success_message`
    """

    def check(function: Callable[..., Any]) -> Feedback:
        """Return feedback on a student's function."""
        exercises = load_tables(key.lesson, "exercises").values()
        own = next(row for row in exercises if row["check"] == check.__name__)
        return check_cases(function, key, kind, own["success_message"])

    check.__name__ = check.__qualname__ = name or f"check_{key.program}"
    vars(check)["key"] = key
    return guarded(check)


def compare_answer(case: Case, answer: Any) -> str:
    """Return the question, the expected answer and the answer given; "" if the answer is right."""
    if answer == case.expected:
        return ""
    return f"asked for {case.prompt}, expected {case.expected!r}, got {safe_repr(answer)}."


def first_wrong_feedback(
    key: AnswerKey,
    given: Iterable[tuple[Case, A]],
    fault: Callable[[Case, A], str],
    again: Callable[[Case], A],
    program: Callable[..., Any] | None = None,
    right: CorrectAnswer | None = None,
) -> Feedback | None:
    """Return feedback on the first wrong answer, without a hint; None if all are right.

    given    questions with their answers
    fault    returns what is wrong with an answer, or ""
    again    asks the function another question; if the key can make smaller questions, the feedback
             shows the smallest one that has a wrong answer
    program  the student's function, to step through
    right    returns the correct answer to any call of it; by default the key does
    """
    for case, answer in given:
        if words := fault(case, answer):
            if key.make:
                case, words = shrink(
                    case, words, key.make, lambda smaller: fault(smaller, again(smaller))
                )
            wrong = None
            if isinstance(getattr(program, "__code__", None), CodeType):
                view = None if key.view is return_value else key.view
                right = right or key.correct_answer
                wrong = WrongAnswer(program, case.arguments, right, view)  # type: ignore[arg-type]
            return Feedback(False, words, case.state, wrong_answer=wrong)
    return None


def with_hint(feedback: Feedback, hint: str) -> Feedback:
    """Return the feedback with a hint after its message."""
    return replace(feedback, message=f"{feedback.message} {hint}".strip())
