"""Build the wheel that students install, which contains no solutions and no list of mistakes.

    python -m tools.distribution OUT
    python -m tools.distribution OUT --no-hints --solutions 01_framework 02_minimax

Its checks give the same feedback as those of the whole course.  Instead of the solutions, the wheel
has their answers to the common questions, and a digest of the answers of each known mistake.
"""

import argparse
import ast
import json
import pkgutil
import re
import shutil
import subprocess
import sys
import tempfile
from ast import literal_eval
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from course.exercises.answer_key import AnswerKey, digest
from course.lessons import LESSONS
from tools.check_modules import (
    ROOT,
    SOLUTION_FILES,
    TEACHER_LESSONS,
    needed_statements,
)
from tools.slicing import bound_names

PACKAGES = ("gamelib", "gamefast", "arena", "course")
ROOT_FILES = ("pyproject.toml", "docs/package.md", "LICENSE")
KERNEL_LIBRARY = "gamefast/kernels.so"  # the searches as WebAssembly; only the site's wheel has it
GUARD = "refuse_program"  # a function of the runner of checks, called first by what knows answers
NOTEBOOKS = {f"{number:02}_{lesson}": lesson for number, lesson in enumerate(LESSONS)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the wheel that the command line asks for, and print its path."""
    parser = argparse.ArgumentParser(prog="python -m tools.distribution", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to put the wheel into")
    add_options(parser)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    print(build(options.out, change=student_copy_maker(options)))


def build(
    folder: Path, *, change: Callable[[Path], None] | None = None, library: Path | None = None
) -> Path:
    """Build a wheel of the course in a folder, and return its path.

    change   a function that changes the copy from which the wheel is built
    library  the compiled searches to include
    """
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place)  # setuptools would leave files in the checkout, and use them again
        for package in PACKAGES:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / package, copy / package, ignore=ignored)
        for file in ROOT_FILES:
            (copy / file).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / file, copy / file)
        if change:
            change(copy)
        if library:
            shutil.copy(library, copy / KERNEL_LIBRARY)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--wheel-dir", folder, copy], check=True)
    (wheel,) = folder.glob("adversarial_search_course-*.whl")
    return wheel


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a student's copy to a parser."""
    parser.add_argument("--no-hints", action="store_true", help="leave out the hints")
    text = (
        "include the solutions of these notebooks, such as 01_framework, after students submitted"
    )
    known: dict[str, Any] = {"choices": sorted(NOTEBOOKS), "metavar": "NOTEBOOK", "help": text}
    parser.add_argument("--solutions", nargs="+", default=[], **known)


def student_copy_maker(options: argparse.Namespace) -> Callable[[Path], None]:
    """Return a function that turns a copy of the course into a student's copy."""
    return partial(
        make_student_copy,
        hints=not options.no_hints,
        solved={NOTEBOOKS[notebook] for notebook in options.solutions},
    )


def make_student_copy(folder: Path, *, hints: bool = True, solved: Collection[str] = ()) -> None:
    """Remove the solutions and mistakes from a copy of the course, and record its answers.

    folder  the folder that contains the copied packages
    hints   whether to keep the hints
    solved  the lessons whose solutions are kept
    """
    lessons = folder / "course" / "lessons"
    for name in TEACHER_LESSONS:
        shutil.rmtree(lessons / name)
    _guard_answers(folder)
    for lesson in LESSONS:
        place = lessons / lesson
        if not hints:
            (place / "hints.toml").unlink(missing_ok=True)
        if lesson not in solved:
            keys = list(keys_with_hidden_programs(lesson))
            # The digests replace the mistakes of these keys.
            open_mistakes = drop_groups(place / "mistakes.toml", {key.group for key in keys})
            for name in SOLUTION_FILES:
                (place / name).unlink(missing_ok=True)
            if open_mistakes:
                (place / "mistakes.toml").write_text(open_mistakes, encoding="utf-8")
            if tables := {key.name: recorded_answers(key) for key in keys}:
                text = json.dumps(tables, indent=1, ensure_ascii=False)
                (place / "answers.json").write_text(text + "\n", encoding="utf-8")


def _guard_answers(folder: Path) -> None:
    """Make the functions of the checks refuse to work for a program that is being checked.

    Functions that a notebook uses stay as they are, because they do not know an answer.
    """
    for name, needed in needed_statements().items():
        kept = {each for node in needed for each in bound_names(node)}
        path = folder / f"{name.replace('.', '/')}.py"
        lines = path.read_text(encoding="utf-8").split("\n")
        nodes = ast.parse("\n".join(lines)).body
        hidden = [
            node for node in nodes if isinstance(node, ast.FunctionDef) and node.name not in kept
        ]
        for node in reversed(hidden):
            has_docstring = ast.get_docstring(node) is not None
            first = node.body[0]
            at = first.end_lineno if has_docstring else first.lineno - 1
            lines.insert(at or 0, f"    {GUARD}()")
        imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        lines.insert(
            imports[-1].end_lineno or 0, f"from course.exercises.check_runner import {GUARD}"
        )
        path.write_text("\n".join(lines), encoding="utf-8")


def keys_with_hidden_programs(lesson: str) -> Iterator[AnswerKey]:
    """Yield each answer key of a lesson whose solution is in its `reference.py`."""
    package = import_module(f"course.lessons.{lesson}")
    found: set[AnswerKey] = set()  # several checks of a lesson can have the same key
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        for thing in vars(import_module(module.name)).values():
            key = getattr(thing, "key", thing)  # some checks have their key as an attribute
            if isinstance(key, AnswerKey) and isinstance(key.program, str) and key not in found:
                found.add(key)
                yield key


def recorded_answers(key: AnswerKey) -> dict[str, Any]:
    """Return the answers to the common questions, and a digest of the answers of each mistake."""
    known = {hint: digest_of(key, program) for hint, program in key.mistakes().items()}
    table: dict[str, Any] = {
        "questions": digest([repr(case.arguments) for case in key.cases()]),
        "mistakes": {hint: found for hint, found in known.items() if found},
    }
    if key.uses_reference():
        right = [case.expected for case in key.cases()]
        texts = [repr(answer) for answer in right]
        if list(map(literal_eval, texts)) != right:
            raise ValueError(f"{key.name}: answers must be Python literals, to be stored as text")
        table["right"] = texts
    return table


def digest_of(key: AnswerKey, program: Callable[..., Any]) -> str:
    """Return a digest of a program's answers; "" if it raises an error for some question."""
    ask = key.view(program)
    try:
        return digest([ask(*case.arguments) for case in key.cases()])
    except Exception:
        return ""


def drop_groups(path: Path, groups: Collection[str]) -> str:
    """Return the text of a mistakes file without some of its tables; "" if no table is left."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    entries = re.split(r"^(?=\[\[)", text, flags=re.MULTILINE)[1:]
    return "".join(entry for entry in entries if entry[2 : entry.index("]]")] not in groups)


if __name__ == "__main__":
    main(sys.argv[1:])
