"""Make the folder that students get, with solutions or without, an nbgrader course, or own copies.

    python -m tools.coursework student build/student
    python -m tools.coursework solved --with-outputs build/solved
    python -m tools.coursework release build/course
    python -m tools.coursework own --unchecked lab

The notebooks of the course are the blank ones; the solutions come from `course.lessons`.  All is
run before it is written, unless it is `--unchecked`: each check must pass with the solution, and
say what it is meant to say without one.
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
DATA_FOLDERS = ("agents", "studies")  # beside the notebooks, which read them
GLOSSARY = NOTEBOOKS / "glossary.md"
HOW_TO_START = ROOT / "docs" / "teacher" / "how_to_start.md"
HOW_TO_START_COPY = "00_how_to_start.md"  # what a list of files shows above all notebooks
PLACEHOLDER = re.compile(r"\(FILL IN: [^)]*\)")
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")  # to a file
FOLDED_ANSWER = (
    "<details><summary>Open this when you have your own answer</summary>\n\n{}\n\n</details>"
)
BLANK_ID_SUFFIX = "-blank"  # what the id of a blank ends with
BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
NBGRADER_CONFIG = '''\
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

CellOutputs = dict[str, dict[str, Any]]  # the id of a cell -> its outputs and execution count


class CourseworkError(Exception):
    """A notebook that does not fit the catalogue of exercises; says where."""


def main(arguments: list[str] | None = None) -> int:
    """Return 0, or 1 where something does not hold; then it says what, and writes nothing."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("kind", choices=KINDS, help="what to make")
    add("out", type=Path, metavar="FOLDER", help="where to write it")
    add("notebooks", nargs="*", metavar="NOTEBOOK", help="names like 02_minimax; all, if none")
    text = "keep what the cells show, and with it the answers (not for nbgrader)"
    add("--with-outputs", action="store_true", help=text)
    add("--unchecked", action="store_true", help="do not run the notebooks first")
    add("--jobs", type=int, default=2, metavar="N", help="notebooks run at a time")
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
    """Return the notebooks of the course, or those of them that are named."""
    if out.resolve() == NOTEBOOKS:
        raise CourseworkError(f"{out} holds the notebooks of the course; choose another folder")
    known = {path.stem: path for path in sorted(NOTEBOOKS.glob("*.ipynb"))}
    if unknown := set(names) - set(known):
        raise CourseworkError(
            f"the notebooks are {', '.join(known)}; got {', '.join(sorted(unknown))}"
        )
    return [path for name, path in known.items() if name in (set(names) or known)]


def write_student(
    paths: list[Path], out: Path, outputs_by_cell: dict[Path, CellOutputs], *, outputs: bool
) -> None:
    """Write what students get; the outputs are those that the notebooks of the course have."""
    _write_folder({path: blank_notebook(path) for path in paths}, out, outputs=outputs)


def write_workspace(
    paths: list[Path], out: Path, outputs_by_cell: dict[Path, CellOutputs], *, outputs: bool
) -> None:
    """Write copies to work in, of those notebooks that are not there yet."""
    missing = [path for path in paths if not (out / path.name).exists()]
    _write_folder({path: blank_notebook(path) for path in missing}, out, outputs=outputs)
    (out / HOW_TO_START_COPY).unlink()  # a page for the students of a class


def write_solved(
    paths: list[Path], out: Path, outputs_by_cell: dict[Path, CellOutputs], *, outputs: bool
) -> None:
    """Write the same with all solutions; without a run their cells have no outputs."""
    notebooks = {path: with_solutions(path) for path in paths}
    for path, notebook in notebooks.items():
        for cell in notebook.cells:
            if cell.id in outputs_by_cell.get(path, {}):
                cell.update(nbformat.from_dict(outputs_by_cell[path][cell.id]))
    _write_folder(notebooks, out, outputs=outputs)


def write_release(
    paths: list[Path], out: Path, outputs_by_cell: dict[Path, CellOutputs], *, outputs: bool
) -> None:
    """Write notebooks as the sources of nbgrader assignments of the same names.

    Outputs are left out: nbgrader runs the notebooks itself.
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
    """Write notebooks into one folder, with all that they need beside them."""
    there = {path.name for path in out.glob("*.ipynb")} | {path.name for path in notebooks}
    for path, notebook in notebooks.items():
        write_notebook(notebook, out / path.name, {name: name for name in there}, outputs=outputs)
    copy_supporting_files(notebooks, out)


def write_notebook(
    notebook: NotebookNode, path: Path, link_targets: dict[str, str], *, outputs: bool = False
) -> None:
    """Write a notebook into a folder that need not exist.

    places  where other notebooks are, seen from this one; a link to any other is left out
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = cell.source if outputs else fold_answer(cell)
            cell.source = rewrite_links(text, {GLOSSARY.name: GLOSSARY.name, **link_targets})
        elif cell.cell_type == "code" and not outputs:
            cell.outputs, cell.execution_count = [], None
            if "remove-input" in cell.metadata.get("tags", []):  # folded, as on the slides
                cell.metadata["jupyter"] = {"source_hidden": True}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(refresh_notebooks.to_text(notebook), encoding="utf-8")


def fold_answer(cell: NotebookNode) -> str:
    """Return a text whose beginning is folded if it answers what stands above.

    A heading, or a paragraph whose first words are bold, as those of a task, ends what is folded.
    """
    found = [match for tag in cell.metadata.get("tags", []) if (match := ANSWER_TAG.fullmatch(tag))]
    parts = cell.source.split("\n\n")
    ends = [n for n, part in enumerate(parts) if part.startswith("#" if n == 0 else ("#", "**"))]
    size = min(int(found[0][1] or len(parts)), len(parts), *ends) if found else 0
    answer = [FOLDED_ANSWER.format("\n\n".join(parts[:size]))] if size else []
    return "\n\n".join(answer + parts[size:])


def rewrite_links(text: str, link_targets: dict[str, str]) -> str:
    """Return a text whose links lead to where the files are; those to no file become words."""

    def link(found: re.Match[str]) -> str:
        words, name, anchor = found.groups(default="")
        return f"[{words}]({link_targets[name]}{anchor})" if name in link_targets else words

    return LINK.sub(link, text)


def copy_supporting_files(paths: Collection[Path], out: Path) -> None:
    """Copy what stands beside the notebooks: how to start, the glossary, what they read."""
    shutil.copy(GLOSSARY, out)
    page = HOW_TO_START.read_text(encoding="utf-8").replace("](../../notebooks/", "](")
    (out / HOW_TO_START_COPY).write_text(page, encoding="utf-8")
    text = "".join(path.read_text(encoding="utf-8") for path in paths)
    for name in DATA_FOLDERS:
        if f'"{name}/' in text:
            ignored = shutil.ignore_patterns("__pycache__", ".*")
            shutil.copytree(NOTEBOOKS / name, out / name, ignore=ignored, dirs_exist_ok=True)


def run_and_verify(paths: list[Path], jobs: int) -> dict[Path, CellOutputs]:
    """Return what the notebooks show with solutions, after every check said what it is meant to.

    Each blank must get the words meant for it, and each solution must pass; CourseworkError names
    all that does not hold.
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
    finally:  # after Ctrl-C no other notebook is begun
        pool.shutdown(cancel_futures=True)
    if faults:
        raise CourseworkError("\n".join(faults))
    return shown


def solutions_then_blanks(path: Path) -> NotebookNode:
    """Return a notebook with solutions, and below its last cell its exercises as students get them.

    One run shows both.  The solutions come first: what they show is what students are to get.
    """
    notebook, blanks = with_solutions(path), blank_notebook(path)
    for exercise in exercises_of(path):
        cell = cell_of(blanks, exercise)
        cell.id += BLANK_ID_SUFFIX
        notebook.cells.append(cell)
    return notebook


def run_notebook(notebook: NotebookNode, path: Path) -> CellOutputs:
    """Return what the code cells of a notebook show."""
    cells = refresh_notebooks.clean(refresh_notebooks.execute(notebook, path)).cells
    parts = ("outputs", "execution_count")
    return {c.id: {part: c[part] for part in parts} for c in cells if c.cell_type == "code"}


def unexpected_feedback(path: Path, shown: CellOutputs) -> list[str]:
    """Return a sentence for each check that does not say what it is meant to say."""
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
    """Return a notebook of the course; CourseworkError where it does not fit the catalogue."""
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
    """Return a notebook with solutions that nbgrader takes out, and a cell of marks for each."""
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
    """Return the locked cell that brings the marks, by an assert that students do not see.

    It imports the checks again: a student's program may have taken their name.
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
    """Return what nbgrader wants to know of a cell: one for the solution, or one for the marks."""
    known = {"schema_version": 3, "grade_id": grade_id, "task": False}
    return known | {"solution": solution, "grade": not solution, "locked": not solution}


if __name__ == "__main__":
    sys.exit(main())
