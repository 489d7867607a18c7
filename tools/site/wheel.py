"""The course as one wheel; that of the site has its searches as WebAssembly."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tools.site import kernels, sources

ROOT = Path(__file__).parents[2]
PACKAGES = ("gamelib", "gamefast", "arena", "course")
FILES = ("pyproject.toml", "README.md", "LICENSE")


def build(
    folder: Path, *, change: Callable[[Path], None] | None = None, machine_code: bool = True
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
        if machine_code:
            shutil.copy(kernels.build(sources.CACHE), copy / kernels.PLACE)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--wheel-dir", folder, copy], check=True)
    (wheel,) = folder.glob("adversarial_search_course-*.whl")
    return wheel
