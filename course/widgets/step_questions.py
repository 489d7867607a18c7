"""Questions about the next step of a trace, with a reason for the right answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf, isclose, isnan
from typing import Any, Literal

from course.draw.wording import capital, format_path, format_value, join_with_and, mover
from course.tracing import events
from course.tracing.trace import Trace, TraceFrame
from course.tracing.visits import Path
from gamelib.search.mcts_tree import Ucb
from gamelib.state import CHANCE, is_number

CUT, GO_ON = "cut", "go on"
PHASES = {
    events.Select: "select",
    events.Expand: "expand",
    events.Rollout: "rollout",
    events.Proof: "prove",
    events.Backpropagate: "backpropagate",
}
HINTS = {
    "select": "Compare the scores of the actions that are still open.",
    "value": "Look at what its children have returned, and at who moves there.",
    "cut": "Compare alpha with beta.",
    "phase": "Think of the order of the phases, and of what the search has just done.",
}
# Characters that are typed for a minus: the sign itself, and dashes and hyphens.
DASHES = dict.fromkeys(map(ord, "\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}\N{FIGURE DASH}"), "-")
DASHES |= dict.fromkeys(
    map(ord, "\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FULLWIDTH HYPHEN-MINUS}"), "-"
)
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
MAX_ANSWER_CHARS = 60  # of a number, or of several
MAX_CHOICES = 12  # actions to select from; more would not fit next to their scores

Kind = Literal["select", "value", "cut", "phase"]
Followers = dict[type, set[type]]


@dataclass(frozen=True)
class StepQuestion:
    """A question about the next event, at the node `path`.

    Without `choices` the answer is a value.  The answers in `ties` are as right as `correct`.
    """

    kind: Kind
    step: int
    path: Path
    prompt: str
    choices: tuple[Any, ...]
    correct: Any
    explanation: str
    ties: tuple[Any, ...] = ()


@dataclass(frozen=True)
class GradedAnswer:
    """Whether an answer is right, and why."""

    correct: bool
    explanation: str

    def __bool__(self) -> bool:
        return self.correct


def questions(trace: Trace, max_questions: int = 12) -> dict[int, StepQuestion]:
    """Return step -> question, at most `max_questions`, spread evenly over the kinds of questions.

    If a question has a few fixed answers, each of them is right about equally often.
    """
    groups: dict[Kind, dict[str, list[int]]] = {}
    kinds: dict[int, Kind] = {}
    # the events that follow each kind of event; if there is only one, there is no question
    followers: Followers = {}
    for previous, event in pairwise(trace):
        followers.setdefault(type(previous), set()).add(type(event))
    for step in range(1, len(trace)):
        if asked := _kind(trace, step, followers):
            kinds[step] = asked[0]
            groups.setdefault(asked[0], {}).setdefault(asked[1], []).append(step)
    steps: list[int] = []
    for groups_left, group in _countdown(list(groups.values())):
        full = len(steps) + (max_questions - len(steps)) // groups_left
        for rows_left, steps_of_answer in _countdown(sorted(group.values(), key=len)):
            count = min(len(steps_of_answer), -(-(full - len(steps)) // rows_left))
            steps += [steps_of_answer[i * len(steps_of_answer) // count] for i in range(count)]
    make = {"select": _selection, "value": _value, "cut": _cut, "phase": _phase}
    by_step = {step: make[kinds[step]](trace, step) for step in sorted(steps)}
    return {step: question for step, question in by_step.items() if question}


def _countdown(groups: list[Any]) -> Iterable[tuple[int, Any]]:
    """Return each group with the number of groups that are left, itself included."""
    return zip(range(len(groups), 0, -1), groups, strict=True)


def _kind(trace: Trace, step: int, followers: Followers) -> tuple[Kind, str] | None:
    """Return the kind of the question before event number `step`, and its right answer.

    The answer is "" for kinds whose answers are not words; None if no question is possible.
    """
    event, previous = trace[step], trace[step - 1]
    if type(event) in PHASES:
        if isinstance(event, events.Select) and len(event.table) <= MAX_CHOICES:
            all_tried = all(row.exploration != inf for row in event.table)
            if all_tried and sum(row.open for row in event.table) > 1:
                return "select", ""
        is_uncertain = len(followers[type(previous)]) > 1
        return ("phase", PHASES[type(event)]) if is_uncertain else None
    visit = trace.visit_of(step)
    if isinstance(previous, events.Improve) and visit.window and trace.cuts_hold:
        visit_before = trace.visit_of(step - 1)
        num_visited = sum(child.entered <= step for child in visit_before.children)
        has_more = num_visited < len(visit_before.state.legal_actions())
        return ("cut", CUT if isinstance(event, events.Cut) else GO_ON) if has_more else None
    return ("value", "") if isinstance(event, events.Return) and visit.children else None


def _selection(trace: Trace, step: int) -> StepQuestion:
    path, event = trace.visit_of(step).path[:-1], trace[step]
    best = next(row for row in event.table if row.action == event.action).score
    best_rows = [row for row in event.table if row.open and isclose(row.score, best, abs_tol=1e-9)]
    ties = tuple(row.action for row in best_rows)
    score = f"{best:.{digits(event.table)}f}"
    reason = f"Action {event.action} has the highest score of those still open: {score}."
    if len(ties) > 1:
        reason += f" Actions {join_with_and(ties)} are equal, so the first one is taken."
    prompt = f"Which action does the search select at {format_path(path)}?"
    choices = tuple(row.action for row in event.table)
    return StepQuestion("select", step, path, prompt, choices, event.action, reason, ties)


def digits(rows: Sequence[Ucb]) -> int:
    """Return the number of digits after the point with which the scores of a table can be added.

    It is 2, or as many as are needed to tell the highest score of the open actions from lower ones.
    """
    rows = [row for row in rows if row.open and row.exploration != inf]
    best = max((row.score for row in rows), default=0)
    for places in range(2, 6):
        terms = {row.action: (row.mean or 0, row.exploration) for row in rows}
        sums = {
            a: round(sum(round(term, places) for term in pair), places) for a, pair in terms.items()
        }
        tops = [row.action for row in rows if sums[row.action] >= max(sums.values())]
        if tops == [row.action for row in rows if row.score == best]:
            return places
    return 6


def _value(trace: Trace, step: int) -> StepQuestion | None:
    """Return the question for a value; None if it does not follow from those of the children."""
    path, value, frame = trace.visit_of(step).path, trace[step].value, trace.at(step)
    if not _follows(trace, trace.at(step + 1), path, value):
        return None
    prompt = f"What does {format_path(path)} return?"
    reason, ties = _why_value(trace, frame, path, value), _equals(frame, path, value)
    reason += " Among equals, the first one counts." if len(ties) > 1 else ""
    return StepQuestion("value", step, path, prompt, (), value, reason, ties)


def _equals(frame: TraceFrame, path: Path, value: Any) -> tuple[Any, ...]:
    """Return the vectors that are as good for the player to move as the one returned."""
    if not isinstance(value, tuple) or frame.node(path).state.current_player == CHANCE:
        return ()
    player = frame.node(path).state.current_player
    vectors = dict.fromkeys(frame.node(child).value for child in frame.children(path))
    return tuple(
        vector
        for vector in vectors
        if isinstance(vector, tuple) and vector[player] == value[player]
    )


def _follows(trace: Trace, frame: TraceFrame, path: Path, value: Any) -> bool:
    """Return whether the best value of the children is returned; a learner's program may differ."""
    player, role = frame.node(path).state.current_player, trace.role(frame.node(path).state)
    nodes = [frame.node(child) for child in frame.children(path)]
    values: list[Any] = [node.value for node in nodes]
    if role == "chance" or isinstance(value, tuple):
        return frame.node(path).sure
    if not all(map(is_number, (value, *values))):
        return False
    if trace.is_mover_relative:  # the sign changes where another player moves
        same = [node.state.current_player == player for node in nodes]
        values = [
            value_of_child if own else -value_of_child
            for value_of_child, own in zip(values, same, strict=True)
        ]
    return bool(value == (min if role == "min" else max)(values))


def _why_value(trace: Trace, frame: TraceFrame, path: Path, value: Any) -> str:
    node = frame.node(path)
    player = mover(trace, node.state)
    found = [frame.node(child).value for child in frame.children(path)]
    if isinstance(value, tuple):
        mine = [vector[node.state.current_player] for vector in found if isinstance(vector, tuple)]
        return (
            f"{capital(player)} compares the entries for itself: "
            f"{join_with_and(map(format_value, mine))}, "
            f"and returns the whole vector with the best one, {format_value(value)}."
        )
    if trace.role(node.state) == "chance":
        return f"{describe_mean(frame, path)} {format_value(value)}."
    if trace.is_mover_relative:
        return (
            f"The children return {join_with_and(map(format_value, found))}; "
            "with the sign changed where the "
            f"other player moves, the highest is {format_value(value)}."
        )
    if len(found) == 1:
        return f"It has seen one child, and returns its value: {format_value(value)}."
    which = "highest" if trace.role(node.state) == "max" else "lowest"
    values = join_with_and(map(format_value, found))
    return f"{capital(player)} takes the {which} of {values}: {format_value(value)}."


def describe_mean(frame: TraceFrame, path: Path) -> str:
    """Return how the value of a chance node follows from its outcomes, up to the value."""
    probabilities = dict(frame.node(path).state.chance_outcomes())
    children = frame.children(path)
    parts = [
        f"{format_value(probabilities[child[-1]])} · {format_value(frame.node(child).value)}"
        for child in children
    ]
    if len(parts) < len(probabilities) or any(
        frame.node(child).kind != "exact" for child in children
    ):
        return f"Chance moves here, and what is known of its outcomes ({', '.join(parts)}) leaves"
    return f"Chance moves here: {' + '.join(parts)} is"


def _cut(trace: Trace, step: int) -> StepQuestion:
    event, path = trace[step], trace.visit_of(step - 1).path
    prompt = f"{capital(format_path(path))} has actions left. Cut, or go on?"
    window = trace.at(step).node(path).window
    correct, reason = GO_ON, "Its value can still change what is chosen above."
    if isinstance(event, events.Cut):
        correct, reason = CUT, f"{capital(event.reason)}."
    elif len(window) == 2:
        comparison = "Alpha {} is below beta {}".format(*map(format_value, window))
        reason = f"{comparison}, so another action can still change what is chosen above."
    return StepQuestion("cut", step, path, prompt, (CUT, GO_ON), correct, reason)


def _phase(trace: Trace, step: int) -> StepQuestion:
    event, path = trace[step], trace.visit_of(step).path
    solver = bool(trace.options.get("solver"))
    choices = tuple(name for kind, name in PHASES.items() if kind is not events.Proof or solver)
    node_path = path[:-1] if isinstance(event, events.Expand | events.Select) else path
    place, subject = format_path(node_path), capital(format_path(node_path))
    reason = {
        events.Select: f"All actions at {place} have been tried, so go down by the highest score.",
        events.Expand: f"{subject} has an action that has not been tried, so it joins the tree.",
        events.Rollout: f"{subject} is new, or the game is over there, so find out how it ends.",
        events.Proof: f"The result is certain at {place}, so it is proven.",
        events.Backpropagate: "The game has a result, and every node on the path counts it.",
    }[type(event)]
    # Every simulation begins with the selection, which ends immediately if an action is untried.
    begins = step == 0 or isinstance(trace[step - 1], events.Backpropagate | events.Proof)
    ties = ("select",) if isinstance(event, events.Expand) and begins else ()
    correct = PHASES[type(event)]
    return StepQuestion(
        "phase", step, node_path, "What comes next?", choices, correct, reason, ties
    )


def grade_answer(
    trace: Trace, question: StepQuestion, answer: Any, *, reveal: bool = True
) -> GradedAnswer:
    """Return whether `answer` is right, and why; a wrong one gets a hint unless `reveal` is set.

    ValueError if it is not one of the choices, or not a value if a value is asked for.
    """
    if question.choices:
        given = _chosen(question.choices, answer)
        right = given == question.correct or given in question.ties
    else:
        given = parse_value(answer)
        right = any(_same(given, correct) for correct in (question.correct, *question.ties))
    if right:
        return GradedAnswer(True, question.explanation)
    explanation = question.explanation if reveal else HINTS[question.kind]
    return GradedAnswer(False, f"{_objection(trace, question, given)} {explanation}".strip())


def _chosen(choices: tuple[Any, ...], answer: Any) -> Any:
    for choice in choices:
        if answer == choice or str(answer).strip() == str(choice):
            return choice
    raise ValueError(f"answer must be one of {', '.join(map(str, choices))}; got {answer!r}")


def parse_value(answer: Any) -> Any:
    """Return a value from a number, several numbers, or a text like "3", "1/3" or "(1, 2)".

    ValueError for anything else.
    """
    if isinstance(answer, tuple | list):
        return tuple(map(parse_value, answer))
    if is_number(answer) and answer == answer:
        return answer
    try:
        numbers = tuple(parse_numbers(str(answer), many=True))
    except (ValueError, ZeroDivisionError):
        numbers = ()
    if not numbers or any(map(isnan, numbers)):
        raise ValueError(f"answer must be a number, or one for each player; got {answer!r}")
    return numbers[0] if len(numbers) == 1 else numbers


def parse_numbers(text: str, many: bool = False) -> list[float]:
    """Return the numbers that a learner typed, like "549,946", "0,5" or "1/3"; ValueError if none.

    With `many` they are separated by commas and may be in brackets: "(1, 2)".
    """
    if len(text) > MAX_ANSWER_CHARS:
        raise ValueError(
            f"text must have at most {MAX_ANSWER_CHARS} characters; it has {len(text)}"
        )
    plain = re.sub(r"[\s_]", "", text.translate(DASHES)).replace("∞", "inf")
    # "0,5" is a half in many languages; a comma groups digits only if three follow.
    one = plain.replace(",", "" if GROUPED.fullmatch(plain) else ".")
    return [_number(part) for part in (plain.strip("()").split(",") if many else [one]) if part]


def _number(text: str) -> float:
    number = float(Fraction(text) if "/" in text else text)
    return int(number) if number.is_integer() else number  # shown without a point


def _same(given: Any, right: Any) -> bool:
    pair = [part if isinstance(part, tuple) else (part,) for part in (given, right)]
    return len(pair[0]) == len(pair[1]) and all(
        a == b or isclose(a, b, abs_tol=1e-4) or format_value(float(a)) == format_value(float(b))
        for a, b in zip(*pair, strict=True)
    )


def _objection(trace: Trace, question: StepQuestion, given: Any) -> str:
    """Return what is wrong with this answer in particular; "" if there is nothing to add."""
    if question.kind == "value":
        return _wrong_value(trace, trace.at(question.step), given)
    if question.kind != "select":
        return ""
    table = trace[question.step].table
    row = next(row for row in table if row.action == given)
    if not row.open:
        return f"Action {given} is closed, because a proof leaves nothing to learn there."
    return f"Action {given} has the score {row.score:.{digits(table)}f}."


def _wrong_value(trace: Trace, frame: TraceFrame, given: Any) -> str:
    path = trace.visit_of(frame.step).path
    values = [frame.node(child).value for child in frame.children(path)]
    numbers = [float(value) for value in values if isinstance(value, int | float | Fraction)]
    if not numbers:
        return ""
    is_value_of_child = any(_same(given, number) for number in numbers)
    if trace.role(frame.node(path).state) == "chance":
        if _same(given, sum(numbers) / len(numbers)):
            return "That is the plain average: are all outcomes equally probable?"
        return "That is one outcome's value, but nobody chooses here." if is_value_of_child else ""
    if not is_value_of_child:
        return f"{format_value(given)} is not the value of any child here."
    if given in (min(numbers), max(numbers)):
        return f"That is the {'lowest' if given == min(numbers) else 'highest'} of them."
    return f"{format_value(given)} is the value of another child."
