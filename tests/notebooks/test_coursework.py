"""One source for blank and solved notebooks; the real nbgrader takes both apart and marks."""

import dis
import os
import re
import subprocess
import sys
from functools import reduce
from pathlib import Path
from types import CodeType, FunctionType

import coursework
import nbformat
import pytest
import refresh_notebooks
from coursework import NOTEBOOKS, CourseworkError, cell_of, exercises_of
from holes import HoleError, filled

from course.kit.catalogue import catalogue, exercise_of
from course.kit.guarded import attempts

PATHS = coursework.chosen([], Path("elsewhere"))
# What exercises use of their notebook besides its first cell of code.
BEFORE = {"01_framework": ("sticks-play", "sticks-end")}
SHORT = "05_solver"


@pytest.fixture(params=PATHS, ids=[path.stem for path in PATHS])
def path(request):
    return request.param


def run(path, change):
    """Yield (exercise, names, check) for the exercises of a notebook, run here, cells changed.

    The names are those of the notebook after the cell was run, and before its check was.
    """
    notebook, names = coursework.blank(path), {}
    for cell in notebook.cells:
        if cell.id in ("setup", *BEFORE.get(path.stem, ())):
            exec(cell.source, names)
    for exercise in exercises_of(path):
        program, _, check = change(cell_of(notebook, exercise).source, exercise).rpartition("\n")
        exec(program, names)
        yield exercise, names, check


def shown(path, change):
    """Yield (exercise, feedback) for the exercises of a notebook."""
    for exercise, names, check in run(path, change):
        yield exercise, eval(check, names)


def unchanged(source, exercise):
    return source


def nbgraders(source, exercise):
    return filled(source, exercise, marked=True)


def test_a_blank_gets_the_words_meant_for_it_and_is_no_attempt(path):
    attempts.clear()
    said = {
        one.key: (bool(told), one.blank in told.message) for one, told in shown(path, unchanged)
    }
    assert set(said.values()) == {(False, True)}, said
    assert attempts.total() == 0


def test_a_solution_passes(path):
    said = {one.key: told for one, told in shown(path, filled)}
    assert all(said.values()), said


def program(thing):
    """Return a function as its instructions, with those of the functions in it; a value as it is.

    Nothing is compiled of what cannot be reached, such as the blank below a solution.
    """
    if not isinstance(thing, FunctionType | CodeType):
        return thing
    return [
        (step.opname, program(step.argval) if isinstance(step.argval, CodeType) else step.argrepr)
        for step in dis.get_instructions(thing)
    ]


def named(names, dotted):
    """Return what names say of "function", or of "Class.method"."""
    name, *methods = dotted.split(".")
    return reduce(getattr, methods, names[name])


def test_nbgraders_form_of_a_solution_is_the_same_program(path):
    for (one, names, _), (_, graded, _) in zip(
        run(path, filled), run(path, nbgraders), strict=True
    ):
        for name in (*one.reference, *one.answer):
            assert program(named(graded, name)) == program(named(names, name)), (one.key, name)


def test_a_notebook_that_was_run_is_judged_by_what_its_checks_say(tmp_path):
    path = shortened(tmp_path)
    coursework.student(path, tmp_path / "student", clear=False, run=True)
    coursework.solved(path, tmp_path / "solved", clear=False, run=True)
    with pytest.raises(CourseworkError, match=r"05/e1, with its solution, .* says: Not yet"):
        coursework.tried(coursework.blank(path), path, passes=True)


def test_without_outputs_nothing_is_given_away(tmp_path):
    coursework.student(PATHS[0], tmp_path, clear=True, run=False)
    cells = nbformat.read(tmp_path / PATHS[0].name, 4).cells
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


def test_a_release_keeps_the_settings_of_the_instructor(tmp_path):
    settings = tmp_path / "nbgrader_config.py"
    settings.write_text("c = get_config()")
    coursework.release(PATHS[0], tmp_path, clear=True, run=False)
    assert settings.read_text() == "c = get_config()"


def test_links_of_an_assignment_lead_to_what_is_there(tmp_path):
    for path in PATHS:
        coursework.release(path, tmp_path, clear=True, run=False)
    for path in PATHS:
        folder = tmp_path / "source" / path.stem
        links = re.findall(r"\]\(([\w./]+)\)", str(nbformat.read(folder / path.name, 4)))
        assert links
        assert all((folder / link).exists() for link in links)


def test_the_notebooks_of_the_course_are_never_written_over():
    with pytest.raises(CourseworkError, match="choose another folder"):
        coursework.chosen([], NOTEBOOKS / ".." / "notebooks")


def test_an_unknown_notebook_is_refused(capsys):
    assert coursework.main(["student", "elsewhere", "02_minmax"]) == 1
    assert "01_framework, 02_minimax" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def negamax_value(state):\n    return 0", "negamax_value does not end with"),
        ("def negamax(state):\n    raise NotImplementedError", "the name negamax_value"),
    ],
)
def test_a_cell_without_the_hole_is_refused(source, words):
    with pytest.raises(HoleError, match=words):
        filled(source, exercise_of("02/e2"))


def test_a_notebook_without_the_check_is_refused(tmp_path):
    path = shortened(tmp_path)
    path.write_text(path.read_text().replace("exercises.check_proven(", "print("))
    with pytest.raises(CourseworkError, match="05/e1 must end with a call of check_proven"):
        coursework.blank(path)


@pytest.mark.parametrize("kind", ["student", "solved", "release"])
def test_the_folders_that_a_notebook_reads_go_with_it(kind, tmp_path):
    assert coursework.main([kind, str(tmp_path), "07_experiments", "--unchecked"]) == 0
    (written,) = tmp_path.rglob("07_experiments.ipynb")
    assert (written.parent / "studies" / "nim.csv").exists()
    assert (written.parent / "agents" / "deepener.py").exists()


# nbgrader


def shortened(folder):
    """Return the path of a notebook of which only the first cells and the exercises are left."""
    path = folder / f"{SHORT}.ipynb"
    notebook = refresh_notebooks.read(NOTEBOOKS / path.name)
    keep = {"title", "setup", "exercises", *(one.cell for one in exercises_of(path))}
    notebook.cells = [cell for cell in notebook.cells if cell.id in keep]
    coursework.write(notebook, path, clear=True)
    return path


def nbgrader(course, *words):
    """Run one command of nbgrader in the folder of a course."""
    run = subprocess.run(
        [sys.executable, "-m", "nbgrader", *words],
        cwd=course,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr


def generate(course, names):
    """Do what `nbgrader generate_assignment` does, without a new start for each assignment."""
    from nbgrader.apps.api import NbGraderAPI
    from traitlets.config import PyFileConfigLoader

    config = PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    config.CourseDirectory.root = str(course)
    api = NbGraderAPI(config=config)
    made = {name: api.generate_assignment(name) for name in names}
    assert all(one["success"] for one in made.values()), made


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Return the folder of the whole course, and of a short assignment, made for students."""
    pytest.importorskip("nbgrader", reason="nbgrader is not installed: `make peers`")
    folder = tmp_path_factory.mktemp("course")
    assert coursework.main(["release", str(folder), "--unchecked"]) == 0
    short = coursework.for_nbgrader(shortened(tmp_path_factory.mktemp("short")))
    coursework.write(short, folder / "source" / "short" / f"{SHORT}.ipynb", clear=True)
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", programs)  # nbgrader calls a program by its name
        for name in ("JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
            patch.setenv(name, str(folder / ".jupyter"))
        nbgrader(folder, "generate_assignment", "short")
        generate(folder, [path.stem for path in PATHS])
        yield folder


def hand_in(course, student, change, assignment="short", name=SHORT):
    """Put in a submission: the notebook that students got, the cells of its exercises changed."""
    path = Path(assignment) / f"{name}.ipynb"
    notebook = nbformat.read(course / "release" / path, 4)
    for exercise in exercises_of(path):
        cell = cell_of(notebook, exercise)
        cell.source = change(cell.source, exercise)
    folder = course / "submitted" / student / assignment
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / path.name)


def marks(course, student, assignment="short"):
    """Return the marks of a student in the gradebook, one for each exercise."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "games") as book:
        (notebook,) = book.find_submission(assignment, student).notebooks
        assert not notebook.needs_manual_grade
        return {grade.name.removesuffix("-marks"): grade.score for grade in notebook.grades}


def half_right(source, exercise):
    return filled(source, exercise) if exercise.cell in ("e1", "e2") else source


def endless(source, exercise):
    if exercise.cell == "e1":  # without the call of the check: only the marking waits for its end
        function = source.rpartition("\n")[0]
        return function.replace("raise NotImplementedError", "while True:\n        pass")
    return filled(source, exercise)


def endless_outside_a_function(source, exercise):
    return "while True:\n    pass" if exercise.cell == "e1" else half_right(source, exercise)


def test_students_get_the_blank_and_no_solution(course, path):
    made = nbformat.read(course / "release" / path.stem / path.name, 4)
    assert not any(word in str(made) for word in ("SOLUTION", "HIDDEN", "assert feedback"))
    for exercise in exercises_of(path):
        mine, theirs = (cell_of(nb, exercise).source for nb in (coursework.blank(path), made))
        assert mine.split() == theirs.split()


@pytest.fixture(scope="module")
def marked(course):
    """Return the folder of the course after the submissions for the short assignment are marked."""
    for student, change in {
        "right": filled,
        "half": half_right,
        "empty": unchanged,
        "endless": endless,
    }.items():
        hand_in(course, student, change)
    nbgrader(course, "autograde", "short")
    return course


@pytest.mark.parametrize(
    ("student", "expected"),
    [
        ("right", [3, 2, 3, 2]),
        ("half", [3, 2, 0, 0]),
        ("empty", [0, 0, 0, 0]),
        ("endless", [0, 2, 3, 2]),
    ],
)
def test_nbgrader_marks_a_submission(marked, student, expected):
    assert list(marks(marked, student).values()) == expected


def test_the_check_ends_a_function_that_does_not_and_not_nbgrader(marked):
    path = marked / "autograded" / "endless" / "short" / f"{SHORT}.ipynb"
    assert "CellTimeoutError" not in path.read_text(encoding="utf-8")


def test_a_loop_outside_every_check_costs_its_own_marks_only(course):
    hand_in(course, "loop", endless_outside_a_function)
    nbgrader(course, "autograde", "short", "--student=loop", "--ExecutePreprocessor.timeout=5")
    assert marks(course, "loop")["e1"] == 0
    assert marks(course, "loop")["e2"] == 2


def test_a_whole_notebook_is_marked(course):
    name = PATHS[0].stem
    hand_in(course, "right", filled, name, name)
    nbgrader(course, "autograde", name)
    assert marks(course, "right", name) == {
        one.cell: one.points for one in catalogue().values() if one.notebook == name
    }
