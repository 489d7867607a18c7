"""Build JupyterLite with the course: notebooks that run in a browser tab, without a server."""

import hashlib
import json
import shutil
import subprocess
import tempfile
import venv
import zipfile
from pathlib import Path
from typing import Any

from tools import coursework
from tools.site import downloads, pyodide_lock, python_image

ISOLATED = "-I"  # ignores PYTHONPATH, because other users of the cache do not have these folders
KERNEL_EXTENSION = "@jupyterlite/pyodide-kernel-extension"
WIDGETS_EXTENSION = "@jupyter-widgets/jupyterlab-manager"
ON_DEMAND = ("numpy", "matplotlib")
# What is loaded while the page appears, all at once, so that the first cell waits for nothing.
# numpy and matplotlib are not: they are two thirds of all bytes, and few cells ask for them.
LOADED_AT_START = ("micropip", "piplite", "ipykernel", "comm", "ipython")
LOADED_AT_START += ("pyodide-kernel", "pyodide_kernel")  # one package; kernels spell it differently
LOADED_AT_START += (*downloads.KERNEL_REQUESTS, "kernel-startup", "adversarial-search-course")
PAGE_MEGABYTES = 8  # JupyterLite itself, measured
AUTOSAVE_SECONDS = 10  # a student closes the page and is gone
SETTINGS: dict[str, dict[str, Any]] = {
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": AUTOSAVE_SECONDS},
    "@jupyterlab/apputils-extension:notification": {
        "checkForUpdates": False,
        "fetchNews": "false",
        "doNotDisturbMode": True,
    },
    # Students download their notebook to submit it; this version's menu lacks the command.
    "@jupyterlab/mainmenu-extension:plugin": {
        "menus": [{"id": "jp-mainmenu-file", "items": [{"command": "docmanager:download"}]}]
    },
}
# The apps that the course needs; others would request files from other hosts.
APPS = ("notebooks", "lab", "tree", "edit")
STRIP_SCRIPT = Path(__file__).parent / "notebook_strip.js"
PROGRESS_SCRIPT = Path(__file__).parent / "load_progress.js"
FETCH_SCRIPT = Path(__file__).parent / "fetch_again.js"  # both begin with it


def build(pyodide: Path, wheel: Path, out: Path) -> int:
    """Write JupyterLite, with Pyodide, the course's wheel and the notebooks, to a folder.

    Returns the number of megabytes that a browser loads before the first result.
    """
    python = jupyterlite_python()
    with tempfile.TemporaryDirectory() as place:
        stage = Path(place)
        (stage / "static").mkdir()
        shutil.copytree(pyodide, stage / "static" / "pyodide")
        notebooks = coursework.select_notebooks([], stage)
        add_wheels(stage / "static" / "pyodide", python, wheel)
        image = python_image.write(
            downloads.node_command(),
            stage / "static" / "pyodide",
            LOADED_AT_START,
            python_image.imports_of(notebooks, without=ON_DEMAND),
            downloads.PYTHON_VERSION,
        )
        # The same copies as `make lab`: without outputs, and with folded answers.
        coursework.write_workspace(notebooks, stage / "contents", {}, outputs=False)
        (stage / "jupyter-lite.json").write_text(json.dumps(settings()), encoding="utf-8")
        (stage / "overrides.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
        run_build(python, stage, out)
        megabytes = round(PAGE_MEGABYTES + size_at_start(image) / 1e6)
    add_strip(out, megabytes, {kind: file.name for kind, file in image.items()})
    return megabytes


def add_strip(out: Path, megabytes: int, image: dict[str, str]) -> None:
    """Add a strip to each notebook, with a link back and the loading progress of Python.

    The strip is in notebook_strip.js.  ValueError if the kernel has its worker in another file.
    """
    extension = out / "extensions" / KERNEL_EXTENSION / "static"
    programs = {path: path.read_text("utf-8") for path in extension.glob("*.js")}
    workers = {path: text for path, text in programs.items() if "importScripts(" in text}
    # One worker is for pages that are isolated from other hosts by headers that few servers send.
    plain = [path for path, text in workers.items() if "SharedArrayBuffer" not in text]
    if len(plain) != 1:
        raise ValueError(f"one file of the kernel must be its worker; found {len(plain)}")
    fetch = FETCH_SCRIPT.read_text("utf-8")
    facts = f"const PACKAGES = {json.dumps(LOADED_AT_START)}, IMAGE = {json.dumps(image)};\n"
    begin = facts + fetch + PROGRESS_SCRIPT.read_text("utf-8")
    for path, text in workers.items():
        path.write_text(begin + text, encoding="utf-8")
    strip = fetch + STRIP_SCRIPT.read_text("utf-8")
    name = f"notebook-strip-{hashlib.sha256(strip.encode()).hexdigest()[:8]}.js"
    (out / name).write_text(strip, encoding="utf-8")
    widgets = sorted((out / "extensions" / WIDGETS_EXTENSION / "static").glob("[0-9]*.js"))
    # JupyterLab asks for NUMBER.HASH.js?v=HASH.
    later = " ".join(f"{path.relative_to(out)}?v={path.name.split('.')[1]}" for path in widgets)
    facts = f'data-megabytes="{megabytes}" data-worker="{plain[0].relative_to(out)}"'
    facts += f' data-later="{later}"'
    for page in (out / "notebooks" / "index.html", out / "lab" / "index.html"):
        # Before the page's own programs, so that it sees which of them a policy refuses.
        script = f'<head>\n    <script src="../{name}" {facts}></script>'
        page.write_text(page.read_text("utf-8").replace("<head>", script), encoding="utf-8")


def size_at_start(image: dict[str, Path]) -> int:
    """Return the number of bytes of Pyodide that a browser loads before the first cell runs."""
    names = {
        name for name in downloads.CORE_FILES if name.startswith(("pyodide.asm", "python_stdlib"))
    }
    core = [image["files"].with_name(name) for name in names]
    loaded = [image["files"], image["suspending"], *core]
    return sum(file.stat().st_size for file in loaded if file.exists())


def run_build(python: Path, stage: Path, out: Path) -> None:
    """Build JupyterLite from a folder; RuntimeError with its messages if the build fails."""
    places = {"--lite-dir": stage, "--contents": stage / "contents", "--output-dir": out.resolve()}
    folders = [text for option, place in places.items() for text in (option, str(place))]
    apps = [option for app in APPS for option in ("--apps", app)]
    build = [str(python), ISOLATED, "-m", "jupyterlite_core", "build", "--no-sourcemaps"]
    done = subprocess.run([*build, *folders, *apps], cwd=stage, text=True, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}")


def jupyterlite_python() -> Path:
    """Return the Python of a separate environment that contains JupyterLite and the widgets."""

    def install(folder: Path) -> None:
        venv.create(folder, with_pip=True)
        pip = [str(folder / "bin" / "python"), ISOLATED, "-m", "pip", "install", "--quiet"]
        needs = [
            f"jupyterlite-core[contents]=={downloads.JUPYTERLITE_VERSION}",
            f"jupyterlite-pyodide-kernel=={downloads.KERNEL_VERSION}",
            f"jupyterlab_widgets=={downloads.WIDGETS_VERSION}",
        ]
        subprocess.run([*pip, "--disable-pip-version-check", *needs], check=True)

    versions = (downloads.JUPYTERLITE_VERSION, downloads.KERNEL_VERSION, downloads.WIDGETS_VERSION)
    name = "-".join(["jupyterlite", *versions])
    return downloads.build_once(downloads.CACHE / name, install) / "bin" / "python"


def add_wheels(pyodide: Path, python: Path, wheel: Path) -> None:
    """Add the course and the kernel's own packages to Pyodide's lock, so that imports load them."""
    found = pyodide_lock.read(pyodide)
    packages = found["packages"]
    extension = python.parents[1] / "share" / "jupyter" / "labextensions" / KERNEL_EXTENSION
    for kernel in sorted((extension / "static" / "pypi").glob("*.whl")):
        if not kernel.name.startswith("widgetsnbextension"):
            pyodide_lock.add_package(packages, Path(shutil.copy(kernel, pyodide)), ())
    ours = [Path(shutil.copy(wheel, pyodide)), kernel_startup_wheel(packages, pyodide)]
    course, start = pyodide_lock.compile_wheels(
        downloads.node_command(), pyodide, ours, sources=True
    )
    pyodide_lock.add_package(packages, course, ("ipywidgets",))
    pyodide_lock.add_package(packages, start, ("ipython",))
    for name in {*downloads.KERNEL_REQUESTS} - {*packages}:
        pyodide_lock.add_package(packages, write_wheel(pyodide, name, {}), ())
    pyodide_lock.write(pyodide, found)


def kernel_startup_wheel(packages: pyodide_lock.Packages, folder: Path) -> Path:
    """Write a wheel with kernel_startup.py, which a kernel runs first, and return its path."""
    needs = {
        name: [
            (need, packages[need]["file_name"])
            for need in pyodide_lock.with_dependencies(packages, [name])
        ]
        for name in ON_DEMAND
        if name in packages
    }
    start = Path(__file__).parent / "kernel_startup.py"
    config = 'get_config().InteractiveShellApp.extensions = ["kernel_startup"]\n'
    files = {
        "kernel_startup.py": start.read_text(encoding="utf-8"),
        "kernel_startup.json": json.dumps(needs),
        "kernel_startup-1.data/data/etc/ipython/ipython_config.py": config,
    }
    return write_wheel(folder, "kernel_startup", files)


def write_wheel(folder: Path, name: str, files: dict[str, str]) -> Path:
    """Write a wheel with these files to a folder, and return its path."""
    about = f"{name}-1.dist-info"
    files |= {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{file},,\n" for file in files)
    path = folder / f"{name}-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in files.items():
            wheel.writestr(file, text)
    return path


def settings() -> dict[str, Any]:
    """Return the settings of JupyterLite for this site."""
    kernel = {
        "disablePyPIFallback": True,  # the site requests nothing from other hosts
        "loadPyodideOptions": {"packages": LOADED_AT_START},
    }
    return {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "Adversarial game search",
            "exposeAppInBrowser": True,  # the strip and the tests run its commands
            # A page that was open once opens without a network.
            "enableServiceWorkerCache": True,
            "litePluginSettings": {f"{KERNEL_EXTENSION}:kernel": kernel},
        },
    }
