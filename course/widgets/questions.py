"""What will the search do next?  Questions on a trace, with a reason for the right answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isclose, isnan
from typing import Any, Literal

from course.draw.words import capital, in_words, listed, mover, path_in_words
from gamelib.search.events import (
    Backpropagate,
    Cut,
    Enter,
    Expand,
    Improve,
    Proof,
    Return,
    Rollout,
    Select,
    Ucb,
)
from gamelib.state import CHANCE, Action, is_number
from gamelib.trace.trace import Moment, Trace
from gamelib.trace.visits import Path, Visit

CUT, GO_ON, RETURN = "cut", "go on", "return"
PHASES = {
    Select: "select",
    Expand: "expand",
    Rollout: "rollout",
    Proof: "prove",
    Backpropagate: "backpropagate",
}
HINTS = {
    "child": "Actions are tried in their order.",
    "value": "Look at what its children have returned, and at who moves there.",
    "cut": "Compare alpha with beta.",
    "phase": "Think of the phases in their order, and of what has just been done.",
}
# What is typed for a minus: the sign itself, and the dashes and hyphens of keyboards and texts.
DASHES = dict.fromkeys(map(ord, "\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}\N{FIGURE DASH}"), "-")
DASHES |= dict.fromkeys(
    map(ord, "\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FULLWIDTH HYPHEN-MINUS}"), "-"
)
MOST_CHOICES = 12  # actions to select from: so many fit beside their scores
PHASE_STEPS = 16  # ask for the phases of MCTS in its first simulations only

Kind = Literal["child", "value", "cut", "phase"]


@dataclass(frozen=True)
class Question:
    """A question on the event that comes next.  Without `choices` the answer is a value."""

    kind: Kind
    step: int
    prompt: str
    choices: tuple[Any, ...]
    right: Any
    why: str


@dataclass(frozen=True)
class Judgement:
    """Whether an answer is right, and why."""

    right: bool
    why: str

    def __bool__(self) -> bool:
        return self.right


def questions(trace: Trace, most: int = 12) -> dict[int, Question]:
    """Return up to `most` questions by step, of every kind that the trace allows, evenly spread."""
    by_kind: dict[Kind, list[int]] = {}
    for step in range(len(trace)):
        if kind := _kind(trace, step):
            by_kind.setdefault(kind, []).append(step)
    asked: dict[int, Question] = {}
    for kinds_left, steps in zip(range(len(by_kind), 0, -1), by_kind.values(), strict=True):
        share = (most - len(asked)) // kinds_left
        asked |= {step: q for step in _spread(steps, share) if (q := question_at(trace, step))}
    return dict(sorted(asked.items()))


def _spread(steps: list[int], count: int) -> list[int]:
    if len(steps) <= count:
        return steps
    return [steps[i * len(steps) // count] for i in range(count)]


def _kind(trace: Trace, step: int) -> Kind | None:
    """Return what could be asked before the event number `step`, from 0."""
    event, before = trace[step], trace[step - 1] if step else None
    if isinstance(event, Select):
        if step == trace.visits[0].tables[0][0] - 1 < PHASE_STEPS:
            return "phase"  # the first time that all actions of the root have been tried
        rows = [row for row in event.table if row.open and row.exploration != inf]
        few = len(rows) > 1 and len(event.table) <= MOST_CHOICES
        return "child" if few and _all_tried(event) else None
    if type(event) in PHASES:
        return "phase" if 0 < step < PHASE_STEPS else None
    visit = trace.visit_of(step)
    if isinstance(before, Improve) and visit.window:
        here = trace.visit_of(step - 1)
        seen = sum(child.entered <= step for child in here.children)
        return "cut" if seen < len(here.state.legal_actions()) else None
    if isinstance(event, Return) and (visit.improved or _drawn(visit)):
        return "value"
    if isinstance(event, Enter) and isinstance(before, Return) and visit.parent:
        return "child" if _in_turn(visit, step) else None
    return None


def _drawn(visit: Visit) -> bool:
    """Return whether a visit is one of a chance node that has looked at outcomes."""
    return visit.state.current_player == CHANCE and bool(visit.children)


def _in_turn(visit: Visit, step: int) -> bool:
    """Return whether the actions up to this one came in the order of the game's rules."""
    assert visit.parent
    seen = [child.path[-1] for child in visit.parent.children if child.entered <= step + 1]
    return seen == list(visit.parent.state.legal_actions())[: len(seen)]


def _all_tried(event: Select) -> bool:
    return all(row.exploration != inf for row in event.table)


def question_at(trace: Trace, step: int) -> Question | None:
    """Return the question to ask after `step` events, on the one that comes next; None for none."""
    if not 0 <= step < len(trace):
        return None
    kind = _kind(trace, step)
    if kind is None:
        return None
    ask = {"child": _child, "value": _value, "cut": _cut, "phase": _phase}[kind]
    return ask(trace, trace.at(step), step)


def _child(trace: Trace, moment: Moment, step: int) -> Question:
    event = trace[step]
    path = trace.visit_of(step).path[:-1]
    where = path_in_words(path)
    if isinstance(event, Select):
        choices = tuple(row.action for row in event.table)
        best = next(row for row in event.table if row.action == event.action)
        score = f"{best.score:.{digits(event.table)}f}"
        why = f"Action {best.action} has the highest score of those still open: {score}."
        ties = [row for row in event.table if row.open and row.score == best.score]
        why += " Of equals the first one is taken." if len(ties) > 1 else ""
        prompt = f"Which action does the search select at {where}?"
        return Question("child", step, prompt, choices, event.action, why)
    choices = (*moment.node(path).state.legal_actions(), RETURN)
    why = f"Actions are tried in their order, and {event.action} is the first one not visited."
    prompt = f"Back at {where}: which action is visited next?"
    return Question("child", step, prompt, choices, event.action, why)


def digits(rows: Sequence[Ucb]) -> int:
    """Return how many digits after the point a table of scores needs, to add them up by hand.

    Two, or as many as tell the highest score of the open actions from those that are lower.
    """
    rows = [row for row in rows if row.open and row.exploration != inf]
    best = max((row.score for row in rows), default=0)
    for places in range(2, 6):
        sums = {row.action: _by_hand(row, places) for row in rows}
        tops = [row.action for row in rows if sums[row.action] >= max(sums.values())]
        if tops == [row.action for row in rows if row.score == best]:
            return places
    return 6


def _by_hand(row: Ucb, places: int) -> float:
    """Return the sum of both terms of a score as a table with so many digits shows them."""
    return round(round(row.mean or 0, places) + round(row.exploration, places), places)


def _value(trace: Trace, moment: Moment, step: int) -> Question:
    visit = trace.visit_of(step)
    event = trace[step]
    prompt = f"{capital(path_in_words(visit.path))} has seen all it needs. What does it return?"
    return Question(
        "value", step, prompt, (), event.value, _why_value(trace, moment, visit.path, event.value)
    )


def _why_value(trace: Trace, moment: Moment, path: Path, value: Any) -> str:
    node = moment.node(path)
    who = mover(trace, node.state)
    found = [moment.node(child).value for child in moment.children(path)]
    if isinstance(value, tuple):
        mine = [vector[node.state.current_player] for vector in found if isinstance(vector, tuple)]
        return (
            f"{capital(who)} compares the entries of their own: {listed(map(in_words, mine))}, "
            f"and returns the whole vector of the best, {in_words(value)}."
        )
    if trace.role(node.state) == "chance":
        return f"{mean_in_words(moment, path)} {in_words(value)}."
    if trace.mover_views:
        return (
            f"The children return {listed(map(in_words, found))}; with the sign changed where the "
            f"other player moves, the highest is {in_words(value)}."
        )
    if len(found) == 1:
        return f"It has seen one child, and returns its value: {in_words(value)}."
    which = "highest" if trace.role(node.state) == "max" else "lowest"
    return f"{capital(who)} takes the {which} of {listed(map(in_words, found))}: {in_words(value)}."


def mean_in_words(moment: Moment, path: Path) -> str:
    """Return how the value of a chance node follows from its outcomes, up to the value."""
    chances = dict(moment.node(path).state.chance_outcomes())
    seen = moment.children(path)
    parts = [f"{in_words(chances[c[-1]])} · {in_words(moment.node(c).value)}" for c in seen]
    if len(parts) < len(chances) or any(moment.node(c).kind != "exact" for c in seen):
        return f"Chance moves here, and what is known of its outcomes ({', '.join(parts)}) leaves"
    return f"Chance moves here: {' + '.join(parts)} is"


def _cut(trace: Trace, moment: Moment, step: int) -> Question:
    event = trace[step]
    path = trace.visit_of(step - 1).path
    prompt = f"{capital(path_in_words(path))} has actions left. Cut, or go on?"
    if isinstance(event, Cut):
        return Question("cut", step, prompt, (CUT, GO_ON), CUT, f"{capital(event.reason)}.")
    window = moment.node(path).window
    why = "Its value can still change what is chosen above."
    if len(window) == 2:
        alpha, beta = map(in_words, window)
        why = (
            f"Alpha {alpha} is below beta {beta}, so another action can still change "
            "what is chosen above."
        )
    return Question("cut", step, prompt, (CUT, GO_ON), GO_ON, why)


def _phase(trace: Trace, moment: Moment, step: int) -> Question:
    event = trace[step]
    path = trace.visit_of(step).path
    solver = bool(trace.options.get("solver"))
    choices = tuple(name for kind, name in PHASES.items() if kind is not Proof or solver)
    where = path_in_words(path[:-1] if isinstance(event, Expand) else path)
    why = {
        Select: "All actions at the root have been tried: go down by the highest score.",
        Expand: f"{capital(where)} has an action that has not been tried: it joins the tree.",
        Rollout: f"{capital(where)} is new, or the end of the game: find out how it ends.",
        Proof: f"The result is certain at {where}, so it is proven.",
        Backpropagate: "The game has a result; every node on the path counts it.",
    }[type(event)]
    return Question("phase", step, "What comes next?", choices, PHASES[type(event)], why)


def judge(trace: Trace, question: Question, answer: Any, *, tell: bool = True) -> Judgement:
    """Return whether `answer` is right, and why; of a wrong one only a hint, unless it may `tell`.

    ValueError if it is not one of the choices, or not a value where a value is asked for.
    """
    if question.choices:
        given = _chosen(question.choices, answer)
        right = given == question.right
    else:
        given = parse_value(answer)
        right = _same(given, question.right)
    if right:
        return Judgement(True, question.why)
    more = question.why if tell else _hint(trace, question)
    return Judgement(False, f"{_objection(trace, question, given)} {more}".strip())


def _hint(trace: Trace, question: Question) -> str:
    """Return what to look at, without the answer."""
    if isinstance(trace[question.step], Select):
        return "Compare the scores of the actions that are still open."
    return HINTS[question.kind]


def _chosen(choices: tuple[Any, ...], answer: Any) -> Any:
    for choice in choices:
        if answer == choice or str(answer).strip() == str(choice):
            return choice
    raise ValueError(f"answer must be one of {', '.join(map(str, choices))}; got {answer!r}")


def parse_value(answer: Any) -> Any:
    """Return a value from a number, several of them, or a text like "3", "1/3" or "(1, 2)"."""
    if isinstance(answer, tuple | list):
        return tuple(parse_value(part) for part in answer)
    if is_number(answer) and answer == answer:
        return answer
    plain = str(answer).translate(DASHES).replace("- ", "-").replace("∞", "inf")
    parts = plain.strip().strip("()").split(",")
    try:
        numbers = tuple(_number(part) for part in parts if part.strip())
    except (ValueError, ZeroDivisionError):
        numbers = ()
    if not numbers or any(map(isnan, numbers)):
        raise ValueError(f"answer must be a number, or one for each player; got {answer!r}")
    return numbers[0] if len(numbers) == 1 else numbers


def _number(text: str) -> float:
    return float(Fraction(text.replace(" ", "")) if "/" in text else text)


def _same(given: Any, right: Any) -> bool:
    pair = [part if isinstance(part, tuple) else (part,) for part in (given, right)]
    return len(pair[0]) == len(pair[1]) and all(
        a == b or isclose(a, b, abs_tol=1e-4) or in_words(float(a)) == in_words(float(b))
        for a, b in zip(*pair, strict=True)
    )


def _objection(trace: Trace, question: Question, given: Any) -> str:
    """Return what is wrong with this answer in particular; "" where there is nothing to add."""
    moment = trace.at(question.step)
    event = trace[question.step]
    if question.kind == "value":
        return _wrong_value(trace, moment, given)
    if question.kind == "child" and isinstance(event, Select):
        row = next(row for row in event.table if row.action == given)
        if not row.open:
            return f"Action {given} is closed: proofs leave nothing to learn there."
        return f"Action {given} has the score {row.score:.{digits(event.table)}f}."
    if question.kind == "child":
        return _wrong_child(moment, event, trace.visit_of(question.step).path[:-1], given)
    return ""


def _wrong_child(moment: Moment, event: Enter, path: Path, given: Action) -> str:
    if given == RETURN:
        return "Not all actions have been visited, and nothing is cut."
    if moment.visits_of((*path, given)):
        return f"Action {given} has been visited already."
    return ""


def _wrong_value(trace: Trace, moment: Moment, given: Any) -> str:
    path = trace.visit_of(moment.step).path
    found = [moment.node(child).value for child in moment.children(path)]
    numbers = [float(value) for value in found if isinstance(value, int | float | Fraction)]
    if trace.role(moment.node(path).state) == "chance":
        return _wrong_mean(given, numbers)
    if not numbers or isinstance(given, tuple) or not _any_same(given, numbers):
        return f"{in_words(given)} is the value of no child here." if numbers else ""
    extreme = "lowest" if given == min(numbers) else "highest" if given == max(numbers) else ""
    return (
        f"That is the {extreme} of them." if extreme else f"{in_words(given)} is another child's."
    )


def _wrong_mean(given: Any, values: Sequence[float]) -> str:
    """Return what a wrong value of a chance node would have been right for."""
    if isinstance(given, tuple) or not values:
        return ""
    if _same(given, sum(values) / len(values)):
        return "That is the plain average: are all outcomes equally probable?"
    return "That is one outcome's; here nobody chooses." if _any_same(given, values) else ""


def _any_same(given: Any, values: Iterable[Any]) -> bool:
    return any(_same(given, value) for value in values)
