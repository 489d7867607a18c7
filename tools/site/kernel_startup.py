"""What the kernel of a notebook does first in a browser tab: an extension of IPython.

A cell that says `import numpy` has it loaded by the kernel before it runs. A function of the course
that imports it is seen by nobody in time, and to load it for all cells costs every student two
thirds of all bytes. A worker may ask for a file and wait: so the finder below does.
"""

import importlib
import io
import json
import logging
import sys
import zipfile
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

import js  # type: ignore[import-not-found]  # of Pyodide
import pyodide_js  # type: ignore[import-not-found]

HERE = Path(__file__)


class OnDemandFinder:
    """A finder of modules that the site has and that are not loaded yet."""

    def __init__(self) -> None:
        """Read which files each of the modules needs: a name of a package and of a file each."""
        self.files_by_module: dict[str, list[tuple[str, str]]] = json.loads(
            HERE.with_suffix(".json").read_text(encoding="utf-8")
        )
        self.site, _, _ = js.location.href.partition("/extensions/")

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module is, after its package and all that it needs has been loaded."""
        if name not in self.files_by_module:
            return None
        loaded = pyodide_js.loadedPackages
        for package, file in self.files_by_module.pop(name):
            if not hasattr(loaded, package):
                self.load_wheel(file)
                setattr(loaded, package, "default channel")
        importlib.invalidate_caches()
        return PathFinder.find_spec(name)

    def load_wheel(self, file: str) -> None:
        """Put the content of a wheel where modules are looked for."""
        request = js.XMLHttpRequest.new()
        request.open("GET", f"{self.site}/static/pyodide/{file}", False)
        request.responseType = "arraybuffer"
        request.send()
        if request.status != 200:
            raise ImportError(f"{file} could not be loaded: is this page still connected?")
        with zipfile.ZipFile(io.BytesIO(request.response.to_bytes())) as wheel:
            wheel.extractall(HERE.parent)


def load_ipython_extension(shell: Any) -> None:
    """Begin; called by IPython."""
    sys.meta_path.append(OnDemandFinder())
    # Matplotlib says, in red, that it looks for fonts, as it does at each start here.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    # A student's folder is looked at last: each look is a message to the page and back.
    sys.path.sort(key="".__eq__)
    # Jedi, which is not here, brings 1,800 files, and would take a third of the time of a start.
    shell.Completer.use_jedi = False
