"""What every check says of right, blank and wrong programs, as JSON: the same in a student's copy.

python all_feedback.py CHECKOUT

The programs come from the checkout, the checks from the course that Python finds.
"""

import json
import sys
import tomllib
from contextlib import suppress
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from course.exercises import check_runner, shrinking
from course.exercises.mistakes import with_edits
from course.lessons import LESSONS
from gamelib import hurt_the_leader


def blank(*arguments):
    raise NotImplementedError


def read(folder):
    """Return the reference programs of a checkout's lesson."""
    spec = spec_from_file_location(f"right_{folder.name}", folder / "reference.py")
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(folder, name):
    path = folder / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def programs(folder):
    """Yield the name of each check of one program, and the name of that program."""
    solved = table(folder, "solutions")
    for cell, exercise in table(folder, "exercises").items():
        places = solved.get(cell, {}).get("reference", {}).values()
        names = {place.partition(":")[2].partition(".")[0] for place in places}
        if len(names) == 1 and "answer" not in solved[cell]:
            yield exercise["check"], *names


def wrong_programs(program, folder):
    """Yield the last mistake of each group that can be made in a program, with its hint."""
    for *_, last in table(folder, "mistakes").values():
        texts = ([x] if isinstance(x, str) else x for x in (last["line"], last["mistake"]))
        with suppress(ValueError):  # it is a mistake of another program
            yield last["hint"], with_edits(program, *zip(*texts, strict=True))


def main(checkout):
    """Return check and program -> what the check says of it."""
    said = {}
    for lesson in LESSONS:
        folder = checkout / "course" / "lessons" / lesson
        for check, name in programs(folder):
            program, ask = getattr(read(folder), name), check_of(lesson, check)
            tried = {"right": program, "blank": blank, **dict(wrong_programs(program, folder))}
            said |= {f"{check} {what}": repr(ask(each)) for what, each in tried.items()}
    tie_test, check = read(checkout / "course/lessons/multiplayer").tie_test, "check_tie_rule"
    for rule, test in ((hurt_the_leader, tie_test), (min, tie_test), (min, min)):
        feedback = check_of("multiplayer", check)(rule, test)
        said[f"tie rule {rule.__name__} {test.__name__}"] = repr(feedback)
    scores = import_module("course.lessons.mcts.check").ucb_scores()
    return said | {f"ucb {a}": repr(check_of("mcts", "check_ucb")(scores, a)) for a in "xy"}


def check_of(lesson, name):
    return getattr(import_module(f"course.lessons.{lesson}.check"), name)


if __name__ == "__main__":
    check_runner.CPU_SECONDS = shrinking.MAX_SECONDS = 60
    print(json.dumps(main(Path(sys.argv[1]))))
