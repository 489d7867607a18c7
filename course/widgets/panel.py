"""What all widgets share: the look, a short repr, an end without leftovers, and safe text."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from ipywidgets import HTML, FloatProgress, Layout, VBox, Widget

from arena import capabilities
from course.exercises.error_report import error_location
from course.exercises.feedback import markup_to_html as markup_to_html
from course.widgets.runner import NO_STOP_MESSAGE, SearchRunner
from gamefast.fast import failure_reason


class Panel(VBox):
    """A widget of the course: closes the panels that an earlier run of its cell left behind."""

    css: tuple[str, ...] = ()  # style sheets of its own, after panel.css

    def __init__(self, *children: Widget) -> None:
        self.runner = SearchRunner(self._show_engine_warning, type(self).__name__)
        self._engine = Notice()
        sheets = "".join(map(read_asset, ("panel.css", *self.css)))
        style = HTML(f"<style>{sheets}</style>", layout=Layout(display="none"))
        super().__init__([style, self._engine, *children])
        self.add_class("gl-panel")
        _close_previous(self)

    def state_text(self) -> str:
        """Return the state in a few words: what the repr shows."""
        return ""

    def wait(self) -> None:
        """Return when nothing is computed any more, and nothing plays by itself."""
        self.runner.wait()

    def _show_engine_warning(self) -> None:
        """Say what is less here than elsewhere: no machine code where it was to run, no Stop."""
        notes = (
            [f"The readable searches answer here: {failure_reason()}."] if failure_reason() else []
        )
        notes += (
            []
            if capabilities.can_start_threads() or capabilities.can_suspend()
            else [NO_STOP_MESSAGE]
        )
        self._engine.show("".join(message_html("note", note) for note in notes))

    def close(self) -> None:
        """Stop what runs, and close this widget with everything in it."""
        if self.comm is None:
            return
        self.runner.discard()
        close_all(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.state_text()})"


def read_asset(name: str) -> str:
    """Return a file that stands beside this one."""
    return Path(__file__).with_name(name).read_text("utf-8")


def close_all(widget: Widget) -> None:
    """Close a widget and all that hang on it."""
    for part in list(_tree(widget)):
        Widget.close(part)


def _tree(widget: Widget) -> Iterator[Widget]:
    """Yield a widget and all that hang on it: children, layouts, styles."""
    for value in (getattr(widget, key) for key in widget.keys):
        for part in value if isinstance(value, list | tuple) else (value,):
            if isinstance(part, Widget):
                yield from _tree(part)
    yield widget


_by_cell: dict[str, tuple[str, list[Panel]]] = {}  # cell: the run that made them, the panels


def _close_previous(panel: Panel) -> None:
    """Close the panels that the running cell made in an earlier run; remember this one."""
    cell, run = running_cell()
    if cell is None:
        return
    former_run, panels = _by_cell.get(cell, ("", []))
    if former_run != run:
        for former in panels:
            former.close()
        panels = []
    _by_cell[cell] = (run, [*panels, panel])


def running_cell() -> tuple[str | None, str]:
    """Return what names the cell that runs now, and this run of it; None outside a notebook.

    JupyterLab sends the cell's id; where it is missing, the same code is taken for the same cell.
    """
    message = _message()
    header = message.get("header", {})
    if message.get("msg_type", header.get("msg_type")) != "execute_request":
        return None, ""
    cell = message.get("metadata", {}).get("cellId") or message["content"]["code"]
    return cell, header["msg_id"]


def click_time() -> float:
    """Return when the browser sent the click that is heard now, in seconds since 1970.

    A kernel may hear the clicks on two buttons in two threads, and so in another order.
    """
    date = _message().get("header", {}).get("date")
    return date.timestamp() if isinstance(date, datetime) else time.time()


def _message() -> dict[str, Any]:
    """Return the message of Jupyter that is being answered; {} outside a notebook."""
    from IPython import get_ipython

    shell = get_ipython()
    return shell.get_parent() if hasattr(shell, "get_parent") else {}


def display(widget: Any, shown: bool) -> None:
    """Show a widget, or let it take no room."""
    widget.layout.display = "" if shown else "none"


class ProgressBar(FloatProgress):
    """How much is done of what is computed, seen meanwhile only; it goes with its kernel."""

    def __init__(self) -> None:
        super().__init__(min=0, max=1, _dom_classes=("gl-busy",))

    def show(self, busy: bool) -> None:
        """Begin anew, or be hidden."""
        self.layout.visibility = "visible" if busy else "hidden"
        self.value = 0.0

    def set_progress(self, share: float, best: Any = None) -> None:
        """Show how much is done."""
        self.value = share


class Notice(HTML):
    """A piece of HTML that takes no room while it is empty."""

    def __init__(self) -> None:
        super().__init__()
        self._dom_classes = ("gl-notice", "gl-empty")

    def show(self, html: str) -> None:
        """Show safe HTML, or nothing at all."""
        with self.hold_sync():  # one message
            self.value = html
            (self.remove_class if html else self.add_class)("gl-empty")


def message_html(kind: str, text: object) -> str:
    """Return safe HTML of a remark; `kind` is right, wrong, note or error."""
    return f'<div class="gl-{kind}">{markup_to_html(text)}</div>'


def error_text(error: BaseException) -> str:
    """Return an error in a sentence, with the learner's line that raised it."""
    place = error_location(error)
    if place and isinstance(error, NotImplementedError):
        hole = "replace `raise NotImplementedError` there, and run its cell"
        return f"`{place.split('`')[1]}` is not written yet: {hole}."
    return f"{type(error).__name__}: {error}{f' (in {place})' if place else ''}"


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return safe HTML of a table; whole numbers get thousands separators."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    cells = [[f"<td>{escape(cell_text(cell))}</td>" for cell in row] for row in rows]
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    rows_html = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="gl-table"><table>{rows_html}</table></div>'


def cell_text(value: Any) -> str:
    """Return a value as a table shows it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
