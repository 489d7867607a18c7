"""Write the notebooks for students, with solutions, for nbgrader, or as copies to work in.

    python -m tools.coursework student build/student
    python -m tools.coursework solved --with-outputs build/solved
    python -m tools.coursework release build/course
    python -m tools.coursework own --unchecked lab

The notebooks of the course have the blank exercises; the solutions come from `course.lessons`.
Unless the command has `--unchecked`, all notebooks are run before anything is written: each check
must pass with the solution, and must give the expected feedback on the blank exercise.
"""

import argparse
import re
import shutil
import sys
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from arena.source import source_lines
from course.exercises.catalogue import Exercise, catalogue
from tools import refresh_notebooks
from tools.blanks import BlankError, fill_blank
from tools.refresh_notebooks import ANSWER_TAG, NotebookError

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "notebooks"
DEMO = NOTEBOOKS / "demo.ipynb"  # for a lecture; it is not a lesson, so students do not get it
DATA_FOLDERS = ("agents", "studies")  # next to the notebooks, which read their files
GLOSSARY = NOTEBOOKS / "glossary.md"
HOW_TO_START = ROOT / "docs" / "teacher" / "how_to_start.md"
HOW_TO_START_COPY = "00_how_to_start.md"  # a name that file lists show above all notebooks
PLACEHOLDER = re.compile(r"\(FILL IN: [^)]*\)")
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")  # to a file
FOLDED_ANSWER = (
    "<details><summary>Open this when you have your own answer</summary>\n\n{}\n\n</details>"
)
BLANK_ID_SUFFIX = "-blank"  # the end of the id of a blank exercise's cell
BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
NBGRADER_CONFIG = '''\
"""The settings of nbgrader for this course. Your changes are safe: this file is written once."""

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = "games"
# The blanks are below the solutions, so nbgrader does not have to put anything in their place.
c.ClearSolutions.code_stub = {"python": ""}
# Seconds for one cell. A check stops an endless program much earlier.
c.ExecutePreprocessor.timeout = 60
# zip_collect finds the student in the name of a folder from Moodle: a name and a number.
c.FileNameCollectorPlugin.named_regexp = (
    r".*[/\\\\](?P<student_id>[^/\\\\]+)_assignsubmission_file[^/\\\\]*[/\\\\](?P<file_id>[^/\\\\]+)"
)
'''

CellOutputs = dict[str, dict[str, Any]]  # the id of a cell -> its outputs and execution count


class CourseworkError(Exception):
    """A notebook does not fit the catalogue of exercises, or a check gives wrong feedback."""


def main(arguments: list[str] | None = None) -> int:
    """Write what the command line asks for and return 0; print an error and return 1 otherwise."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("kind", choices=KINDS, help="for whom to write the notebooks")
    add("out", type=Path, metavar="FOLDER", help="the folder to write to")
    add("notebooks", nargs="*", metavar="NOTEBOOK", help="names like 02_minimax (default: all)")
    text = "keep the outputs, which contain the answers (not for nbgrader)"
    add("--with-outputs", action="store_true", help=text)
    add("--unchecked", action="store_true", help="do not run the notebooks first")
    add("--jobs", type=int, default=2, metavar="N", help="run this many notebooks at a time")
    options = parser.parse_args(arguments)
    try:
        paths = select_notebooks(options.notebooks, options.out)
        shown = {} if options.unchecked else run_and_verify(paths, options.jobs)
        KINDS[options.kind](paths, options.out, shown, outputs=options.with_outputs)
    except (CourseworkError, BlankError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{options.kind}: {len(paths)} notebooks in {options.out}")
    if options.kind in ("student", "release"):
        text = HOW_TO_START.read_text(encoding="utf-8")
        for words in dict.fromkeys(PLACEHOLDER.findall(text)):
            print(f"docs/teacher/how_to_start.md still says {words}")
    return 0


def select_notebooks(names: Iterable[str], out: Path) -> list[Path]:
    """Return the notebooks with these names; all notebooks of the course if there are no names.

    CourseworkError for an unknown name, or if `out` is the folder of the course's own notebooks.
    """
    if out.resolve() == NOTEBOOKS:
        raise CourseworkError(f"{out} contains the notebooks of the course; choose another folder")
    known = {path.stem: path for path in sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))}
    if unknown := set(names) - set(known):
        raise CourseworkError(
            f"the notebooks are {', '.join(known)}; got {', '.join(sorted(unknown))}"
        )
    return [path for name, path in known.items() if name in (set(names) or known)]


def write_student(
    paths: list[Path], out: Path, outputs_by_cell: dict[Path, CellOutputs], *, outputs: bool
) -> None:
    """Write the folder that students get; outputs are those in the notebooks of the course."""
    _write_folder({path: blank_notebook(path) for path in paths}, out, outputs=outputs)


def write_workspace(
    paths: list[Path], out: Path, outputs_by_cell: dict[Path, CellOutputs], *, outputs: bool
) -> None:
    """Write copies to work in, and the demo, except for notebooks that the folder contains."""
    missing = [path for path in (*paths, DEMO) if not (out / path.name).exists()]
    _write_folder({path: blank_notebook(path) for path in missing}, out, outputs=outputs)
    (out / HOW_TO_START_COPY).unlink()  # a page for the students of a class


def write_solved(
    paths: list[Path], out: Path, outputs_by_cell: dict[Path, CellOutputs], *, outputs: bool
) -> None:
    """Write the notebooks with all solutions; their cells have outputs only if they were run."""
    notebooks = {path: with_solutions(path) for path in paths}
    for path, notebook in notebooks.items():
        for cell in notebook.cells:
            if cell.id in outputs_by_cell.get(path, {}):
                cell.update(nbformat.from_dict(outputs_by_cell[path][cell.id]))
    _write_folder(notebooks, out, outputs=outputs)


def write_release(
    paths: list[Path], out: Path, outputs_by_cell: dict[Path, CellOutputs], *, outputs: bool
) -> None:
    """Write notebooks as the sources of nbgrader assignments with the same names.

    They have no outputs, because nbgrader runs the notebooks itself.
    """
    stems = [path.stem for path in (*paths, *(out / "source").glob("*/*.ipynb"))]
    places = {f"{stem}.ipynb": f"../{stem}/{stem}.ipynb" for stem in stems}
    for path in paths:
        folder = out / "source" / path.stem
        write_notebook(to_nbgrader(path), folder / path.name, places)
        copy_supporting_files([path], folder)
    if not (out / "nbgrader_config.py").exists():
        (out / "nbgrader_config.py").write_text(NBGRADER_CONFIG, encoding="utf-8")


KINDS = {
    "student": write_student,
    "solved": write_solved,
    "release": write_release,
    "own": write_workspace,
}


def _write_folder(notebooks: dict[Path, NotebookNode], out: Path, *, outputs: bool) -> None:
    """Write notebooks into one folder, together with the files that they need."""
    there = {path.name for path in out.glob("*.ipynb")} | {path.name for path in notebooks}
    for path, notebook in notebooks.items():
        write_notebook(notebook, out / path.name, {name: name for name in there}, outputs=outputs)
    copy_supporting_files(notebooks, out)


def write_notebook(
    notebook: NotebookNode, path: Path, link_targets: dict[str, str], *, outputs: bool = False
) -> None:
    """Write a notebook, and create its folder if necessary.

    link_targets  the paths of other files, by name; links to any other file become plain words
    outputs       whether to keep the outputs
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = cell.source if outputs else fold_answer(cell)
            cell.source = rewrite_links(text, {GLOSSARY.name: GLOSSARY.name, **link_targets})
        elif cell.cell_type == "code" and not outputs:
            cell.outputs, cell.execution_count = [], None
            if "remove-input" in cell.metadata.get("tags", []):  # slides hide the code, too
                cell.metadata["jupyter"] = {"source_hidden": True}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(refresh_notebooks.to_text(notebook), encoding="utf-8")


def fold_answer(cell: NotebookNode) -> str:
    """Return the text of a cell, with its answer folded if its tags say that it begins with one.

    The folded part ends before a heading, or before a paragraph that begins in bold, like a task.
    """
    found = [match for tag in cell.metadata.get("tags", []) if (match := ANSWER_TAG.fullmatch(tag))]
    parts = cell.source.split("\n\n")
    ends = [n for n, part in enumerate(parts) if part.startswith("#" if n == 0 else ("#", "**"))]
    size = min(int(found[0][1] or len(parts)), len(parts), *ends) if found else 0
    answer = [FOLDED_ANSWER.format("\n\n".join(parts[:size]))] if size else []
    return "\n\n".join(answer + parts[size:])


def rewrite_links(text: str, link_targets: dict[str, str]) -> str:
    """Return a text with its links changed to the new paths; links to other files become words."""

    def link(found: re.Match[str]) -> str:
        words, name, anchor = found.groups(default="")
        return f"[{words}]({link_targets[name]}{anchor})" if name in link_targets else words

    return LINK.sub(link, text)


def copy_supporting_files(paths: Collection[Path], out: Path) -> None:
    """Copy the instructions for students, the glossary, and the data folders of the notebooks."""
    shutil.copy(GLOSSARY, out)
    page = HOW_TO_START.read_text(encoding="utf-8").replace("](../../notebooks/", "](")
    (out / HOW_TO_START_COPY).write_text(page, encoding="utf-8")
    text = "".join(path.read_text(encoding="utf-8") for path in paths)
    for name in DATA_FOLDERS:
        if f'"{name}/' in text:
            ignored = shutil.ignore_patterns("__pycache__", ".*")
            shutil.copytree(NOTEBOOKS / name, out / name, ignore=ignored, dirs_exist_ok=True)


def run_and_verify(paths: list[Path], jobs: int) -> dict[Path, CellOutputs]:
    """Run the notebooks with solutions and with blanks, and return the outputs of their cells.

    jobs  the number of notebooks that run at a time

    CourseworkError lists each solution that does not pass its check, each blank that does not get
    the expected feedback, and each notebook that fails.
    """
    shown, faults = {}, []
    pool = ThreadPoolExecutor(jobs)
    try:
        runs = {
            pool.submit(run_notebook, solutions_then_blanks(path), path): path for path in paths
        }
        for done in as_completed(runs):
            path = runs[done]
            try:
                shown[path] = done.result()
            except NotebookError as error:
                faults.append(str(error))
                continue
            print(f"{path.stem}: run", flush=True)
            faults += unexpected_feedback(path, shown[path])
    finally:  # after Ctrl-C no other notebook is started
        pool.shutdown(cancel_futures=True)
    if faults:
        raise CourseworkError("\n".join(faults))
    return shown


def solutions_then_blanks(path: Path) -> NotebookNode:
    """Return a notebook with solutions, followed by the cells of its exercises with their blanks.

    One run shows the outputs of both.  The solutions run first, as in the solved notebook.
    """
    notebook, blanks = with_solutions(path), blank_notebook(path)
    for exercise in exercises_of(path):
        cell = cell_of(blanks, exercise)
        cell.id += BLANK_ID_SUFFIX
        notebook.cells.append(cell)
    return notebook


def run_notebook(notebook: NotebookNode, path: Path) -> CellOutputs:
    """Run a notebook and return the outputs of its code cells."""
    cells = refresh_notebooks.clean(refresh_notebooks.execute(notebook, path)).cells
    parts = ("outputs", "execution_count")
    return {c.id: {part: c[part] for part in parts} for c in cells if c.cell_type == "code"}


def unexpected_feedback(path: Path, shown: CellOutputs) -> list[str]:
    """Return a sentence for each check that does not give the expected feedback."""
    faults = []
    for exercise in exercises_of(path):
        for what, cell, start, words in (
            ("its solution", exercise.cell, "Passed", ""),
            ("nothing written", exercise.cell + BLANK_ID_SUFFIX, "Not yet", exercise.blank_text),
        ):
            said = feedback_text(shown[cell]["outputs"])
            if not said.startswith(start) or words not in said:
                faults.append(f"{exercise.key}, with {what}, {exercise.check} says: {said}")
    return faults


def blank_notebook(path: Path) -> NotebookNode:
    """Return a notebook of the course; CourseworkError if it does not fit the catalogue."""
    notebook = refresh_notebooks.read_notebook(path)
    for exercise in exercises_of(path):
        last = source_lines(cell_of(notebook, exercise).source)[-1]
        if not last.startswith(f"exercises.{exercise.check}("):
            raise CourseworkError(
                f"{exercise.key} must end with a call of {exercise.check}; it ends with {last!r}"
            )
    return notebook


def with_solutions(path: Path) -> NotebookNode:
    """Return a notebook with every exercise solved."""
    notebook = blank_notebook(path)
    for exercise in exercises_of(path):
        cell = cell_of(notebook, exercise)
        cell.source = fill_blank(cell.source, exercise)
        cell.outputs, cell.execution_count = [], None
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


def feedback_text(outputs: list[dict[str, Any]]) -> str:
    """Return the feedback that a cell shows, as text."""
    results = [output for output in outputs if output["output_type"] == "execute_result"]
    return "".join(output["data"]["text/plain"] for output in results)


def to_nbgrader(path: Path) -> NotebookNode:
    """Return a notebook with solutions that nbgrader can remove, and with cells that give marks."""
    notebook = blank_notebook(path)
    by_cell = {exercise.cell: exercise for exercise in exercises_of(path)}
    lines = [line for cell in notebook.cells for line in source_lines(cell.source)]
    imports, cells = [line for line in lines if line.endswith(" as exercises")], []
    for cell in notebook.cells:
        cells.append(cell)
        if exercise := by_cell.get(cell.id):
            if exercise.points:
                cells.append(marks_cell(exercise, cell.source, imports[0]))
            cell.source = fill_blank(cell.source, exercise, marked=True)
            cell.metadata["nbgrader"] = nbgrader_metadata(cell.id, solution=True)
    notebook.cells = cells
    return notebook


def marks_cell(exercise: Exercise, source: str, imports: str) -> NotebookNode:
    """Return the locked cell that gives the marks, by an assert that students do not see.

    It imports the checks again, because a student's program may have replaced them.
    """
    words = f"{exercise.title}: {exercise.points} points, if the check passes."
    check = f"{imports}\n\nfeedback = {source_lines(source)[-1]}\nassert feedback, feedback"
    name = f"{exercise.cell}-marks"
    return new_code_cell(
        f"# {words} Leave this cell as it is.\n{BEGIN_HIDDEN}\n{check}\n{END_HIDDEN}",
        id=name,
        metadata={
            "nbgrader": {**nbgrader_metadata(name, solution=False), "points": exercise.points}
        },
    )


def nbgrader_metadata(grade_id: str, *, solution: bool) -> dict[str, object]:
    """Return nbgrader's metadata for a cell with a solution, or for a cell that gives marks."""
    known = {"schema_version": 3, "grade_id": grade_id, "task": False}
    return known | {"solution": solution, "grade": not solution, "locked": not solution}


if __name__ == "__main__":
    sys.exit(main())
