"""The packages that a student's process may see: the course without its reference programs.

Of each lesson's checks that is left what its notebook uses besides the checks themselves.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

from tools.marking.sliced import binds, needed

ROOT = Path(__file__).parents[2]
FOLDERS = ("gamelib", "arena", "course")
RUN_THERE = ("__init__.py", "codec.py", "pupil.py")  # of this folder
DATA = ("agents", "studies")  # of the notebooks' folder
# What is used of the checks outside of the notebooks.
ALSO = {"mcts": {"PathNode", "TreeNode"}, "experiments": {"Plan", "UnfairPlanError"}}
LEFT_OUT = ("mistakes.toml", "cuts.py", "reference.py", "variants", "__pycache__")
HINTS = ("title", "points", "check", "blank", "question", "place", "line")
NO_CHECKS = """

def __getattr__(name):
    if name.startswith("check_"):
        return lambda *arguments, **options: None
    raise AttributeError(name)
"""


def make(folder: Path) -> Path:
    """Return the folder after the packages were written into it."""
    ignored = shutil.ignore_patterns(*LEFT_OUT)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=ignored, dirs_exist_ok=True)
    for check in sorted((folder / "course" / "lessons").glob("*/check.py")):
        lesson = check.parent.name
        source = check.read_text(encoding="utf-8")
        check.write_text(without_checks(source, _used(lesson)), encoding="utf-8")
    for hints in (folder / "course" / "lessons").glob("*/hints.toml"):
        hints.write_text(_without_answers(hints.read_text(encoding="utf-8")), encoding="utf-8")
    own = folder / "tools" / "marking"
    own.mkdir(parents=True, exist_ok=True)
    for name in RUN_THERE:
        shutil.copy(Path(__file__).parent / name, own)
    for name in DATA:
        shutil.copytree(ROOT / "notebooks" / name, folder / "notebooks" / name, dirs_exist_ok=True)
    return folder


def version() -> str:
    """Return a digest of all that a mark depends on but for the hand-in and the seed."""
    digest = sha256()
    folders = [ROOT / name for name in (*FOLDERS, "tools/marking", "notebooks")]
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if path.suffix in (".py", ".toml", ".ipynb"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def without_checks(source: str, wanted: set[str]) -> str:
    """Return the part of a lesson's checks that defines the wanted names."""
    body = ast.parse(source).body
    (kept,) = needed([[node for node in body if "annotations" not in binds(node)]], wanted)
    lines = ["from __future__ import annotations", *map(ast.unparse, kept)]
    return "\n".join(lines) + NO_CHECKS


def _used(lesson: str) -> set[str]:
    """Return what the notebook of a lesson uses of its checks, the checks left out."""
    (path,) = (ROOT / "notebooks").glob(f"*_{lesson}.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    names = set(re.findall(r"\bexercises\.(\w+)", code))
    return {name for name in names if not name.startswith("check_")} | ALSO.get(lesson, set())


def _without_answers(hints: str) -> str:
    """Return the file of a lesson's hints without its solutions."""
    lines = []
    for exercise, table in tomllib.loads(hints).items():
        told: dict[str, Any] = {name: table[name] for name in HINTS if name in table}
        lines.append(f"[{exercise}]")
        lines += [f"{name} = {json.dumps(value)}" for name, value in told.items()]
    return "\n".join(lines) + "\n"
