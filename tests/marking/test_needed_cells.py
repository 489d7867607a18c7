"""Which cells of a notebook run for a hand-in: the student's, and what these need."""

import ast

import pytest
from handins import SHORT, handed_in, with_solution

from course.exercises.catalogue import catalogue
from tools.marking.submission_code import prepare_submission
from tools.slicing import names_from_outside, slice_groups

# Programs, and the names that they need from outside.
OUTSIDE = {
    "x = y": "y",
    "x = 1\nz = x": "",
    "x = x + 1": "x",
    "x += 1": "x",
    "x, (y, *z) = w\nx, y, z": "w",
    "x.a = 1\ny[i] = 2": "x y i",
    "import a.b, c as d\na, d": "",
    "def f(n):\n    return f(n - 1) + g(n)": "g",
    "@f\ndef f(): pass": "f",
    "def f(n=f): pass": "f",
    "def f(): return late\nlate = 1": "late",
    "class A(A): pass": "A",
    "class A: pass\nA": "",
    "for n in s:\n    m = n\n    m": "s",
    "for n in n: pass": "n",
    "for n in s: m = 1\nm, n": "s m n",
    "for n in s: pass\nelse: n": "s n",
    "if c: x = 1\nx": "c x",
    "if c:\n    x = 1\n    x\nelse: x": "c x",
    "while c:\n    c = d\n    d = 1": "c d",
    "x = 1\nwhile c: x": "c",
    "x = (y := 1) if c else 2\ny": "c y",
}


@pytest.mark.parametrize("source", OUTSIDE)
def test_names_from_outside_are_read_before_binding(source):
    assert names_from_outside(ast.parse(source).body) == set(OUTSIDE[source].split())


def test_kept_statements_pull_in_nothing():
    groups = [ast.parse(text).body for text in ("a = 1\nb = a\nc = 2", "d = b\ne = c")]
    sliced = slice_groups(groups, {"c"}, kept=groups[1][:1])
    assert [list(map(ast.unparse, group)) for group in sliced] == [["c = 2"], ["d = b"]]


def sources_of(content, notebook):
    return {cell.name: cell.source for cell in prepare_submission(content, notebook)[0]}


@pytest.mark.parametrize("notebook", sorted({e.notebook for e in catalogue().values() if e.points}))
def test_solved_notebook_runs_no_cell_of_notebook(notebook):
    exercises = {each.cell for each in catalogue().values() if each.notebook == notebook}
    cells, _ = prepare_submission(handed_in(notebook, solved=True), notebook)
    others = [node for cell in cells if not cell.by_student for node in ast.parse(cell.source).body]
    assert {cell.name for cell in cells} <= {*exercises, "setup", "own-line"}
    assert all(isinstance(node, ast.ImportFrom) for node in others)


def test_names_of_a_cell_are_found_in_notebook():
    cells = {"e4": f"{with_solution(SHORT, 'e4')}\nfor child in hand: MyMCTS\ndef hand(): pass"}
    found = sources_of(handed_in(SHORT, cells), SHORT)
    text = "\n".join(found.values())
    assert "class MyMCTS" in text
    assert "hand = " in text
    assert "exercises" not in text  # the calls of checks are not run, so nothing needs them


def test_check_inside_a_function_keeps_its_import():
    cell = "def ask():\n    exercises.check_rewards_along(len)\nask()"
    assert "check as exercises" in sources_of(handed_in(SHORT, {"e4": cell}), SHORT)["setup"]


def test_checked_value_of_notebook_is_found():
    cell = "exercises.check_rewards_along(hand)"
    assert "hand = " in "\n".join(sources_of(handed_in(SHORT, {"e4": cell}), SHORT).values())


def test_blank_exercise_runs_only_what_is_checked():
    found = sources_of(handed_in("07_experiments"), "07_experiments")
    assert found["e1"] == "plan = None\nresults = None\nconclusion = None"
    assert not any("match_up" in source for source in found.values())
