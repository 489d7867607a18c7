"""Show me where: the first call of a program that returns what is not right, in a stepper.

A check names the smallest position with a wrong answer.  There its program runs, and the stepper
stands where the first wrong call ends: all that came before it is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from ipywidgets import HTML

from course.draw.words import in_words, path_in_words
from course.kit.blame import name_of
from course.kit.feedback import Case, Feedback, Wrong
from course.kit.mistakes import repaired
from course.kit.smallest import smallest
from course.watch.recorder import LEFT, Call, Node, Recorder
from course.watch.visits import Path
from course.widgets.knobs import button
from course.widgets.panel import Panel, remark
from course.widgets.stepper import SearchStepper

MOST_NODES, SECONDS = 20_000, 3.0


class Spot(NamedTuple):
    """A call that returns what is not right."""

    path: Path
    given: Any
    right: Any


class ShowMeWhere(Panel):
    """Feedback with a button that opens the program at its first wrong node; `show` presses it."""

    children: Any
    stepper: SearchStepper | None = None
    spot: Spot | None = None

    def __init__(self, feedback: Feedback) -> None:
        self.feedback = feedback
        tip = "Step through your program where it first goes wrong"
        self._words = HTML(feedback._repr_html_())
        super().__init__(self._words, button("Show me where", self.show, tip, "primary"))

    def state_text(self) -> str:
        """Return what was wrong, and where once that is shown."""
        return f"{self.feedback.message[:60]} ...{f', {said(self.spot)}' if self.spot else ''}"

    def show(self) -> None:
        """Show the stepper below the feedback, at the first wrong node."""
        wrong = self.feedback.wrong
        if self.stepper is None and wrong:
            self.spot = first_wrong(wrong.program, wrong.arguments, partial(_right, wrong))
            self.stepper = opened(wrong.program, wrong.arguments, self.spot)
            # The stepper draws the position, so the feedback need not.
            self._words.value = replace(self.feedback, state=None)._repr_html_()
            self.children = [*self.children[:-1], *_with_words(self.stepper, self.spot)]


class _Shown(Panel):
    """A specimen, opened where its repair returns something else."""

    def __init__(self, stepper: SearchStepper, spot: Spot | None) -> None:
        self.stepper, self.spot = stepper, spot
        super().__init__(*_with_words(stepper, spot))

    def state_text(self) -> str:
        """Return where it goes wrong."""
        return said(self.spot)


def show_where(specimen: Callable[..., Any], *arguments: Any) -> Panel:
    """Return a stepper of a specimen, opened at the first node where its repair says otherwise.

    It shows the smallest position below the given one on which the two differ.
    """
    better = repaired(specimen)

    def make(*asked: Any) -> Case:
        return Case(asked, None, "")

    def find(case: Case) -> str:
        return "!" if specimen(*case.arguments) != better(*case.arguments) else ""

    case, _ = smallest(make(*arguments), "!", make, find)
    answers = {_named(call): call.returned for call in _ended(better, case.arguments)}

    def differs(call: Call) -> Any:
        right = answers.get(_named(call))
        return None if right == call.returned else right

    spot = first_wrong(specimen, case.arguments, differs)
    return _Shown(opened(specimen, case.arguments, spot), spot)


def said(spot: Spot | None) -> str:
    """Return where a program goes wrong, in a sentence with both numbers."""
    if spot is None:
        return "No call of it is wrong here, only what it does with their answers."
    here = f"The first wrong answer: {path_in_words(spot.path)} returns {in_words(spot.given)}"
    return f"{here}, and {in_words(spot.right)} is right."


def _with_words(stepper: SearchStepper, spot: Spot | None) -> tuple[HTML, SearchStepper]:
    return HTML(remark("wrong", said(spot))), stepper


def opened(
    program: Callable[..., Any], arguments: tuple[Any, ...], spot: Spot | None
) -> SearchStepper:
    """Return a stepper that stands where the call of a spot returns."""
    stepper = SearchStepper(program, *arguments)
    if spot:
        ends = (visit.returned for visit in stepper.trace.visits if visit.path == spot.path)
        steps = (end[0] for end in ends if end and end[1].value == spot.given)
        if step := next(steps, 0):
            stepper.go_to(stepper.film.of(step))
    return stepper


def first_wrong(
    program: Callable[..., Any], arguments: tuple[Any, ...], right: Callable[[Call], Any]
) -> Spot | None:
    """Return the first call of a program, by its end, whose answer is not right; None if none.

    `right` returns what is right of a call, or None if its answer is.
    """
    found = ((call, right(call)) for call in _ended(program, arguments))
    spots = (Spot(_path(c.node), c.returned, better) for c, better in found if better is not None)
    return next(spots, None)


def _ended(program: Callable[..., Any], arguments: tuple[Any, ...]) -> Iterator[Call]:
    """Yield the calls of a program that have returned, in the order of their ends."""
    run = Recorder(name_of(program), MOST_NODES, SECONDS, {})
    run.run(program, *arguments)
    yield from (call for call, line, _ in run.log if line == LEFT and call.error is None)


def _right(wrong: Wrong, call: Call) -> Any:
    """Return what is right of a call; None if its answer is, or if nothing can be said of it."""
    if call.code is not getattr(wrong.program, "__code__", None):
        return None
    arguments = _arguments(call) if call.maker else wrong.arguments
    try:
        return wrong.right(arguments, call.returned) if arguments else None
    except Exception:  # a question that nobody would ask: no depth, or a game that is over
        return None


def _arguments(call: Call) -> tuple[Any, ...]:
    """Return the arguments of a call, the position among them; () if they are not all known."""
    names = call.code.co_varnames[: call.code.co_argcount]
    unknown = [name for name in names if name not in call.arguments]
    if len(unknown) != 1:
        return ()
    return tuple(call.arguments.get(name, call.node.state) for name in names)


def _named(call: Call) -> tuple[Any, ...]:
    return _path(call.node), call.code.co_name, *sorted(map(repr, call.arguments.items()))


def _path(node: Node) -> Path:
    path: Path = ()
    while node.parent:
        path, node = (node.action, *path), node.parent
    return path
