"""Pyodide's list of packages, `pyodide-lock.json`: what it needs, and what is entered in it."""

import hashlib
import json
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

LOCK = "pyodide-lock.json"
Packages = dict[str, dict[str, Any]]


def read(folder: Path) -> dict[str, Any]:
    """Return the lock of a folder with Pyodide."""
    found: dict[str, Any] = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    return found


def write(folder: Path, lock: dict[str, Any]) -> None:
    """Write the lock of a folder with Pyodide."""
    (folder / LOCK).write_text(json.dumps(lock, sort_keys=True), encoding="utf-8")


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def key(name: str) -> str:
    """Return a package's name as a lock spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(packages: Packages, roots: Iterable[str]) -> list[str]:
    """Return the names of these packages and of all that they need, in order of the alphabet."""
    found: set[str] = set()
    new = {key(root) for root in roots}
    while new:
        found |= new
        new = {key(need) for name in new for need in packages[name]["depends"]} - found
    return sorted(found)


def modules(wheel: Path) -> list[str]:
    """Return the names that a wheel lets one import."""
    with zipfile.ZipFile(wheel) as file:
        first = {name.split("/")[0] for name in file.namelist() if name.endswith(".py")}
    return sorted(name.removesuffix(".py") for name in first if "." not in name.removesuffix(".py"))


def enter(packages: Packages, wheel: Path, depends: Iterable[str]) -> None:
    """Enter a wheel, in the folder of the lock, so that the import of its modules loads it."""
    name, version = wheel.name.split("-")[:2]
    packages[key(name)] = {
        "name": key(name),
        "version": version,
        "file_name": wheel.name,
        "sha256": sha256(wheel),
        "imports": modules(wheel),
        "depends": [key(need) for need in depends],
        "install_dir": "site",
        "package_type": "package",
        "unvendored_tests": False,
    }
