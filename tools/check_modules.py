"""The modules of checks, and those of their statements that a notebook or the course itself needs.

A lesson's module of checks holds more than checks: trees and tables that the notebook shows, and
views of a program that are made where the program lives.  So what the notebooks and the rest of the
course take from such a module is followed by its text.
"""

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools.slicing import bound_names, read_names, slice_groups

ROOT = Path(__file__).parents[1]
SOLUTION_FILES = ("reference.py", "solutions.toml", "mistakes.toml")
# Exercises on paper, whose checks need the solutions: they solve the variant of a student number.
TEACHER_LESSONS = ("variants",)
LESSONS_FOLDER = "course/lessons"
LESSONS_PACKAGE = "course.lessons"
CHECK_PREFIX = "check"  # how the names of modules of checks, and of checks, begin

Wanted = dict[str, set[str]]  # a module of checks -> the names that others take from it


@cache
def needed_statements() -> dict[str, list[ast.stmt]]:
    """Return for each module of checks the statements that the notebooks and the course need.

    They are found once in a process, because that takes half a second.
    """
    modules = {module_name(path): module_statements(path) for path in check_files()}
    kept: dict[str, list[ast.stmt]] = {name: [] for name in modules}
    wanted, size = _wanted_from_outside(modules), -1
    while size != (size := sum(map(len, wanted.values()))):  # they take names from each other
        for name, nodes in modules.items():
            (kept[name],) = slice_groups([nodes], wanted[name])
            for other, names in _taken_names(kept[name], modules).items():
                wanted[other] |= names
    return {name: [*_future_imports(modules[name]), *kept[name]] for name in modules}


def notebook_statements(path: Path) -> list[ast.stmt]:
    """Return the statements of all cells of a notebook of the course."""
    cells = json.loads(path.read_bytes())["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [node for source in sources for node in ast.parse(source).body]


def _future_imports(nodes: list[ast.stmt]) -> list[ast.stmt]:
    return [
        node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]


def check_files() -> list[Path]:
    """Return the files of all modules of checks in lessons of students."""
    lessons = ROOT / LESSONS_FOLDER
    return sorted(
        path
        for path in lessons.glob(f"*/{CHECK_PREFIX}*.py")
        if path.parent.name not in TEACHER_LESSONS
    )


def names_lessons(path: Path) -> bool:
    """Return whether a file can import from lessons; to read it is quicker than to parse it."""
    return LESSONS_PACKAGE in path.read_text(encoding="utf-8")


def module_name(path: Path) -> str:
    """Return the name by which a file of this checkout is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def module_statements(path: Path) -> list[ast.stmt]:
    """Return the statements of a file, without its docstring."""
    nodes = ast.parse(path.read_text(encoding="utf-8")).body
    return nodes[1:] if ast.get_docstring(ast.Module(nodes, [])) else nodes


def _wanted_from_outside(modules: dict[str, list[ast.stmt]]) -> Wanted:
    """Return what notebooks, other modules of the course, and the marker take from these modules.

    The marker takes views: `apply_view` and `AnswerKey` name the function that makes one.
    """
    wanted: Wanted = {name: _view_names(nodes) for name, nodes in modules.items()}
    answers = {name: _answer_names(nodes) for name, nodes in modules.items()}
    notebooks = [notebook_statements(path) for path in sorted(ROOT.glob("notebooks/*.ipynb"))]
    files = [path for path in ROOT.glob("course/**/*.py") if path.name not in SOLUTION_FILES]
    others = [
        module_statements(path)
        for path in files
        if module_name(path) not in modules
        and not {*path.parts} & {*TEACHER_LESSONS}
        and names_lessons(path)
    ]
    for nodes in (*notebooks, *others):
        for name, names in _taken_names(nodes, modules).items():
            kept = {each for each in names if not each.startswith(f"{CHECK_PREFIX}_")}
            wanted[name] |= kept - answers[name]
    return wanted


def _view_names(nodes: list[ast.stmt]) -> set[str]:
    """Return the names of the views that some statements name."""
    calls = [part for node in nodes for part in ast.walk(node) if isinstance(part, ast.Call)]
    first = [call.args[0] for call in calls if call.args and _is_named(call.func, "apply_view")]
    given = [each.value for call in calls for each in call.keywords if each.arg == "view"]
    return {node.id for node in (*first, *given) if isinstance(node, ast.Name)}


def _answer_names(nodes: list[ast.stmt]) -> set[str]:
    """Return the names by which some statements say what is expected: `Case(arguments, expected)`.

    A notebook may show such a program, too; but a program that only calls it is not an answer.
    """
    parts = [part for node in nodes for part in ast.walk(node)]
    cases = [part for part in parts if isinstance(part, ast.Call) and _is_named(part.func, "Case")]
    return {name for case in cases for node in case.args[1:2] for name in read_names(node)}


def _is_named(node: ast.expr, name: str) -> bool:
    """Return whether an expression is this name."""
    return isinstance(node, ast.Name) and node.id == name


def _taken_names(nodes: list[ast.stmt], modules: dict[str, list[ast.stmt]]) -> Wanted:
    """Return the names that some statements take from modules of checks."""
    parts = [part for node in nodes for part in ast.walk(node)]
    taken: Wanted = {name: set() for name in modules}
    aliases: dict[str, str] = {}  # the name by which a module is known here -> the module
    for part in parts:
        for module, name, known_as in imported_names(part):
            if module in modules:
                taken[module].add(name)
            elif f"{module}.{name}" in modules:
                aliases[known_as] = f"{module}.{name}"
    for part in parts:
        match part:
            case ast.Attribute(value=ast.Name(id=known_as), attr=name) if known_as in aliases:
                taken[aliases[known_as]].add(name)
    return {
        name: names and names & {each for node in modules[name] for each in bound_names(node)}
        for name, names in taken.items()
    }


def imported_names(node: ast.AST) -> Iterator[tuple[str, str, str]]:
    """Yield (module, name, known as) of an import."""
    if isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            yield node.module, alias.name, alias.asname or alias.name
