"""Read the logs in submitted notebooks, and compute each student's progress from them."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from course.exercises.activity_log import TAB_PREFIX, LogEntry, logged_events, logs
from course.exercises.catalogue import HINTS, Exercise, catalogue
from tools.submissions import UNNAMED_STUDENT, Submission

STUCK_ATTEMPTS = 5  # a student is stuck after this number of attempts without a pass


@dataclass(frozen=True)
class StudentLog:
    """The log in one student's notebook.

    ran_in_tab  whether it ran in a browser tab, where each kernel starts a new log
    problem     why the file could not be read; "" if it could
    """

    student: str
    notebook: str
    file: str
    events: Sequence[LogEntry] = ()
    ran_in_tab: bool = False
    problem: str = ""


@dataclass(frozen=True)
class Progress:
    """The progress of one student with one exercise.

    attempts  the number of attempts up to the first that passed, or of all; an attempt does not
              count if the check gave the same feedback as for the attempt before it
    hints     the number of hints that were shown, of three
    solution  whether the solution was opened before the student passed
    mistakes  the hints of the mistakes that the check recognised
    """

    student: str
    attempts: int
    passed: bool
    hints: int
    solution: bool
    mistakes: frozenset[str]

    @property
    def is_stuck(self) -> bool:
        """Whether there was no pass after many attempts, all hints, or the solution."""
        return not self.passed and (
            self.attempts >= STUCK_ATTEMPTS or self.hints == len(HINTS) or self.solution
        )


def read_logs(submissions: Iterable[Submission]) -> list[StudentLog]:
    """Return the logs of submissions.

    If a student submitted several files for a notebook, the file with the most events counts.
    """
    logs_by_key: dict[tuple[str, str], StudentLog] = {}
    for submission in submissions:
        new = _read_log(submission)
        key = (new.student, new.notebook)
        old = logs_by_key.get(key)
        if old is None or (not new.problem, len(new.events)) >= (not old.problem, len(old.events)):
            logs_by_key[key] = new
    return [logs_by_key[key] for key in sorted(logs_by_key)]


def _read_log(submission: Submission) -> StudentLog:
    file, name = submission.file, submission.notebook
    student = file if submission.student == UNNAMED_STUDENT else submission.student

    def unreadable(problem: str) -> StudentLog:
        return StudentLog(student, name, file, problem=problem)

    if not file.endswith(".ipynb"):
        return unreadable("it is not a notebook")
    if submission.content is None:
        return unreadable("it cannot be read, or is too large")
    if not submission.content.strip():
        return unreadable("it is empty")
    try:
        notebook = json.loads(submission.content)
        events, log_ids = logged_events(notebook), logs(notebook)
        cells = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return unreadable("it is not a valid notebook")
    if not any(map(len, cells)):
        return unreadable("it has no cell with code")
    ran_in_tab = any(log_id.startswith(TAB_PREFIX) for log_id in log_ids)
    return StudentLog(student, name, file, events, ran_in_tab)


def exercises_by_check() -> dict[str, Exercise]:
    """Return check -> exercise; if a check has several exercises, a number follows its name."""
    exercises = list(catalogue().values())
    times, seen, by_check = Counter(each.check for each in exercises), Counter[str](), {}
    for exercise in exercises:
        check = exercise.check
        seen[check] += 1
        by_check[f"{check}{seen[check] if times[check] > 1 else ''}"] = exercise
    return by_check


def exercise_progress(student_logs: Iterable[StudentLog]) -> dict[str, list[Progress]]:
    """Return exercise -> the progress of each student who tried it, or asked for help."""
    by_check = {check: exercise.key for check, exercise in exercises_by_check().items()}
    progress: dict[str, list[Progress]] = {key: [] for key in catalogue()}
    for log in student_logs:
        events_by_key: dict[str, list[LogEntry]] = {}
        for event in log.events:
            key = by_check.get(event["key"], event["key"])
            if event["kind"] in ("attempt", "hint", "solution") and key in progress:
                events_by_key.setdefault(key, []).append(event)
        for key, events in events_by_key.items():
            progress[key].append(_progress_of(log.student, events))
    return {key: students for key, students in progress.items() if students}


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
    """Return the number of the hint that was shown, whatever an edited file contains."""
    number: Any = event.get("number")
    return min(number, len(HINTS)) if isinstance(number, int) else 0
