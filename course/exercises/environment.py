"""Check that this Python can show widgets, and shorten tracebacks of the course's own errors."""

import builtins
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
# The state of the smallest model of ipywidgets, for which every front end with widgets has code.
PROBE_STATE = {
    "_model_module": "@jupyter-widgets/base", "_model_module_version": "2.0.0",
    "_model_name": "LayoutModel", "_view_module": "@jupyter-widgets/base",
    "_view_module_version": "2.0.0", "_view_name": "LayoutView",
}  # fmt: skip
PROTOCOL = {"version": "2.1.0"}  # of the messages of ipywidgets 8
CANNOT_SHOW_MESSAGE = """\
Boards and labs will not be shown: this page has no extension for widgets. Do this:
1. Find the Python of JupyterLab itself, which may be another one than that of this notebook.
   A terminal of JupyterLab prints it:  jupyter troubleshoot
   (the line below sys.executable)
2. Install the package there:  python -m pip install jupyterlab_widgets
   On a hub, ask its administrator to do so.
3. Restart JupyterLab, and reload this page."""
MISSING_MESSAGE = """\
Boards and labs will not be shown: {} is missing. Do this:
1. Run this line in a new cell:  %pip install {}
2. Close JupyterLab, and start it again."""


def check_setup() -> None:
    """Print what to install if boards cannot be shown; print nothing if they can."""
    if not is_installed("ipywidgets"):
        print(MISSING_MESSAGE.format(*["ipywidgets"] * 2))
    elif not any(OTHERS) and not any(map(is_installed, MANAGERS)):
        print(MISSING_MESSAGE.format(*[MANAGERS[0]] * 2))
    else:
        _ask_page(getattr(builtins, "get_ipython", lambda: None)())


def _ask_page(shell: Any) -> None:
    """Let the cell show what to install if the page closes a widget because it knows none.

    The packages of this Python do not say what the server has, which may run another Python.
    Programs that run notebooks without a page, such as nbclient, do not name the cell.
    """
    message = shell.get_parent() if hasattr(shell, "get_parent") else {}
    if not message.get("metadata", {}).get("cellId"):
        return
    from comm import create_comm  # each kernel of Jupyter brings it

    answer = {"display_id": f"check-setup-{message['header']['msg_id']}"}
    publish = shell.display_pub.publish
    publish({"text/plain": ""}, transient=answer)

    def closed(_: object) -> None:
        publish({"text/plain": CANNOT_SHOW_MESSAGE}, transient=answer, update=True)

    probe = create_comm(
        target_name="jupyter.widget",
        data={"state": PROBE_STATE, "buffer_paths": []},
        metadata=PROTOCOL,
    )
    probe.on_close(closed)


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
