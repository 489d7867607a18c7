"""Run by `test_packages.py` in a student's copy: what of the lessons gets points in a check there?

Everything that can be called in a lesson is given to each check of that lesson, as if a student
had written it.  Blank and wrong programs get nothing, so only what knows an answer is found.
"""

import json
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from answer_hunter import candidates, import_everything

from arena.sandbox.containment import restrict_process
from course.exercises import check_runner
from course.exercises.catalogue import catalogue
from course.lessons import LESSONS

SECONDS_PER_CHECK = 0.2  # of computing: what answers at all is quick
MAX_WAIT_SECONDS = 5  # for what waits, such as a thread that gets no work


def lesson_of(notebook):
    """Return the name of the package of a notebook's lesson."""
    return f"course.lessons.{LESSONS[int(notebook[:2])]}"


def main():
    """Write down which exercise gives points to what."""
    restrict_process(Path.cwd())  # first, because numpy starts threads
    check_runner.CPU_SECONDS, check_runner.STOP_SECONDS = SECONDS_PER_CHECK, 0.1
    check_runner.WALL_SECONDS = MAX_WAIT_SECONDS
    import_everything()
    known = {
        id(each): each for each in candidates() if each.__module__.startswith("course.lessons")
    }
    found = []
    for exercise in catalogue().values():
        lesson = lesson_of(exercise.notebook)
        check = getattr(import_module(f"{lesson}.check"), exercise.check)
        for candidate in known.values() if exercise.points else ():
            if not candidate.__module__.startswith(f"{lesson}."):
                continue
            with suppress(BaseException):  # such as a program of ours that reads a command line
                feedback = check(candidate)
                if feedback.passed or feedback.partial_credit:
                    name = f"{candidate.__module__}.{candidate.__qualname__}"
                    found.append(f"{exercise.key}: {name}")
    Path(sys.argv[1]).write_text(json.dumps([len(known), sorted(set(found))]))


if __name__ == "__main__":
    main()
