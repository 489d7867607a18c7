"""The packages that a student's process may see: the course without its checks and solutions.

What the notebooks and the rest of the course need of a module of checks stays, and everything else
is left out (see `tools/check_modules.py`).
"""

import ast
import shutil
from functools import cache
from hashlib import sha256
from pathlib import Path

from tools.check_modules import (
    ROOT,
    SOLUTION_FILES,
    TEACHER_LESSONS,
    imported_names,
    module_name,
    module_statements,
    names_lessons,
    needed_statements,
    notebook_statements,
)
from tools.distribution import PACKAGES

STUDENT_SIDE_FILES = ("__init__.py", "codec.py", "rpc_server.py")  # of this folder
DATA_FOLDERS = ("agents", "studies")  # of the notebooks' folder
EXCLUDED_NAMES = (*SOLUTION_FILES, *TEACHER_LESSONS, "__pycache__")
# Behind what is kept of a module: a cell of a student may call a check inside a function.
STAND_IN = '''

def __getattr__(name: str):
    """Return what stands for a check, which says nothing here."""
    if name.startswith("check_"):
        return lambda *arguments, **options: None
    raise AttributeError(f"{name!r} of this module is not there while a notebook is marked")
'''


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
    return {
        name: ast.unparse(ast.Module(nodes, [])) + STAND_IN
        for name, nodes in needed_statements().items()
    }


def _other_lessons(notebook: str) -> list[Path]:
    """Return the modules of lessons that neither a notebook nor the rest of the course needs."""
    files = {module_name(path): path for path in sorted(ROOT.glob("course/**/*.py"))}
    lessons = {name for name in files if name.startswith("course.lessons.")}
    wanted = notebook_statements(ROOT / "notebooks" / f"{notebook}.ipynb")
    needed: set[str] = set()
    found = _imported_modules(wanted) | {
        module for name in files.keys() - lessons for module in _modules_of_file(files[name])
    }
    while new := (found & lessons) - needed:
        needed |= new
        found = {module for name in new for module in _modules_of_file(files[name])}
    return [files[name] for name in lessons - needed if not name.endswith("__init__")]


@cache
def _modules_of_file(path: Path) -> set[str]:
    """Return what a file imports, if that may be of a lesson; it is read once in a process."""
    return _imported_modules(module_statements(path)) if names_lessons(path) else set()


def _imported_modules(nodes: list[ast.stmt]) -> set[str]:
    """Return the names of all that some statements import, which may be modules."""
    parts = [part for node in nodes for part in ast.walk(node)]
    plain = {alias.name for part in parts if isinstance(part, ast.Import) for alias in part.names}
    names = {each for part in parts for each in imported_names(part)}
    return plain | {module for module, _, _ in names} | {f"{m}.{name}" for m, name, _ in names}


def version() -> str:
    """Return a digest of everything that a mark depends on, except for the submission and seed."""
    digest = sha256()
    folders = [ROOT / name for name in (*PACKAGES, "tools/marking", "notebooks")]
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if path.suffix in (".py", ".toml", ".ipynb"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
