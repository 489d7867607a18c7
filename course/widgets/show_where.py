"""Show, in a stepper, the first call of a program that returns a wrong result.

A check names the smallest position with a wrong answer.  The program runs on it, and the stepper is
opened at the return of the first wrong call; all calls that returned before it are right.  If a
program searches no tree, its lines are shown, with arguments for which its answer is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from functools import wraps
from typing import Any, NamedTuple

from ipywidgets import HTML

from course.draw.wording import format_path, format_value
from course.exercises.error_report import name_of
from course.exercises.feedback import Case, Feedback, WrongAnswer
from course.exercises.mistakes import without_flaw
from course.exercises.shrinking import shrink
from course.tracing.perspective import is_over, window_in
from course.tracing.recorder import RETURN, Call, RecordedNode, Recorder
from course.tracing.visits import Path
from course.widgets.controls import button
from course.widgets.panel import Panel, message_html
from course.widgets.stepper import SearchStepper
from gamelib.search.result import kind_for_window
from gamelib.state import GameState, is_number

MAX_NODES, SECONDS = 20_000, 3.0
COUNTS = "depth", "ply", "plies", "level", "limit"  # arguments whose value changes with the depth


LINES_MESSAGE = (
    "This is the end of your program, with the arguments for which its answer is wrong. Go back to "
    "its first line, and compare each variable with the value that you expect."
)


class WrongCall(NamedTuple):
    """A call with a wrong result; `of` names the function if other functions were not judged."""

    path: Path
    returned: Any
    correct: Any
    of: str = ""


class FeedbackWithStepper(Panel):
    """Feedback with a button that opens the program at its first wrong node; `show` presses it."""

    children: Any
    stepper: SearchStepper | None = None
    wrong_call: WrongCall | None = None

    def __init__(self, feedback: Feedback) -> None:
        self.feedback = feedback
        tip = "Step through your program where it first goes wrong"
        self._words = HTML(feedback._repr_html_())
        super().__init__(self._words, button("Show me where", self.show, tip, "primary"))

    def state_text(self) -> str:
        """Return the feedback, and the wrong call once it is shown."""
        where = f", {describe_wrong_call(self.wrong_call)}" if self.wrong_call else ""
        return f"{self.feedback.message[:60]} ...{where}"

    def show(self) -> None:
        """Show the stepper below the feedback, at the first wrong node."""
        wrong = self.feedback.wrong_answer
        if self.stepper is None and wrong:
            wrong = as_called(wrong)
            self.stepper, words = self._opened(wrong)
            if isinstance(wrong.arguments[0], GameState):
                # The stepper draws the position, so the feedback does not have to.
                self._words.value = replace(self.feedback, state=None)._repr_html_()
            said = HTML(message_html("wrong", words))
            self.children = [*self.children[:-1], said, self.stepper]

    def _opened(self, wrong: WrongAnswer) -> tuple[SearchStepper, str]:
        """Return a stepper where the program goes wrong, and a sentence about it."""
        if not isinstance(wrong.arguments[0], GameState):
            stepper = SearchStepper(wrong.program, *wrong.arguments)
            stepper.last()
            return stepper, LINES_MESSAGE
        if wrong.node is not None:
            stepper = SearchStepper(wrong.program, *wrong.arguments)
            entered = (v.entered for v in stepper.trace.visits if v.path == wrong.node)
            stepper.go_to(stepper.timeline.index_of(next(entered, 0)))
            return stepper, f"The first node at which it goes wrong: {format_path(wrong.node)}."
        self.wrong_call = spot_of(wrong)
        stepper = open_stepper(wrong.program, deepcopy(wrong.arguments), self.wrong_call)
        return stepper, describe_wrong_call(self.wrong_call)


class _OpenedStepper(Panel):
    """A stepper opened at the first wrong call of a lab program, with a sentence about it."""

    def __init__(self, stepper: SearchStepper, wrong_call: WrongCall | None) -> None:
        self.stepper, self.wrong_call = stepper, wrong_call
        super().__init__(*_with_words(stepper, wrong_call))

    def state_text(self) -> str:
        """Return the sentence about the wrong call."""
        return describe_wrong_call(self.wrong_call)


def show_where(program: Callable[..., Any], *arguments: Any) -> Panel:
    """Return a stepper of a lab program, opened at its first wrong call.

    It shows the smallest position below the given one on which the program and its repaired version
    differ.  ValueError if the repair changes more than one line.
    """
    repaired = without_flaw(program)

    def make(*asked: Any) -> Case:
        return Case(asked, None, "")

    def find(case: Case) -> str:
        return "!" if program(*case.arguments) != repaired(*case.arguments) else ""

    case, _ = shrink(make(*arguments), "!", make, find)
    answers = {_named(call): call.returned for call in _ended(repaired, case.arguments)}

    def differs(call: Call) -> Any:
        expected = answers.get(_named(call))
        return None if expected == call.returned else expected

    wrong_call = first_wrong(program, case.arguments, differs)
    return _OpenedStepper(open_stepper(program, case.arguments, wrong_call), wrong_call)


def describe_wrong_call(wrong_call: WrongCall | None) -> str:
    """Return a sentence about the wrong call, with the returned and the correct value."""
    if wrong_call is None:
        return "None of its calls is wrong here, but it does something wrong with their results."
    function = f" of {wrong_call.of}" if wrong_call.of else ""
    returned = format_value(wrong_call.returned)
    wrong = f"The first wrong answer{function}: {format_path(wrong_call.path)} returns {returned}"
    return f"{wrong}, and {format_value(wrong_call.correct)} is right."


def _with_words(stepper: SearchStepper, wrong_call: WrongCall | None) -> tuple[HTML, SearchStepper]:
    return HTML(message_html("wrong", describe_wrong_call(wrong_call))), stepper


def open_stepper(
    program: Callable[..., Any], arguments: tuple[Any, ...], wrong_call: WrongCall | None
) -> SearchStepper:
    """Return a stepper at the step at which the wrong call returns."""
    stepper = SearchStepper(program, *arguments)
    if wrong_call:
        visits = [visit for visit in stepper.trace.visits if visit.path == wrong_call.path]
        ends = [visit.returned for visit in visits if visit.returned]
        # The checked function may call the recursion, and then its result is not that of a node.
        same = [end for end in ends if end[1].value == wrong_call.returned] or ends[-1:]
        if same:
            stepper.go_to(stepper.timeline.index_of(same[0][0]))
    return stepper


def first_wrong(
    program: Callable[..., Any], arguments: tuple[Any, ...], right: Callable[[Call], Any]
) -> WrongCall | None:
    """Return the first call to return a wrong result; None if there is none.

    right  returns the correct result of a call, or None if its result is correct
    """
    judged = ((call, right(call)) for call in _ended(program, arguments))
    wrong_calls = (
        WrongCall(_path(c.node), c.returned, better) for c, better in judged if better is not None
    )
    return next(wrong_calls, None)


def spot_of(wrong: WrongAnswer) -> WrongCall | None:
    """Return the first wrong call of a program that failed a check; helpers are judged, too."""
    calls = list(_ended(wrong.program, deepcopy(wrong.arguments)))
    judge = Judge(wrong, calls)
    judged = ((call, judge.right(call)) for call in calls)
    name = "" if judge.all_judged else name_of(wrong.program)
    wrong_calls = (
        WrongCall(_path(call.node), call.returned, correct, name) for call, correct in judged
    )
    return next((wrong_call for wrong_call in wrong_calls if wrong_call.correct is not None), None)


def as_called(wrong: WrongAnswer) -> WrongAnswer:
    """Return a wrong answer with the arguments of the call that gave it, without its view.

    It is the first wrong call of the program by its view, or the last call if none can be judged.
    """
    view, program = wrong.view, wrong.program
    if view is None:
        return wrong
    calls: list[tuple[tuple[Any, ...], Any]] = []

    @wraps(program)
    def called(*arguments: Any) -> Any:
        given = deepcopy(arguments)  # the program may change its arguments
        calls.append((given, None))
        answer = program(*arguments)
        calls[-1] = given, answer
        return answer

    with suppress(Exception):  # a program that raises is shown up to its error
        view(called)(*wrong.arguments)
    for arguments, answer in calls:
        with suppress(Exception):  # the question of the key has other arguments
            if wrong.right(arguments, answer) is not None:
                return replace(wrong, arguments=arguments, view=None)
    return replace(wrong, arguments=calls[-1][0], view=None) if calls else wrong


def _ended(program: Callable[..., Any], arguments: tuple[Any, ...]) -> Iterator[Call]:
    """Yield the calls of a program that have returned, in the order of their returns."""
    run = Recorder(name_of(program), MAX_NODES, SECONDS, {})
    run.run(program, *arguments)
    yield from (e.call for e in run.log if e.line == RETURN and e.call.error is None)


class Judge:
    """Finds the correct result of a call, of the checked function or of a helper.

    Helpers such as `min_value` are judged only if their results at all terminal states are correct,
    because then their values are for the same player as those of the checked function.
    """

    def __init__(self, wrong: WrongAnswer, calls: list[Call]) -> None:
        self.wrong, self.own = wrong, getattr(wrong.program, "__code__", None)
        others = [call for call in calls if call.code is not self.own and call.entry]
        self.helpers = {call.code for call in others} if self._answer_alike(others) else set()
        self.all_judged = bool(self.helpers) or not others

    def _answer_alike(self, helpers: list[Call]) -> bool:
        ends = [call for call in helpers if is_over(call.node.state)]
        answers = [self._right_of(call) for call in ends]
        return bool(ends) and all(known and right is None for known, right in answers)

    def right(self, call: Call) -> Any:
        """Return the correct result of a call; None if its result is right or cannot be judged."""
        judged = call.code is self.own or call.code in self.helpers
        return self._right_of(call)[1] if judged else None

    def _right_of(self, call: Call) -> tuple[bool, Any]:
        """Return whether a call can be judged, and the correct result if it is wrong."""
        wrong = self.wrong
        arguments = wrong.arguments if not call.caller else self._arguments(call)
        if not arguments:
            return False, None
        try:
            correct = wrong.right(arguments, call.returned)
        except Exception:  # an invalid question, without a depth or at a terminal state
            return False, None
        if call.code is not self.own and _is_bound(call, correct):
            correct = None
        return True, correct

    def _arguments(self, call: Call) -> tuple[Any, ...]:
        """Return the arguments with which the checked function has the same task; () if unknown."""
        if call.code is self.own:
            return _arguments(call, self.wrong.arguments)
        if self.own is None:
            return ()
        names = self.own.co_varnames[: self.own.co_argcount]
        values = []
        for name, value in zip(names, self.wrong.arguments, strict=False):
            counts = any(word in name for word in COUNTS)
            if name not in call.arguments and counts:
                return ()
            values.append(call.arguments.get(name, value))
        return (call.node.state, *values[1:])


def _is_bound(call: Call, right: Any) -> bool:
    """Return whether a result is a correct bound for the window that a helper received."""
    window, value = window_in(call.arguments), call.returned
    if len(window) != 2 or not (is_number(value) and is_number(right)):
        return False
    kind = kind_for_window(value, *window)
    return (kind == "upper" and right <= value) or (kind == "lower" and right >= value)


def _arguments(call: Call, first: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments of a call with its position; () if they are not all known.

    first  the arguments of the first call; a table among them is handed on
    """
    names = call.code.co_varnames[: call.code.co_argcount]
    unknown = [name for name in names if name not in call.arguments]
    tables = {name: held for name, held in zip(names, first, strict=False) if type(held) is dict}
    if len([name for name in unknown if name not in tables]) != 1:
        return ()
    known = {**tables, **call.arguments}
    return tuple(known.get(name, call.node.state) for name in names)


def _named(call: Call) -> tuple[Any, ...]:
    return _path(call.node), call.code.co_name, *sorted(map(repr, call.arguments.items()))


def _path(node: RecordedNode) -> Path:
    path: Path = ()
    while node.parent:
        path, node = (node.action, *path), node.parent
    return path
