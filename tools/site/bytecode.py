"""Wheels with bytecode in them: a browser tab then compiles nothing, and begins sooner.

It is made by the Python that will read it, Pyodide's own, in Node.js.
"""

import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from tools.site import lock

COMPILE = Path(__file__).with_suffix(".mjs")


def add(node: Sequence[str], pyodide: Path, wheels: Sequence[Path], *, sources: bool) -> list[Path]:
    """Return wheels with bytecode, in the place of those given, which are removed.

    sources  whether sources stay; without them a traceback shows no lines
    """
    with tempfile.TemporaryDirectory() as room:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(Path(room) / wheel.stem)
        program = [*node, str(COMPILE), str(pyodide), room, str(not sources)]
        subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
        return [_packed(Path(room) / wheel.stem, wheel, sources) for wheel in wheels]


def _packed(folder: Path, wheel: Path, sources: bool) -> Path:
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
    return wheel.rename(wheel.with_name(f"{name}-{version}-0{lock.sha256(wheel)[:8]}-{tags}"))
