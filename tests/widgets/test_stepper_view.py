"""What the stepper shows while it asks, read as a learner reads it: from the screen."""

import re
from functools import cache, partial
from html import unescape

import pytest

from course.widgets.step_questions import CUT, GO_ON, parse_value
from tests.widgets.conftest import STEPPERS, stepper_of

# A stepper takes longer to build than to ask, so each is built once.
built = cache(partial(stepper_of, ask=True))


def asking(name):
    """Yield a stepper at each question that it can ask, and the question."""
    stepper = built(name)
    assert stepper.questions
    stepper.answered.clear()
    for step, question in stepper.questions.items():
        stepper.go_to(step)
        yield stepper, question


def table(stepper):
    """Return the cells of the table, row by row."""
    rows = re.findall("<tr>(.*?)</tr>", stepper.shown.table)[1:]
    return [[unescape(c) for c in re.findall("<td>(.*?)</td>", row)] for row in rows]


def nodes(stepper):
    """Return the status and the value of each node that is drawn."""
    found = re.findall(
        'class="node" data-path="(.*?)" data-status="(.*?)"(?: data-value="(.*?)")?',
        stepper._tree.svg,
    )
    return {path: (status, unescape(value)) for path, status, value in found}


def said(stepper):
    return unescape(re.sub("<.*?>", "", stepper.shown.narration))


def answer_from_screen(stepper, question):
    """Return the answer that can be read off the screen, by the rules of the search."""
    if question.kind == "phase":
        return phase(stepper)
    if stepper.trace.is_mcts:
        scores = {
            row[0]: float(row[2]) + float(row[3]) for row in table(stepper) if row[4] != "closed"
        }
        best = max(scores.values())
        return next(action for action, score in scores.items() if score > best - 1e-9)
    if question.kind == "cut":
        alpha, beta = (parse_value(cell) for cell in table(stepper)[-1][2:4])
        strict = stepper.trace.options.get("strict")
        return CUT if (beta < alpha if strict else beta <= alpha) else GO_ON
    raise AssertionError(f"a question of a new kind: {question}")


def phase(stepper):
    """Return which phase comes next, from the sentence, the board and the table."""
    text, solver = said(stepper), bool(stepper.trace.options.get("solver"))
    node = stepper.timeline[stepper.step]
    if text.startswith("Expand"):
        return "rollout"
    if text.startswith("Proven"):
        return "prove or backpropagate"
    if text.startswith(("Rollout", "The game is over")):
        return "prove or backpropagate" if solver else "backpropagate"
    at = () if text.startswith("Backpropagate") else node.focus
    state = node.node(at).state
    if state.is_terminal():
        return "rollout"
    return "expand" if len(node.children(at)) < len(state.legal_actions()) else "select"


def value_from_screen(stepper, path):
    """Return the value of a node from those of its children in the drawing."""
    trace, state = stepper.trace, stepper.trace.state.play(*path)
    key = "".join(f"{action}/" for action in path)
    found = [
        parse_value(value.strip("≤≥~<> "))  # as "≤ 2", "~ 0.25", "(1, 2)"
        for node, (status, value) in nodes(stepper).items()
        if node.startswith(key) and "/" not in node[len(key) :] and node and status != "waiting"
        if value
    ]
    if isinstance(found[0], tuple):
        return max(found, key=lambda vector: vector[state.current_player])
    if trace.is_mover_relative:
        return max(-value for value in found)
    return (max if trace.role(state) == "max" else min)(found)


@pytest.mark.parametrize("name", STEPPERS)
def test_answer_can_be_derived_from_view(name) -> None:
    for stepper, question in asking(name):
        if question.kind == "value":
            found = value_from_screen(stepper, question.path)
            assert stepper.answer(str(found)).startswith("Right"), (question, found)
        else:
            assert str(question.correct) in str(answer_from_screen(stepper, question)), question


@pytest.mark.parametrize("name", STEPPERS)
def test_view_hides_answer_of_question(name) -> None:
    for stepper, question in asking(name):
        shown = stepper.shown.table + stepper.shown.narration + stepper._prompt.value
        if question.kind == "value":
            key = "/".join(map(str, question.path))
            assert nodes(stepper)[key][1] == "?"
            assert f"<td>{key.replace('/', ' → ') or 'root'}</td>" in stepper.shown.table
            assert table(stepper)[-1][2:] == ["?"] * len(table(stepper)[-1][2:])
            assert "aria-current" not in stepper.shown.program
            on_line = re.findall('data-path="(.*?)" data-kind="best"', stepper._tree.svg)
            below = [path for path in on_line if path.startswith(f"{key}/" if key else "")]
            assert not below
        elif question.kind == "select":
            assert {row[4] for row in table(stepper)} <= {"?", "closed"}
            assert "▸" not in shown
        assert question.explanation not in shown


@pytest.mark.parametrize("name", [name for name in STEPPERS if name.startswith("mcts")])
def test_reply_agrees_with_table(name) -> None:
    selections = 0
    for stepper, question in asking(name):
        wrong = next((c for c in question.choices if c not in question.ties), None)
        if question.kind != "select" or wrong is None:
            continue
        selections += 1
        before = {row[0]: row[:4] for row in table(stepper)}
        hint, truth = stepper.answer(wrong), stepper.answer(wrong)
        after = {row[0]: row for row in table(stepper)}
        assert {action: row[:4] for action, row in after.items()} == before
        if after[str(wrong)][4] != "closed":
            assert f"Action {wrong} has the score {after[str(wrong)][4]}." in hint
        best = f"Action {question.correct} has the highest score of those still open: "
        assert f"{best}{after[str(question.correct)][4]}." in truth
        places = len(after[str(question.correct)][4].split(".")[1])
        for row in after.values():
            if row[4] != "closed":
                assert float(row[2]) + float(row[3]) == pytest.approx(
                    float(row[4]), abs=1.01 * 10**-places
                )
        stepper.ask_mode = False
        stepper.next()
        assert {row[0].removeprefix("▸ "): row[1:] for row in table(stepper)} == {
            action: row[1:] for action, row in after.items()
        }
        stepper.ask_mode = True
    assert selections or stepper.trace.options.get("solver")
