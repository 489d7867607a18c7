"""What each student's notebook has recorded, and how far each came with each exercise."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from course.exercises.activity_log import TAB_PREFIX, LogEntry, logged_events, logs
from course.exercises.catalogue import HINTS, Exercise, catalogue
from tools.submissions import UNNAMED_STUDENT, Submission

STUCK_ATTEMPTS = 5  # attempts without a pass: then somebody is stuck


@dataclass(frozen=True)
class StudentLog:
    """What one student's notebook has recorded.

    tab    whether it ran in a browser tab, where each kernel begins a record of its own
    fault  why nothing could be read; "" if it could
    """

    student: str
    notebook: str
    file: str
    events: Sequence[LogEntry] = ()
    ran_in_tab: bool = False
    problem: str = ""


@dataclass(frozen=True)
class Progress:
    """How far one student came with one exercise.

    attempts  up to the first that passed, or all of them; one that got the same answer from the
              check as the one before it is not counted again
    hints     how many were shown, of three
    solution  whether it was opened before a pass
    """

    student: str
    attempts: int
    passed: bool
    hints: int
    solution: bool
    mistakes: frozenset[str]

    @property
    def is_stuck(self) -> bool:
        """Whether help is due: no pass after many attempts, all hints, or the solution."""
        return not self.passed and (
            self.attempts >= STUCK_ATTEMPTS or self.hints == len(HINTS) or self.solution
        )


def read_logs(handed_in: Iterable[Submission]) -> list[StudentLog]:
    """Return what was handed in; of several files of one student for a notebook the fullest."""
    found: dict[tuple[str, str], StudentLog] = {}
    for one in handed_in:
        new = _read_log(one)
        key = (new.student, new.notebook)
        old = found.get(key)
        if old is None or (not new.problem, len(new.events)) >= (not old.problem, len(old.events)):
            found[key] = new
    return [found[key] for key in sorted(found)]


def _read_log(one: Submission) -> StudentLog:
    student = one.file if one.student == UNNAMED_STUDENT else one.student

    def broken(why: str) -> StudentLog:
        return StudentLog(student, one.notebook, one.file, problem=why)

    if not one.file.endswith(".ipynb"):
        return broken("no notebook")
    if one.content is None:
        return broken("cannot be read, or is too large")
    if not one.content.strip():
        return broken("an empty file")
    try:
        notebook = json.loads(one.content)
        events, names = logged_events(notebook), logs(notebook)
        cells = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return broken("no notebook: its content is broken")
    if not any(map(len, cells)):
        return broken("a notebook without a program in it")
    tab = any(name.startswith(TAB_PREFIX) for name in names)
    return StudentLog(student, one.notebook, one.file, events, tab)


def exercises_by_check() -> dict[str, Exercise]:
    """Return check -> exercise; one check of several levels has their numbers behind its name."""
    exercises = list(catalogue().values())
    times, seen, found = Counter(one.check for one in exercises), Counter[str](), {}
    for one in exercises:
        seen[one.check] += 1
        found[f"{one.check}{seen[one.check] if times[one.check] > 1 else ''}"] = one
    return found


def exercise_progress(hand_ins: Iterable[StudentLog]) -> dict[str, list[Progress]]:
    """Return exercise -> how far each student came who tried it, or asked for help."""
    by_check = {check: exercise.key for check, exercise in exercises_by_check().items()}
    found: dict[str, list[Progress]] = {key: [] for key in catalogue()}
    for one in hand_ins:
        mine: dict[str, list[LogEntry]] = {}
        for event in one.events:
            key = by_check.get(event["key"], event["key"])
            if event["kind"] in ("attempt", "hint", "solution") and key in found:
                mine.setdefault(key, []).append(event)
        for key, events in mine.items():
            found[key].append(_progress_of(one.student, events))
    return {key: came for key, came in found.items() if came}


def _progress_of(student: str, events: Sequence[LogEntry]) -> Progress:
    done = [event.get("passed") is True for event in events]
    until = events[: done.index(True) + 1] if any(done) else events
    attempts = [event for event in until if event["kind"] == "attempt"]
    return Progress(
        student,
        attempts=len(attempts),
        passed=any(done),
        hints=max((_hint_number(event) for event in until if event["kind"] == "hint"), default=0),
        solution=any(event["kind"] == "solution" for event in until),
        mistakes=frozenset(e["mistake"] for e in attempts if isinstance(e.get("mistake"), str)),
    )


def _hint_number(event: LogEntry) -> int:
    """Return which hint was shown; a file can be edited."""
    number: Any = event.get("number")
    return min(number, len(HINTS)) if isinstance(number, int) else 0
