"""An extension of IPython that a kernel in a browser tab loads first.

Before a cell with `import numpy` runs, the kernel loads numpy.  It does not see imports inside the
functions of the course.  Loading numpy for all cells would cost every student two thirds of all
bytes.  But a web worker can wait for a file, so the finder in this module loads packages when a
function imports them.
"""

import importlib
import io
import json
import logging
import random
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
MAX_CALLS = 5000
_set_recursion_limit = sys.setrecursionlimit


class OnDemandFinder:
    """A finder for modules that the site has but that are not loaded yet."""

    def __init__(self) -> None:
        """Read the (package, file) pairs that each module needs."""
        self.files_by_module: dict[str, list[tuple[str, str]]] = json.loads(
            HERE.with_suffix(".json").read_text(encoding="utf-8")
        )

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Load the packages of a module, and return its spec; None for other modules."""
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
        """Download a wheel, and unpack it into a folder of `sys.path`."""
        site, _, _ = js.location.href.partition("/extensions/")
        request = js.XMLHttpRequest.new()
        request.open("GET", f"{site}/static/pyodide/{file}", False)
        request.responseType = "arraybuffer"
        try:
            request.send()
            status = request.status
        except Exception:
            status = 0  # without a network, the browser raises an error
        if status != 200:
            # `from None`, so that the last line of the traceback is this sentence
            words = f"{file} could not be loaded: is this page still connected?"
            raise ImportError(words) from None
        with zipfile.ZipFile(io.BytesIO(request.response.to_bytes())) as wheel:
            wheel.extractall(HERE.parent)


def load_ipython_extension(shell: Any) -> None:
    """Install the finder; IPython calls this function."""
    sys.meta_path.append(OnDemandFinder())
    # At each start, Matplotlib would report in red that it builds its list of fonts.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    # Search the student's folder last, because each access is a message to the page and back.
    sys.path.sort(key="".__eq__)
    # Jedi is left out: its 1,800 files would take a third of the start time.
    shell.Completer.use_jedi = False
    sys.setrecursionlimit = limited_recursion


def wake() -> None:
    """Make what every tab has in common its own: the memory with which it began."""
    random.seed()
    sys.path.remove("")  # the first: Pyodide adds one at each start


def limited_recursion(limit: int) -> None:
    """Set the recursion limit, but not above `MAX_CALLS`.

    The traceback of a million calls takes so long that the kernel seems to have died.
    """
    if limit > MAX_CALLS:
        words = f"This page limits nested calls to {MAX_CALLS:,}"
        print(f"{words}, so that a traceback does not seem to stop Python.", file=sys.stderr)
    _set_recursion_limit(min(limit, MAX_CALLS))
