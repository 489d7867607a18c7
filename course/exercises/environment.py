"""Whether this Python can show the boards and labs of the notebooks, and how it shows errors."""

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import Any

# Each makes pages show widgets: JupyterLab and Notebook 7, older notebooks, Voila.
MANAGERS = ("jupyterlab_widgets", "widgetsnbextension", "voila")
# A browser without a server, VS Code and Colab bring a manager of their own.
OTHERS = (sys.platform == "emscripten", "VSCODE_PID" in os.environ, "google.colab" in sys.modules)
PACKAGES = {"arena", "course", "gamefast", "gamelib"}
MISSING_MESSAGE = """\
Boards and labs will not be shown: {} is missing. Do this:
1. Run this line in a new cell:  %pip install {}
2. Close JupyterLab, and start it again."""


def check_setup() -> None:
    """Print what to install where no board can be shown; nothing where all seems to be there."""
    if not is_installed("ipywidgets"):
        print(MISSING_MESSAGE.format(*["ipywidgets"] * 2))
    elif not any(OTHERS) and not any(map(is_installed, MANAGERS)):
        print(MISSING_MESSAGE.format(*[MANAGERS[0]] * 2))


def is_installed(package: str) -> bool:
    """Return whether this Python has a package."""
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


def short_tracebacks(shell: Any) -> None:
    """Let IPython leave the course's own lines out of the traceback of a ValueError or TypeError.

    What the course refuses it refuses in words; where in the course that was helps nobody.
    """
    shell.set_custom_exc((ValueError, TypeError), _show_short)


def _show_short(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """Show an error with the lines of the notebook and of other packages only."""
    theirs = []
    while trace:
        if trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] not in PACKAGES:
            theirs.append(trace)
        trace = trace.tb_next
    for each in reversed(theirs):
        trace = TracebackType(trace, each.tb_frame, each.tb_lasti, each.tb_lineno)
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
