"""One source for blank and solved notebooks; the real nbgrader takes both apart and marks."""

import dis
import json
import re
import sys
import time
import tomllib
import warnings
from contextlib import suppress
from functools import cache, partial, reduce
from html import unescape
from pathlib import Path
from types import CodeType, FunctionType
from urllib.parse import unquote

import nbformat
import pytest
from nbconvert.filters import markdown2html

import gamelib
from course.exercises.catalogue import catalogue, exercise_of
from course.exercises.check_runner import attempts
from tests.messages import broken, names
from tools import coursework, refresh_notebooks
from tools.blanks import BlankError, fill_blank
from tools.coursework import NOTEBOOKS, CourseworkError, cell_of, exercises_of

EVERY = coursework.select_notebooks([], Path("elsewhere"))
PATHS = [path for path in EVERY if exercises_of(path)]
# What exercises use of their notebook besides its first cell of code.
BEFORE = {"01_framework": ("sticks-play", "sticks-end")}
SHORT = "05_solver"
MARKED = PATHS[0].stem  # the one notebook that nbgrader marks as a whole


@pytest.fixture(params=PATHS, ids=[path.stem for path in PATHS])
def path(request):
    return request.param


blank_notebook = cache(coursework.blank_notebook)  # several tests read each, and change none


def run(path, change):
    """Run the exercises of a notebook, their cells changed; yield (exercise, namespace, check).

    The namespace is that of the notebook after the cell has run, and before its check has.
    """
    notebook, namespace = blank_notebook(path), {}
    for cell in notebook.cells:
        if cell.id in ("setup", *BEFORE.get(path.stem, ())):
            exec(cell.source, namespace)
    for exercise in exercises_of(path):
        program, _, check = change(cell_of(notebook, exercise).source, exercise).rpartition("\n")
        exec(program, namespace)
        yield exercise, namespace, check


def shown(path, change):
    """Yield (exercise, feedback) for the exercises of a notebook."""
    for exercise, namespace, check in run(path, change):
        yield exercise, eval(check, namespace)


def unchanged(source, exercise):
    return source


def test_blank_exercise_is_not_an_attempt(path):
    attempts.clear()
    wrong = [
        f"{exercise.key}: {feedback.message}"
        for exercise, feedback in shown(path, unchanged)
        if feedback or exercise.blank_text not in feedback.message
    ]
    rule = (
        "A check must fail on the blank cell and say its `blank_text`. Correct the check, or "
        "`blank_text` in exercises.toml:"
    )
    assert wrong == [], broken(rule, wrong)
    assert attempts.total() == 0, "a check must not count the blank cell as an attempt"


def test_solution_passes_its_check(path):
    wrong = [
        f"{exercise.key}: {feedback.message}"
        for exercise, feedback in shown(path, fill_blank)
        if not feedback
    ]
    rule = "Each solution must pass its check. Correct the solution or the check:"
    assert wrong == [], broken(rule, wrong)


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


def named(namespace, dotted):
    """Return the object "function" or "Class.method" of a namespace."""
    name, *methods = dotted.split(".")
    return reduce(getattr, methods, namespace[name])


def test_nbgrader_solution_compiles_to_same_program(path):
    for (one, namespace, _), (_, graded, _) in zip(
        run(path, fill_blank), run(path, partial(fill_blank, marked=True)), strict=True
    ):
        for name in (*one.reference, *one.answer):
            assert program(named(graded, name)) == program(named(namespace, name)), (one.key, name)


# Run once


def test_failed_check_stops_the_verification(tmp_path, monkeypatch):
    path = shortened(tmp_path)
    shown = coursework.run_and_verify([path], 1)[path]
    for cell, start in (("e1", "Passed"), ("e1-blank", "Not yet")):
        assert coursework.feedback_text(shown[cell]["outputs"]).startswith(start)
    unsolved = shown | {"e1": shown["e1-blank"]}
    monkeypatch.setattr(coursework, "run_notebook", lambda notebook, path: unsolved)
    with pytest.raises(CourseworkError, match=r"05/e1.* solution"):
        coursework.run_and_verify([path], 1)


def test_failing_notebooks_are_named_and_nothing_written(tmp_path, monkeypatch, capsys):
    def broken(notebook, path):
        raise refresh_notebooks.NotebookError(f"{path.stem}, cell 3: an error")

    monkeypatch.setattr(coursework, "run_notebook", broken)
    out = tmp_path / "out"
    assert coursework.main(["student", str(out), "02_minimax", "03_alpha_beta"]) == 1
    said = capsys.readouterr().err
    assert all(f"{name}, cell 3: an error" in said for name in ("02_minimax", "03_alpha_beta"))
    assert not out.exists()


def test_interrupt_starts_no_further_notebook(monkeypatch):
    begun = []

    def interrupted(notebook, path):
        begun.append(path)
        if len(begun) > 1:
            time.sleep(0.5)  # one that was begun goes on
        raise KeyboardInterrupt

    monkeypatch.setattr(coursework, "run_notebook", interrupted)
    with pytest.raises(KeyboardInterrupt):
        coursework.run_and_verify(EVERY, 1)
    assert len(begun) < len(EVERY)


# What is written


def written(folder):
    return [nbformat.read(path, 4) for path in sorted(folder.rglob("*.ipynb"))]


@pytest.fixture(scope="module", params=["student", "solved", "release"])
def hand_out(request, tmp_path_factory):
    """Return the folder of the whole course, written in each of the three ways."""
    folder = tmp_path_factory.mktemp(request.param)
    assert coursework.main([request.param, str(folder), "--unchecked"]) == 0
    return folder


def test_handout_has_no_outputs_or_answers(hand_out):
    notebooks = written(hand_out)
    assert len(notebooks) == len(EVERY) == 12
    for notebook in notebooks:
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert not any(cell.outputs or cell.execution_count for cell in cells)
        texts = [cell for cell in notebook.cells if "answer" in cell.metadata.get("tags", [])]
        assert all(c.source.startswith(("#", "<details>")) for c in texts if c not in cells)


def test_with_outputs_keeps_the_outputs(tmp_path):
    assert coursework.main(["student", str(tmp_path), "--unchecked", "--with-outputs"]) == 0
    for notebook, path in zip(written(tmp_path), EVERY, strict=True):
        assert [cell.get("outputs") for cell in notebook.cells] == [
            cell.get("outputs") for cell in refresh_notebooks.read_notebook(path).cells
        ]


def test_solved_notebook_gets_outputs_of_the_run(tmp_path):
    output = {"output_type": "stream", "name": "stdout", "text": "Passed"}  # as it is remembered
    shown = {PATHS[0]: {"e1": {"outputs": [output], "execution_count": 30}}}
    coursework.write_solved(PATHS[:1], tmp_path, shown, outputs=True)
    (notebook,) = written(tmp_path)
    assert cell_of(notebook, exercise_of("01/e1")).outputs == [output]
    assert cell_of(notebook, exercise_of("01/e2")).outputs == []


def test_release_keeps_existing_nbgrader_config(tmp_path):
    settings = tmp_path / "nbgrader_config.py"
    settings.write_text("c = get_config()")
    coursework.write_release(PATHS[:1], tmp_path, {}, outputs=False)
    assert settings.read_text() == "c = get_config()"


def links_of(path):
    """Return where the prose of a notebook or of a Markdown file leads to, and its places."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    # Those of headings lead to themselves.
    page = re.sub(r'<a class="anchor-link"[^>]*>', "", markdown2html(text))
    found = re.findall(r"""\s(?:href|src)=["']([^"']*)""", page)
    return list(map(unescape, found)), set(re.findall(r'\s(?:id|name)="([^"]*)"', page))


def dead_links(folder):
    """Return (file, link) for all links in a folder that lead nowhere; and how many there are."""
    pages = {
        path.resolve(): links_of(path)
        for path in folder.rglob("*")
        if path.suffix in (".ipynb", ".md")
    }
    dead, count = [], 0
    for path, (found, _) in pages.items():
        for link in found:
            name, _, place = unquote(link).partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            target = (path.parent / name).resolve() if name else path
            there = target.exists() and (target.is_dir() or folder.resolve() in target.parents)
            if not there or (place and place not in pages[target][1]):
                dead.append((path.name, link))
    return dead, count


def test_handout_has_no_dead_link(hand_out):
    dead, count = dead_links(hand_out)
    assert dead == [], broken("These links lead nowhere in what students get:", dead)
    assert count >= 30, "there are fewer links than usual: does the test still find them?"


@pytest.mark.parametrize("kind", ["student", "release"])
def test_partial_handout_has_no_dead_link(kind, tmp_path):
    lessons = ["00_start_here", "07_experiments", "08_capstone"]
    assert coursework.main([kind, str(tmp_path), *lessons, "--unchecked"]) == 0
    dead, count = dead_links(tmp_path)
    assert (dead, count > 2) == ([], True)


def test_links_to_earlier_handouts_are_kept(tmp_path):
    for name in ("03_alpha_beta", "02_minimax"):
        assert coursework.main(["student", str(tmp_path), name, "--unchecked"]) == 0
    assert "](03_alpha_beta.ipynb)" in (tmp_path / "02_minimax.ipynb").read_text()
    assert "](04_mcts.ipynb)" not in (tmp_path / "03_alpha_beta.ipynb").read_text()


def test_dead_links_are_detected(tmp_path):
    (tmp_path / "a.md").write_text("[a](b.md) ![c](d.png) [e](#f) [g](a.md#h) <img src='i.png'>")
    dead, count = dead_links(tmp_path)
    assert [link for _, link in dead] == ["b.md", "d.png", "#f", "a.md#h", "i.png"]
    assert count == 5


def test_instructions_and_glossary_accompany_every_notebook(hand_out):
    for path in hand_out.rglob("*.ipynb"):
        files = sorted(file.name for file in path.parent.iterdir() if file.is_file())
        assert files[0] == coursework.HOW_TO_START_COPY
        assert "glossary.md" in files


def test_instructions_name_the_built_wheel():
    project = tomllib.loads((coursework.ROOT / "pyproject.toml").read_text())["project"]
    name = f"{project['name'].replace('-', '_')}-{gamelib.__version__}-py3-none-any.whl"
    page = coursework.HOW_TO_START.read_text(encoding="utf-8")
    assert set(re.findall(r"[\w.-]+\.whl", page)) == {name}


def test_instructions_have_no_dead_link():
    found, _ = links_of(coursework.HOW_TO_START)
    assert found
    assert all((coursework.HOW_TO_START.parent / link).exists() for link in found)


def test_unfilled_placeholders_are_listed(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    page.write_text("Open (FILL IN: the address). Then (FILL IN: the address), (FILL IN: more).")
    monkeypatch.setattr(coursework, "HOW_TO_START", page)
    assert coursework.main(["student", str(tmp_path / "out"), "--unchecked"]) == 0
    said = capsys.readouterr().out.splitlines()[1:]
    assert said == [
        f"docs/teacher/how_to_start.md still says (FILL IN: {what})"
        for what in ("the address", "more")
    ]


def test_course_notebooks_are_never_overwritten():
    with pytest.raises(CourseworkError, match="choose another folder"):
        coursework.select_notebooks([], NOTEBOOKS / ".." / "notebooks")


def test_unknown_notebook_lists_valid_names(capsys):
    assert coursework.main(["student", "elsewhere", "02_minmax"]) == 1
    assert "00_start_here, 01_framework, 02_minimax" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            "def negamax_value(state):\n    return 0",
            "negamax_value must end with `raise NotImplementedError`",
        ),
        ("def negamax(state):\n    raise NotImplementedError", "the name negamax_value"),
    ],
)
def test_cell_without_blank_raises(source, words):
    with pytest.raises(BlankError, match=names(words)):
        fill_blank(source, exercise_of("02/e2"))


def test_notebook_without_check_raises(tmp_path):
    path = shortened(tmp_path)
    path.write_text(path.read_text().replace("exercises.check_proven(", "print("))
    with pytest.raises(CourseworkError, match=r"05/e1 .*check_proven"):
        coursework.blank_notebook(path)


def test_data_folders_accompany_their_notebook(hand_out):
    (path,) = hand_out.rglob("07_experiments.ipynb")
    assert (path.parent / "studies" / "nim.csv").exists()
    assert (path.parent / "agents" / "deepener.py").exists()


# nbgrader


def shortened(folder):
    """Return the path of a notebook of which only the first cells and the exercises are left."""
    path = folder / f"{SHORT}.ipynb"
    notebook = refresh_notebooks.read_notebook(NOTEBOOKS / path.name)
    keep = {"title", "setup", "exercises", *(one.cell for one in exercises_of(path))}
    notebook.cells = [cell for cell in notebook.cells if cell.id in keep]
    coursework.write_notebook(notebook, path, {})
    return path


def nbgrader(course, *words):
    """Run a command of nbgrader in the folder of a course, without a new start of Python."""
    from jupyter_core.application import NoStart
    from nbgrader.apps import NbGraderApp

    app = NbGraderApp.instance()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(), suppress(NoStart):
        warnings.simplefilter("ignore")  # of its database, which nbgrader does not show either
        patch.chdir(course)
        patch.setattr(sys, "path", sys.path.copy())  # to which it adds the folder
        try:
            app.initialize([*words])
            app.start()
        finally:
            app.reset()


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Return the folder of the whole course, and of a short assignment, made for students.

    Only the assignments that are marked are stored in nbgrader's database.
    """
    pytest.importorskip("nbgrader", reason="nbgrader is not installed: `make peers`")
    folder = tmp_path_factory.mktemp("course")
    assert coursework.main(["release", str(folder), "--unchecked"]) == 0
    short = coursework.to_nbgrader(shortened(tmp_path_factory.mktemp("short")))
    coursework.write_notebook(short, folder / "source" / "short" / f"{SHORT}.ipynb", {})
    with pytest.MonkeyPatch.context() as patch:
        for name in ("JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
            patch.setenv(name, str(folder / ".jupyter"))
        # A new database stores its version, for later upgrades: the output of another program.
        patch.setattr("nbgrader.api.get_alembic_version", lambda: "unknown")
        for name in ("short", MARKED):
            nbgrader(folder, "generate_assignment", name)
        for path in EVERY:
            if path.stem != MARKED:
                unstored = ("--no-db", "--SaveCells.enabled=False")
                nbgrader(folder, "generate_assignment", path.stem, *unstored)
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
    if exercise.cell not in ("e1", "e2"):
        return source
    return f"{fill_blank(source, exercise)}\nexercises = None"  # the marking imports it again


def endless(source, exercise):
    if exercise.cell != "e1":
        return f"check_runner.CPU_SECONDS = 60\n{fill_blank(source, exercise)}"
    # Without the call of the check: only the marking waits for its end, half a second.
    loop = "check_runner.CPU_SECONDS = 0.5\n    while True:\n        pass"
    function = source.rpartition("\n")[0].replace("raise NotImplementedError", loop)
    return f"from course.exercises import check_runner\n\n{function}"


def endless_outside_a_function(source, exercise):
    # It sleeps, because a busy loop would take the processor from other tests until the limit.
    loop = "import time\nwhile True:\n    time.sleep(0.01)"
    return loop if exercise.cell == "e1" else half_right(source, exercise)


def test_nbgrader_release_contains_no_solution(course, path):
    made = nbformat.read(course / "release" / path.stem / path.name, 4)
    assert not any(word in str(made) for word in ("SOLUTION", "HIDDEN", "assert feedback"))
    for exercise in exercises_of(path):
        mine, theirs = (cell_of(nb, exercise).source for nb in (blank_notebook(path), made))
        assert mine.split() == theirs.split()


@pytest.fixture(scope="module")
def marked(course):
    """Return the folder of the course after the submissions for the short assignment are marked."""
    for student, change in {
        "right": fill_blank,
        "half": half_right,
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
        ("endless", [0, 2, 3, 2]),
    ],
)
def test_nbgrader_marks_a_submission(marked, student, expected):
    assert list(marks(marked, student).values()) == expected


def test_nbgrader_endless_cell_fails_only_itself(course):
    hand_in(course, "loop", endless_outside_a_function)
    options = ("--student=loop", "--ExecutePreprocessor.timeout=5")
    nbgrader(course, "autograde", "short", *options)
    assert marks(course, "loop")["e1"] == 0
    assert marks(course, "loop")["e2"] == 2


def test_nbgrader_marks_a_whole_notebook(course):
    hand_in(course, "right", fill_blank, MARKED, MARKED)
    nbgrader(course, "autograde", MARKED, "--student=right")
    assert marks(course, "right", MARKED) == {
        one.cell: one.points for one in catalogue().values() if one.notebook == MARKED
    }


# The demo


def test_demo_is_in_own_copies_only(hand_out, tmp_path):
    assert coursework.DEMO.name not in {path.name for path in hand_out.rglob("*.ipynb")}
    assert coursework.DEMO not in EVERY
    coursework.write_workspace(PATHS[:1], tmp_path, {}, outputs=False)
    assert {path.name for path in tmp_path.glob("*.ipynb")} == {
        PATHS[0].name,
        coursework.DEMO.name,
    }


def test_demo_is_linked_from_first_pages():
    readme = (coursework.ROOT / "README.md").read_text(encoding="utf-8")
    front = (coursework.ROOT / "tools" / "site" / "index.html").read_text(encoding="utf-8")
    assert f"](notebooks/{coursework.DEMO.name})" in readme
    assert f'href="{coursework.DEMO.stem}.html"' in front


def test_demo_is_four_cells_with_their_words():
    title, *cells = refresh_notebooks.read_notebook(coursework.DEMO).cells
    assert "five minutes" in title.source
    assert [cell.cell_type for cell in cells] == ["markdown", "code"] * 4
    shown = [cell.outputs[-1].data["text/plain"].split("(")[0] for cell in cells[1::2]]
    assert shown == ["PlayBoard", "Lab", "SearchStepper", "Lab"]
    for cell in cells[1::2]:  # each runs without the others
        exec(cell.source, {})
