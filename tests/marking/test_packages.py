"""What a student's program can reach: no answer to an exercise, in whatever form.

In the marker's process there are none.  A student's copy of the course, in which the functions that
know an answer refuse to give it, has a test in `tests/exercises/test_students_copy.py`.
"""

import os
import pickle
import pkgutil
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from course.exercises.answer_key import AnswerKey, use_seed
from course.exercises.catalogue import catalogue
from course.lessons.minimax import check as minimax
from tools.marking import student_packages

MARKED = sorted({each.notebook for each in catalogue().values() if each.points})
ROOT = Path(__file__).parents[2]
LESSON = Path("course/lessons/minimax")
HUNTER = Path(__file__).with_name("answer_hunter.py")


def answer_keys(lesson):
    """Return the answer keys of a lesson."""
    package = import_module(f"course.lessons.{lesson}")
    modules = [m.name for m in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")]
    things = [thing for name in modules for thing in vars(import_module(name)).values()]
    keys = [getattr(thing, "key", thing) for thing in things]
    return [key for key in keys if isinstance(key, AnswerKey) and key.lesson == lesson]


def questions(key):
    """Return a few questions of a key and their answers: three of each of the first answers."""
    with use_seed("hunted"):
        cases = [(case.arguments, case.expected) for case in key.cases()]
    by_answer = {}
    for case in cases:
        by_answer.setdefault(repr(case[1]), []).append(case)
    return [case for same in [*by_answer.values()][:5] for case in same[:3]]


@pytest.fixture(scope="module")
def hunted():
    """Return a function that hunts for answers in the packages that lie in a folder."""

    def hunt(folder, tmp_path, *keys):
        asked = {}
        for key in keys:
            view = f"{key.view.__module__}:{key.view.__qualname__}"
            if len({repr(right) for _, right in questions(key)}) > 1:
                asked[f"{key.lesson} {key.name}"] = view, questions(key)
        (tmp_path / "asked").write_bytes(pickle.dumps(asked))
        path = {**os.environ, "PYTHONPATH": str(folder)}
        order = [sys.executable, "-P", HUNTER, tmp_path / "asked", tmp_path / "found"]
        done = subprocess.run(
            order, env=path, cwd=tmp_path, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr[-2000:]
        modules, candidates, *found = (tmp_path / "found").read_text().splitlines()
        assert int(modules) > 20
        assert int(candidates) > 50
        return found

    return hunt


@pytest.mark.parametrize(
    "notebook", [name for name in MARKED if answer_keys(name.partition("_")[2])]
)
def test_student_process_has_no_answers(notebook, hunted, tmp_path):
    keys = answer_keys(notebook.partition("_")[2])
    packages = student_packages.write_packages(tmp_path / "packages", notebook)
    assert "\n".join(hunted(packages, tmp_path, *keys)) == ""


def test_answers_left_in_the_packages_are_found(hunted, tmp_path):
    packages = student_packages.write_packages(tmp_path / "packages", "02_minimax")
    for name in ("check.py", "reference.py"):
        shutil.copy(ROOT / LESSON / name, packages / LESSON)
    found = "\n".join(hunted(packages, tmp_path, minimax.NEGAMAX))
    assert "minimax.check._negamax" in found
    assert "minimax.reference.negamax_value" in found
