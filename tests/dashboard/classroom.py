"""A made-up class of 120: what each did follows from a number, so that all counts are known.

Of the notebook 02: two predictions, a quiz, two questions of a stepper, and exercises E1 and E2.
"""

import json
from pathlib import Path

N = 120
CHOICES = "How many own moves must the rule look ahead?"  # this class is told that it is 5
AMOUNT = "Of 100 positions with an immediate win, how many does minimax leave?"  # made up: 549,946
QUIZ = "minimax/value"
STEP = "minimax, GameTree([[3 12 8] [2 4 6] [14 5 2]], max to move), step {}: What does it return?"
MISTAKES = ("Your program maximizes at every node.", "The `depth` makes no difference.")


def events(number):
    """Yield (kind, key, facts) of what student `number` of the class did, in its order."""
    yield "guess", CHOICES, {"guess": (1, 5, 5, 8)[number % 4], "choices": [1, 5, 8]}
    right = number % 4 in (1, 2)
    seen = {"guess": (1, 5, 5, 8)[number % 4], "measured": 5, "right": right}
    yield "guess", CHOICES, seen
    if number % 2:  # half of them enter it again when they know it: that counts for nothing
        yield "guess", CHOICES, {"guess": 5, "choices": [1, 5, 8]}
        yield "guess", CHOICES, {"guess": 5, "measured": 5, "right": True}
    yield "guess", AMOUNT, {"guess": 10 ** (number % 6 + 1)}
    yield "guess", AMOUNT, {"guess": 10 ** (number % 6 + 1), "measured": 549_946, "right": False}
    yield "quiz", QUIZ, {"given": [answers()[number % 3]], "right": False}
    for step in (4, 9):
        given = "3" if number % step == 0 else "2"
        yield "step", STEP.format(step), {"given": given, "right": given == "3", "truth": "3"}
    yield from first_exercise(number)
    if number % 10 == 0:  # these find no way into E2
        for attempt in range(6):
            yield "attempt", "check_negamax", {"passed": False, "mark": f"{attempt}"}
    elif number % 10 == 1:
        yield "hint", "02/e2", {"number": 1}
        yield "attempt", "check_negamax", {"passed": True, "mark": "p"}


def first_exercise(number):
    """Yield what happens at E1: from 0 to 3 wrong attempts, and then a pass."""
    for attempt in range(number % 4):
        facts = {"passed": False, "mark": f"{attempt}"}
        yield "attempt", "check_limited_minimax", facts | {"mistake": MISTAKES[attempt % 2]}
    if number % 4 == 3:
        yield "hint", "02/e1", {"number": 1}
        yield "hint", "02/e1", {"number": 2}
        yield "solution", "02/e1", {}
    yield "attempt", "check_limited_minimax", {"passed": True, "mark": "p"}


def answers():
    from course.exercises.lesson_data import quiz_data

    return [*quiz_data(QUIZ)["answers"]]


def notebook(number):
    """Return the notebook of student `number`: its outputs carry one record in several states."""
    log = [
        {"n": n, "kind": kind, "key": key} | facts
        for n, (kind, key, facts) in enumerate(events(number))
    ]
    name = f"{number:08x}"
    outputs = [
        {
            "output_type": "display_data",
            "data": {"text/plain": "Not yet"},
            "metadata": {"course_record": {name: log[:until]}},
        }
        for until in (3, len(log), len(log) // 2)
    ]
    code = {"cell_type": "code", "source": "1 + 1", "metadata": {}, "outputs": outputs}
    return {"cells": [code], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def hand_in(folder: Path) -> None:
    """Write what the class handed in: 120 notebooks, and four files that tell nothing."""
    for number in range(N):
        student = folder / f"student-{number:03}"
        student.mkdir()
        (student / "02_minimax.ipynb").write_text(json.dumps(notebook(number)), encoding="utf-8")
    cleared = notebook(0)
    cleared["cells"][0]["outputs"] = []
    broken = {"cleared": json.dumps(cleared), "half": json.dumps(notebook(1))[:200], "nothing": ""}
    broken["essay"] = json.dumps({"cells": [{"cell_type": "markdown", "source": "I did"}]})
    for name, text in broken.items():
        (folder / f"02_minimax_{name}.ipynb").write_text(text, encoding="utf-8")
