"""The copy of the course that students install: its checks say the same, its solutions are gone."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from course.exercises import check_runner, shrinking
from course.exercises.answer_key import AnswerKey
from course.exercises.catalogue import (
    NO_HINTS_MESSAGE,
    NO_SOLUTIONS_MESSAGE,
    catalogue,
    solution_text,
)
from tests.exercises import all_feedback
from tools import distribution
from tools.distribution import make_student_copy

ROOT = Path(__file__).parents[2]
HUNTER = ROOT / "tests" / "marking" / "points_hunter.py"
PACKAGES = ("gamelib", "gamefast", "arena", "course")


def copied(folder):
    """Return the folder, with the packages of the course in it."""
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def some_mistakes(key, mistakes):
    """Return those mistakes of a key that `all_feedback` makes, and the first one.

    A wrong digest would confuse them with the first one.  To record all 500 takes seconds.
    """
    folder = ROOT / "course" / "lessons" / key.lesson
    made = [program for _, program in all_feedback.wrong_programs(key.reference(), folder)]
    first = next(iter(mistakes))
    return {hint: wrong for hint, wrong in mistakes.items() if wrong in made or hint == first}


@pytest.fixture(scope="module")
def students(tmp_path_factory):
    """Return a student's copy, without hints, that knows some of the mistakes."""
    folder, mistakes = copied(tmp_path_factory.mktemp("students")), AnswerKey.mistakes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AnswerKey, "mistakes", lambda key: some_mistakes(key, mistakes(key)))
        make_student_copy(folder, hints=False)
    return folder


def said_by(folder, *program, cwd=None):
    """Return what a program prints that finds the course in a folder, and runs there or in cwd."""
    command = [sys.executable, *map(str, program)]
    environment = {"PYTHONPATH": str(folder), "PATH": "", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=cwd or folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_students_copy_gives_same_feedback(students, monkeypatch):
    there = json.loads(said_by(students, all_feedback.__file__, ROOT))
    # In this process, which has computed the answers to all questions for the copy.
    monkeypatch.setattr(check_runner, "CPU_SECONDS", 60)
    monkeypatch.setattr(shrinking, "MAX_SECONDS", 60)
    here = all_feedback.main(ROOT)
    assert len(here) > 50
    assert there == here


def test_students_copy_gives_no_points(students, tmp_path):
    number, stopped, found = json.loads(said_by(students, HUNTER, cwd=tmp_path))
    assert number > 400
    assert stopped == 0, "a check that was stopped may not have asked anything"
    assert found == []


def texts(folder):
    """Return all that can be read in a folder."""
    files = [path for end in ("py", "toml", "json") for path in folder.rglob(f"*.{end}")]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def lines(text):
    """Return what is written in the lines of a text, as far as it is more than a word or two."""
    return {line.strip() for line in text.splitlines() if len(line.strip()) > 24}


# Lines of the specimens, of the agent that a student repairs, of the game that a student changes;
# and a loop over the children of a node.
COMMON = {
    "return state.utility(player)",
    "return state.utility(state.current_player)",
    "free = state.legal_actions()",
    "other = 1 - state.current_player",
    "theirs = [cell for cell in range(9) if state.cell(*divmod(cell, 3)) == other]",
    'raise ValueError("nobody has a payoff before the end")',
    "for action, child in node.children.items():",
    "return w / n + c * sqrt(log(N) / n)",  # the formula, which the lesson says
}


def test_students_copy_has_no_line_of_solutions(students):
    library = lines(texts(ROOT / "gamelib") + texts(ROOT / "arena"))
    written = {line for one in catalogue().values() for line in lines(solution_text(one))}
    told = lines(texts(students / "course"))
    assert len(written - library) > 60
    assert (written - library) & told <= COMMON


def test_students_copy_has_no_secret_mistakes(students):
    kept = {
        line.strip("[]\n")
        for path in students.rglob("mistakes.toml")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("[[")
    }
    assert kept == {"ucb1", "ucb_score", "hurt_the_leader"}


def test_students_copy_says_what_it_lacks(students):
    program = """if True:
        from importlib.util import find_spec
        from course.exercises.catalogue import catalogue, hint, solution
        from course.exercises.answer_key import use_seed
        from course.lessons import LESSONS
        from course.lessons.minimax.check import check_negamax
        from course.lessons.solver.check import check_proven
        check_negamax(lambda state: 0)
        print([hint('02/e2').text, solution('02/e2').text])
        print([(one.answer, one.reference, one.hints) for one in catalogue().values()])
        places = [f'course.lessons.{name}.reference' for name in LESSONS]
        print({*map(find_spec, [*places, 'course.lessons.variants'])})
        with use_seed(1):
            print(check_proven(lambda player, children: "draw"))
    """
    shown, found, there, *refused = said_by(students, "-c", program).splitlines()
    assert ast.literal_eval(shown) == [NO_HINTS_MESSAGE, NO_SOLUTIONS_MESSAGE]
    assert ast.literal_eval(found) == [({}, {}, ())] * len(catalogue())
    assert there == "{None}"
    assert "no answers to these questions" in "".join(refused)


def test_copy_has_hints_and_solutions_on_request(tmp_path, monkeypatch):
    monkeypatch.setattr(distribution, "recorded_answers", lambda key: {})  # which takes seconds
    make_student_copy(copied(tmp_path), solved=["framework"])
    program = """if True:
        from course.exercises.catalogue import hint, solution
        from course.lessons.framework.check import check_payoffs
        check_payoffs(lambda winner, n: (0,) * n)
        print(["Hint 1" in hint('02/e2').text, solution('01/e3').program, solution('02/e2').text])
    """
    hinted, solved, hidden = ast.literal_eval(said_by(tmp_path, "-c", program))
    assert hinted
    assert "1 if player == winner else -1" in solved
    assert hidden == NO_SOLUTIONS_MESSAGE
