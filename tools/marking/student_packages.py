"""Write the packages for a student's process: the course without its solutions."""

import shutil
from hashlib import sha256
from pathlib import Path

from tools.distribution import PACKAGES, ROOT, SOLUTION_FILES, TEACHER_LESSONS

STUDENT_SIDE_FILES = ("__init__.py", "codec.py", "rpc_server.py")  # of this folder
DATA_FOLDERS = ("agents", "studies")  # of the notebooks' folder
EXCLUDED_NAMES = (*SOLUTION_FILES, *TEACHER_LESSONS, "__pycache__")


def write_packages(folder: Path) -> Path:
    """Write the packages to a folder, and return it."""
    ignored = shutil.ignore_patterns(*EXCLUDED_NAMES)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=ignored, dirs_exist_ok=True)
    own = folder / "tools" / "marking"
    own.mkdir(parents=True, exist_ok=True)
    for name in STUDENT_SIDE_FILES:
        shutil.copy(Path(__file__).parent / name, own)
    for name in DATA_FOLDERS:
        shutil.copytree(ROOT / "notebooks" / name, folder / "notebooks" / name, dirs_exist_ok=True)
    return folder


def version() -> str:
    """Return a digest of everything that a mark depends on, except for the submission and seed."""
    digest = sha256()
    folders = [ROOT / name for name in (*PACKAGES, "tools/marking", "notebooks")]
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if path.suffix in (".py", ".toml", ".ipynb"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
