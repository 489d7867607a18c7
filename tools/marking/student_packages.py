"""The packages that a student's process may see: the course without its checks and solutions.

A lesson's module of checks holds more than checks: trees and tables that the notebook shows, and
views of a program that are made where the program lives.  So what the notebooks and the rest of the
course take from such a module is followed by its text, and everything else is left out.
"""

import ast
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from tools.distribution import PACKAGES, ROOT, SOLUTION_FILES, TEACHER_LESSONS
from tools.marking.slicing import bound_names, read_names, slice_groups
from tools.marking.submission_code import notebook_statements

STUDENT_SIDE_FILES = ("__init__.py", "codec.py", "rpc_server.py")  # of this folder
DATA_FOLDERS = ("agents", "studies")  # of the notebooks' folder
EXCLUDED_NAMES = (*SOLUTION_FILES, *TEACHER_LESSONS, "__pycache__")
LESSONS_FOLDER = "course/lessons"
CHECK_PREFIX = "check"  # how the names of modules of checks, and of checks, begin
# Behind what is kept of a module: a cell of a student may call a check inside a function.
STAND_IN = '''

def __getattr__(name: str):
    """Return what stands for a check, which says nothing here."""
    if name.startswith("check_"):
        return lambda *arguments, **options: None
    raise AttributeError(f"{name!r} of this module is not there while a notebook is marked")
'''

Wanted = dict[str, set[str]]  # a module of checks -> the names that others take from it


def write_packages(folder: Path, notebook: str = "") -> Path:
    """Return the folder after the packages were written into it.

    For a notebook the programs of lessons that it does not need are left out, since a program of
    one lesson, even a wrong one, may answer an exercise of another.
    """
    ignored = shutil.ignore_patterns(*EXCLUDED_NAMES)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=ignored, dirs_exist_ok=True)
    own = folder / "tools" / "marking"
    own.mkdir(parents=True, exist_ok=True)
    for name in STUDENT_SIDE_FILES:
        shutil.copy(Path(__file__).parent / name, own)
    for name in DATA_FOLDERS:
        shutil.copytree(ROOT / "notebooks" / name, folder / "notebooks" / name, dirs_exist_ok=True)
    for path in _other_lessons(notebook) if notebook else ():
        (folder / path.relative_to(ROOT)).unlink(missing_ok=True)
    for module, text in modules_without_checks().items():
        if not (folder / f"{module.replace('.', '/')}.py").exists():
            continue
        (folder / f"{module.replace('.', '/')}.py").write_text(text, encoding="utf-8")
    return folder


def modules_without_checks() -> dict[str, str]:
    """Return for each module of checks the text that a student's process has instead."""
    modules = {_module_name(path): _statements(path) for path in _check_files()}
    kept: dict[str, list[ast.stmt]] = {name: [] for name in modules}
    wanted, size = _wanted_from_outside(modules), -1
    while size != (size := sum(map(len, wanted.values()))):  # they take names from each other
        for name, nodes in modules.items():
            (kept[name],) = slice_groups([nodes], wanted[name])
            for other, names in _taken_names(kept[name], modules).items():
                wanted[other] |= names
    return {name: _text([*_future_imports(modules[name]), *kept[name]]) for name in modules}


def _future_imports(nodes: list[ast.stmt]) -> list[ast.stmt]:
    return [
        node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]


def _text(nodes: list[ast.stmt]) -> str:
    return ast.unparse(ast.Module(nodes, [])) + STAND_IN


def _other_lessons(notebook: str) -> list[Path]:
    """Return the modules of lessons that neither a notebook nor the rest of the course needs."""
    files = {_module_name(path): path for path in sorted(ROOT.glob("course/**/*.py"))}
    lessons = {name for name in files if name.startswith("course.lessons.")}
    wanted = notebook_statements(ROOT / "notebooks" / f"{notebook}.ipynb")
    needed: set[str] = set()
    found = _imported_modules(wanted) | {
        module
        for name in files.keys() - lessons
        for module in _imported_modules(_statements(files[name]))
    }
    while new := (found & lessons) - needed:
        needed |= new
        found = {module for name in new for module in _imported_modules(_statements(files[name]))}
    return [files[name] for name in lessons - needed if not name.endswith("__init__")]


def _imported_modules(nodes: list[ast.stmt]) -> set[str]:
    """Return the names of all that some statements import, which may be modules."""
    parts = [part for node in nodes for part in ast.walk(node)]
    plain = {alias.name for part in parts if isinstance(part, ast.Import) for alias in part.names}
    names = {each for part in parts for each in _imported_names(part)}
    return plain | {module for module, _, _ in names} | {f"{m}.{name}" for m, name, _ in names}


def _check_files() -> list[Path]:
    lessons = ROOT / LESSONS_FOLDER
    return sorted(
        path
        for path in lessons.glob(f"*/{CHECK_PREFIX}*.py")
        if path.parent.name not in TEACHER_LESSONS
    )


def _module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def _statements(path: Path) -> list[ast.stmt]:
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
        _statements(path)
        for path in files
        if _module_name(path) not in modules and not {*path.parts} & {*TEACHER_LESSONS}
    ]
    for nodes in (*notebooks, *others):
        for name, names in _taken_names(nodes, modules).items():
            kept = {each for each in names if not each.startswith(f"{CHECK_PREFIX}_")}
            wanted[name] |= kept - answers[name]
    return wanted


def _view_names(nodes: list[ast.stmt]) -> set[str]:
    """Return the names of the views that some statements name."""
    calls = [part for node in nodes for part in ast.walk(node) if isinstance(part, ast.Call)]
    first = [call.args[0] for call in calls if call.args and ast.unparse(call.func) == "apply_view"]
    given = [each.value for call in calls for each in call.keywords if each.arg == "view"]
    return {node.id for node in (*first, *given) if isinstance(node, ast.Name)}


def _answer_names(nodes: list[ast.stmt]) -> set[str]:
    """Return the names by which some statements say what is expected: `Case(arguments, expected)`.

    A notebook may show such a program, too; but a program that only calls it is not an answer.
    """
    parts = [part for node in nodes for part in ast.walk(node)]
    cases = [
        part for part in parts if isinstance(part, ast.Call) and ast.unparse(part.func) == "Case"
    ]
    return {name for case in cases for node in case.args[1:2] for name in read_names(node)}


def _taken_names(nodes: list[ast.stmt], modules: dict[str, list[ast.stmt]]) -> Wanted:
    """Return the names that some statements take from modules of checks."""
    parts = [part for node in nodes for part in ast.walk(node)]
    taken: Wanted = {name: set() for name in modules}
    aliases: dict[str, str] = {}  # the name by which a module is known here -> the module
    for part in parts:
        for module, name, known_as in _imported_names(part):
            if module in modules:
                taken[module].add(name)
            elif f"{module}.{name}" in modules:
                aliases[known_as] = f"{module}.{name}"
    for part in parts:
        match part:
            case ast.Attribute(value=ast.Name(id=known_as), attr=name) if known_as in aliases:
                taken[aliases[known_as]].add(name)
    own = {name: {each for node in modules[name] for each in bound_names(node)} for name in taken}
    return {name: names & own[name] for name, names in taken.items()}


def _imported_names(node: ast.AST) -> Iterator[tuple[str, str, str]]:
    """Yield (module, name, known as) of an import."""
    if isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            yield node.module, alias.name, alias.asname or alias.name


def version() -> str:
    """Return a digest of everything that a mark depends on, except for the submission and seed."""
    digest = sha256()
    folders = [ROOT / name for name in (*PACKAGES, "tools/marking", "notebooks")]
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if path.suffix in (".py", ".toml", ".ipynb"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
