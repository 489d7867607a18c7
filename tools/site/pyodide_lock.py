"""Read and write Pyodide's list of packages, `pyodide-lock.json`, and compile its wheels."""

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
    """Return the name of a package as the lock spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def with_dependencies(packages: Packages, roots: Iterable[str]) -> list[str]:
    """Return the sorted names of these packages and of all their dependencies."""
    found: set[str] = set()
    new = {normalized_name(root) for root in roots}
    while new:
        found |= new
        new = {normalized_name(need) for name in new for need in packages[name]["depends"]} - found
    return sorted(found)


def modules(wheel: Path) -> list[str]:
    """Return the names of the modules and packages in a wheel."""
    with zipfile.ZipFile(wheel) as file:
        first = {name.split("/")[0] for name in file.namelist() if name.endswith(".py")}
    return sorted(name.removesuffix(".py") for name in first if "." not in name.removesuffix(".py"))


def add_package(packages: Packages, wheel: Path, depends: Iterable[str]) -> None:
    """Add a wheel in the folder of the lock, so that importing its modules loads it."""
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
    """Replace wheels by wheels with bytecode, and return the new files.

    A browser tab then compiles nothing, so it starts sooner.  Pyodide's own Python writes the
    bytecode, in Node.js, because it is the Python that will read it.

    sources  whether to keep the sources; without them, tracebacks show no lines
    """
    with tempfile.TemporaryDirectory() as folder:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(Path(folder) / wheel.stem)
        program = [*node, str(COMPILE_SCRIPT), str(pyodide), folder, str(not sources)]
        subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
        return [_pack_wheel(Path(folder) / wheel.stem, wheel, sources) for wheel in wheels]


def _pack_wheel(folder: Path, wheel: Path, sources: bool) -> Path:
    """Write a wheel again from its unpacked folder, and return its new path."""
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            if file.suffix == ".py" and file.with_suffix(".pyc").exists():
                continue  # its bytecode replaces it
            name = file.relative_to(folder)
            if not sources and "tests" in name.parts:
                continue
            entry = zipfile.ZipInfo(str(name))  # without a date, every build has the same bytes
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
    # The name depends on the content, because a browser may have cached the file of an older site.
    name, version, tags = wheel.name.split("-", 2)
    return wheel.rename(wheel.with_name(f"{name}-{version}-0{sha256(wheel)[:8]}-{tags}"))
