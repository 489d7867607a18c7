"""The course as one wheel; that of the site has a library with its searches, as WebAssembly."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("gamelib", "gamefast", "arena", "course")
LIBRARY = "gamefast/kernels.so"  # its place
FILES = ("pyproject.toml", "README.md", "LICENSE")


def build(
    folder: Path, *, change: Callable[[Path], None] | None = None, library: Path | None = None
) -> Path:
    """Return the wheel, written into a folder; of a copy that is changed first, if need be."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place)  # setuptools leaves things behind, and takes up what it left
        for package in PACKAGES:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / package, copy / package, ignore=ignored)
        for file in FILES:
            shutil.copy(ROOT / file, copy)
        if change:
            change(copy)
        if library:
            shutil.copy(library, copy / LIBRARY)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--wheel-dir", folder, copy], check=True)
    (wheel,) = folder.glob("adversarial_search_course-*.whl")
    return wheel
