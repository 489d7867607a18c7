"""Whether this Python can show the boards and labs of the notebooks."""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, version

# Each makes pages show widgets: JupyterLab and Notebook 7, older notebooks, Voila.
MANAGERS = ("jupyterlab_widgets", "widgetsnbextension", "voila")
# A browser without a server, VS Code and Colab bring a manager of their own.
OTHERS = (sys.platform == "emscripten", "VSCODE_PID" in os.environ, "google.colab" in sys.modules)
MISSING = """\
Boards and labs will not be shown: {} is missing. Do this:
1. Run this line in a new cell:  %pip install {}
2. Close JupyterLab, and start it again."""


def check_setup() -> None:
    """Print what to install where no board can be shown; nothing where all seems to be there."""
    if not is_installed("ipywidgets"):
        print(MISSING.format(*["ipywidgets"] * 2))
    elif not any(OTHERS) and not any(map(is_installed, MANAGERS)):
        print(MISSING.format(*[MANAGERS[0]] * 2))


def is_installed(package: str) -> bool:
    """Return whether this Python has a package."""
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False
