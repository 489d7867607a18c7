"""Check that this Python can show widgets, and shorten tracebacks of the course's own errors."""

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import Any

# Each of these lets a page show widgets: JupyterLab and Notebook 7, older notebooks, Voila.
MANAGERS = ("jupyterlab_widgets", "widgetsnbextension", "voila")
# A browser without a server, VS Code and Colab have their own widget manager.
OTHERS = (sys.platform == "emscripten", "VSCODE_PID" in os.environ, "google.colab" in sys.modules)
PACKAGES = {"arena", "course", "gamefast", "gamelib"}
MISSING_MESSAGE = """\
Boards and labs will not be shown: {} is missing. Do this:
1. Run this line in a new cell:  %pip install {}
2. Close JupyterLab, and start it again."""


def check_setup() -> None:
    """Print what to install if boards cannot be shown; print nothing if all seems installed."""
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
    """Leave the course's own lines out of IPython's traceback of a ValueError or TypeError.

    The message of such an error says what to do, and lines of the course do not help a student.
    """
    shell.set_custom_exc((ValueError, TypeError), _show_short)


def _show_short(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """Show an error with only the lines of the notebook and of other packages."""
    outside = []
    while trace:
        if trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] not in PACKAGES:
            outside.append(trace)
        trace = trace.tb_next
    for part in reversed(outside):
        trace = TracebackType(trace, part.tb_frame, part.tb_lasti, part.tb_lineno)
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
