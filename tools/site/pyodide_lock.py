"""Pyodide's list of packages, `pyodide-lock.json`: what it needs, what is entered, and wheels."""

import hashlib
import json
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

LOCK_FILE = "pyodide-lock.json"
COMPILE_SCRIPT = Path(__file__).with_name("bytecode.mjs")
Packages = dict[str, dict[str, Any]]


def read(folder: Path) -> dict[str, Any]:
    """Return the lock of a folder with Pyodide."""
    found: dict[str, Any] = json.loads((folder / LOCK_FILE).read_text(encoding="utf-8"))
    return found


def write(folder: Path, lock: dict[str, Any]) -> None:
    """Write the lock of a folder with Pyodide."""
    (folder / LOCK_FILE).write_text(json.dumps(lock, sort_keys=True), encoding="utf-8")


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def normalized_name(name: str) -> str:
    """Return a package's name as a lock spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def with_dependencies(packages: Packages, roots: Iterable[str]) -> list[str]:
    """Return the names of these packages and of all that they need, in order of the alphabet."""
    found: set[str] = set()
    new = {normalized_name(root) for root in roots}
    while new:
        found |= new
        new = {normalized_name(need) for name in new for need in packages[name]["depends"]} - found
    return sorted(found)


def modules(wheel: Path) -> list[str]:
    """Return the names that a wheel lets one import."""
    with zipfile.ZipFile(wheel) as file:
        first = {name.split("/")[0] for name in file.namelist() if name.endswith(".py")}
    return sorted(name.removesuffix(".py") for name in first if "." not in name.removesuffix(".py"))


def add_package(packages: Packages, wheel: Path, depends: Iterable[str]) -> None:
    """Enter a wheel, in the folder of the lock, so that the import of its modules loads it."""
    name, version = wheel.name.split("-")[:2]
    packages[normalized_name(name)] = {
        "name": normalized_name(name),
        "version": version,
        "file_name": wheel.name,
        "sha256": sha256(wheel),
        "imports": modules(wheel),
        "depends": [normalized_name(need) for need in depends],
        "install_dir": "site",
        "package_type": "package",
        "unvendored_tests": False,
    }


def compile_wheels(
    node: Sequence[str], pyodide: Path, wheels: Sequence[Path], *, sources: bool
) -> list[Path]:
    """Return wheels with bytecode, in the place of those given, which are removed.

    A browser tab then compiles nothing, and begins sooner.  It is made by the Python that will read
    it, Pyodide's own, in Node.js.

    sources  whether sources stay; without them a traceback shows no lines
    """
    with tempfile.TemporaryDirectory() as room:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(Path(room) / wheel.stem)
        program = [*node, str(COMPILE_SCRIPT), str(pyodide), room, str(not sources)]
        subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
        return [_pack_wheel(Path(room) / wheel.stem, wheel, sources) for wheel in wheels]


def _pack_wheel(folder: Path, wheel: Path, sources: bool) -> Path:
    """Write a wheel anew from its folder, and return it."""
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            if file.suffix == ".py" and file.with_suffix(".pyc").exists():
                continue  # its bytecode stands in its place
            name = file.relative_to(folder)
            if not sources and "tests" in name.parts:
                continue
            entry = zipfile.ZipInfo(str(name))  # of no date: the same bytes in every build
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
    # Named by its content: a browser may have kept the one of an older site.
    name, version, tags = wheel.name.split("-", 2)
    return wheel.rename(wheel.with_name(f"{name}-{version}-0{sha256(wheel)[:8]}-{tags}"))
