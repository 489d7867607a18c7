"""Run by `test_students_copy.py` in such a copy: what of the lessons gets points in a check there?

Everything that can be called in a lesson is given to each check of that lesson, as if a student
had written it.  Blank and wrong programs get nothing, so only what knows an answer is found.
"""

import json
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from answer_hunter import candidates, import_everything

from arena.sandbox.containment import restrict_process
from course.exercises import check_runner
from course.exercises.catalogue import catalogue
from course.lessons import LESSONS

SECONDS_PER_CHECK = 2  # of computing: no right program needs more
MAX_WAIT_SECONDS = 5  # for what waits, such as a thread that gets no work


def lesson_of(notebook):
    """Return the name of the package of a notebook's lesson."""
    return f"course.lessons.{LESSONS[int(notebook[:2])]}"


def not_written(*arguments):
    raise NotImplementedError


def main():
    """Print how many things were tried, how many checks were stopped, and what got points."""
    restrict_process(Path.cwd())  # first, because numpy starts threads
    import_everything()
    known = {
        id(each): each for each in candidates() if each.__module__.startswith("course.lessons")
    }
    checks = [
        (each, getattr(import_module(f"{lesson_of(each.notebook)}.check"), each.check))
        for each in catalogue().values()
        if each.points
    ]
    for _, check in checks:  # draw the questions first: some take longer than a second
        check(not_written)
    check_runner.CPU_SECONDS, check_runner.STOP_SECONDS = SECONDS_PER_CHECK, 0.1
    check_runner.WALL_SECONDS = MAX_WAIT_SECONDS
    found, stopped = [], 0
    for exercise, check in checks:
        for candidate in known.values():
            if not candidate.__module__.startswith(f"{lesson_of(exercise.notebook)}."):
                continue
            with suppress(BaseException):  # such as a program of ours that reads a command line
                feedback = check(candidate)
                stopped += "so the check was stopped" in feedback.message
                if feedback.passed or feedback.partial_credit:
                    name = f"{candidate.__module__}.{candidate.__qualname__}"
                    found.append(f"{exercise.key}: {name}")
    print(json.dumps([len(known), stopped, sorted(set(found))]))


if __name__ == "__main__":
    main()
