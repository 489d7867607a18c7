"""Make the notebooks that students get, those with solutions, or a course for nbgrader.

    python tools/coursework.py student build/student
    python tools/coursework.py solved build/solved
    python tools/coursework.py release build/course

The notebooks of the course are the blank ones; the solutions come from `course.lessons`.  All is
run before it is written: each check must pass with the solution, and say what it is meant to say
without one.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

import refresh_notebooks
from holes import HoleError, filled
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from refresh_notebooks import NotebookError

from course.kit.catalogue import Exercise, catalogue

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
FOLDERS = ("agents", "studies")
BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
CONFIG = '''\
"""What nbgrader must know of this course. Change what you like: it is not written again."""

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = "games"
# The blanks stand below the solutions: where nbgrader takes these out, it puts nothing in.
c.ClearSolutions.code_stub = {"python": ""}
# Seconds for one cell. A check stops a program that hangs by itself, long before.
c.ExecutePreprocessor.timeout = 60
# How zip_collect knows the student: by the folder that Moodle makes of a name and a number.
c.FileNameCollectorPlugin.named_regexp = (
    r".*[/\\\\](?P<student_id>[^/\\\\]+)_assignsubmission_file[^/\\\\]*[/\\\\](?P<file_id>[^/\\\\]+)"
)
'''


class CourseworkError(Exception):
    """A notebook that does not fit the catalogue of exercises; says where."""


def main(arguments: list[str] | None = None) -> int:
    """Return 0, or 1 where something does not hold; then it says what."""
    parser = argparse.ArgumentParser(
        description="Make the notebooks for students, those with solutions, or an nbgrader course."
    )
    parser.add_argument("kind", choices=KINDS, help="what to make")
    parser.add_argument("out", type=Path, metavar="FOLDER", help="where to write it")
    parser.add_argument(
        "notebooks", nargs="*", metavar="NOTEBOOK", help="names like 02_minimax; all, if none"
    )
    parser.add_argument(
        "--clear", action="store_true", help="leave out outputs: no answer is seen before a guess"
    )
    parser.add_argument("--unchecked", action="store_true", help="do not run the notebooks first")
    options = parser.parse_args(arguments)
    make = KINDS[options.kind]
    try:
        for path in chosen(options.notebooks, options.out):
            make(path, options.out, clear=options.clear, run=not options.unchecked)
            print(f"{options.kind} {path.stem}", flush=True)
    except (CourseworkError, HoleError, NotebookError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def chosen(names: Iterable[str], out: Path) -> list[Path]:
    """Return the notebooks with exercises, or those of them that are named."""
    if out.resolve() == NOTEBOOKS:
        raise CourseworkError(f"{out} holds the notebooks of the course; choose another folder")
    known = list(dict.fromkeys(exercise.notebook for exercise in catalogue().values()))
    if unknown := set(names) - set(known):
        raise CourseworkError(
            f"the notebooks with exercises are {', '.join(known)}; got {', '.join(sorted(unknown))}"
        )
    return [NOTEBOOKS / f"{name}.ipynb" for name in known if name in (set(names) or known)]


def student(path: Path, out: Path, *, clear: bool, run: bool) -> None:
    """Write a notebook as students get it."""
    notebook = blank(path)
    write(tried(notebook, path, passes=False) if run else notebook, out / path.name, clear=clear)
    copy_folders(path, out)


def solved(path: Path, out: Path, *, clear: bool, run: bool) -> None:
    """Write a notebook with all its solutions."""
    notebook = with_solutions(path)
    write(tried(notebook, path, passes=True) if run else notebook, out / path.name, clear=clear)
    copy_folders(path, out)


def release(path: Path, out: Path, *, clear: bool, run: bool) -> None:
    """Write a notebook as the source of an nbgrader assignment of the same name."""
    if run:
        tried(blank(path), path, passes=False)
        tried(with_solutions(path), path, passes=True)
    write(for_nbgrader(path), out / "source" / path.stem / path.name, clear=True)
    shutil.copy(NOTEBOOKS / "glossary.md", out / "source" / path.stem)
    copy_folders(path, out / "source" / path.stem)
    if not (out / "nbgrader_config.py").exists():
        (out / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")


def copy_folders(path: Path, out: Path) -> None:
    """Copy the folders that a notebook reads from to where it was written."""
    text = path.read_text(encoding="utf-8")
    for name in FOLDERS:
        if f'"{name}/' in text:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(path.parent / name, out / name, ignore=ignored, dirs_exist_ok=True)


KINDS = {"student": student, "solved": solved, "release": release}


def blank(path: Path) -> NotebookNode:
    """Return a notebook of the course; CourseworkError where it does not fit the catalogue."""
    notebook = refresh_notebooks.read(path)
    for exercise in exercises_of(path):
        last = cell_of(notebook, exercise).source.splitlines()[-1]
        if not last.startswith(f"exercises.{exercise.check}("):
            raise CourseworkError(
                f"{exercise.key} must end with a call of {exercise.check}; it ends with {last!r}"
            )
    return notebook


def with_solutions(path: Path) -> NotebookNode:
    """Return a notebook with every exercise solved."""
    notebook = blank(path)
    for exercise in exercises_of(path):
        cell = cell_of(notebook, exercise)
        cell.source = filled(cell.source, exercise)
    return notebook


def exercises_of(path: Path) -> list[Exercise]:
    """Return the exercises of a notebook."""
    return [exercise for exercise in catalogue().values() if exercise.notebook == path.stem]


def cell_of(notebook: NotebookNode, exercise: Exercise) -> NotebookNode:
    """Return the cell of an exercise."""
    for cell in notebook.cells:
        if cell.id == exercise.cell:
            return cell
    raise CourseworkError(f"{exercise.key}: {exercise.notebook} has no cell {exercise.cell!r}")


def tried(notebook: NotebookNode, path: Path, *, passes: bool) -> NotebookNode:
    """Return the notebook after a run in which every check said what it is meant to say."""
    notebook = refresh_notebooks.executed(notebook, path)
    for exercise in exercises_of(path):
        said = what_was_said(cell_of(notebook, exercise))
        start, words = ("Passed", "") if passes else ("Not yet", exercise.blank)
        if not said.startswith(start) or words not in said:
            what = "its solution" if passes else "nothing written"
            raise CourseworkError(f"{exercise.key}, with {what}, {exercise.check} says: {said}")
    return refresh_notebooks.cleaned(notebook)


def what_was_said(cell: NotebookNode) -> str:
    """Return the feedback that a cell shows, as text."""
    results = [output for output in cell.outputs if output.output_type == "execute_result"]
    return "".join(output.data["text/plain"] for output in results)


def write(notebook: NotebookNode, path: Path, *, clear: bool) -> None:
    """Write a notebook, if need be without outputs, into a folder that need not exist."""
    for cell in notebook.cells:
        if clear and cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(refresh_notebooks.as_text(notebook), encoding="utf-8")


def for_nbgrader(path: Path) -> NotebookNode:
    """Return a notebook with solutions that nbgrader takes out, and a cell of marks for each."""
    notebook = blank(path)
    by_cell = {exercise.cell: exercise for exercise in exercises_of(path)}
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        if cell.cell_type == "markdown":  # each assignment gets a folder of its own
            cell.source = re.sub(r"\]\((\d\d_\w+)\.ipynb", r"](../\1/\1.ipynb", cell.source)
        elif exercise := by_cell.get(cell.id):
            cells.append(marks_cell(exercise, cell.source, imports_of(notebook)))
            cell.source = filled(cell.source, exercise, marked=True)
            cell.metadata["nbgrader"] = metadata(cell.id, solution=True)
    notebook.cells = cells
    return notebook


def imports_of(notebook: NotebookNode) -> str:
    """Return the line that imports the checks of a notebook."""
    lines = [line for cell in notebook.cells for line in cell.source.splitlines()]
    return next(line for line in lines if line.endswith(" as exercises"))


def marks_cell(exercise: Exercise, source: str, imports: str) -> NotebookNode:
    """Return the locked cell that brings the marks, by an assert that students do not see.

    It imports the checks again: a student's program may have taken their name.
    """
    words = f"{exercise.title}: {exercise.points} points, if the check passes."
    check = f"{imports}\n\nfeedback = {source.splitlines()[-1]}\nassert feedback, feedback"
    name = f"{exercise.cell}-marks"
    return new_code_cell(
        f"# {words} Leave this cell as it is.\n{BEGIN_HIDDEN}\n{check}\n{END_HIDDEN}",
        id=name,
        metadata={"nbgrader": {**metadata(name, solution=False), "points": exercise.points}},
    )


def metadata(grade_id: str, *, solution: bool) -> dict[str, object]:
    """Return what nbgrader wants to know of a cell: one for the solution, or one for the marks."""
    return {
        "schema_version": 3,
        "grade_id": grade_id,
        "solution": solution,
        "grade": not solution,
        "locked": not solution,
        "task": False,
    }


if __name__ == "__main__":
    sys.exit(main())
