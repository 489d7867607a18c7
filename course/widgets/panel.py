"""The base class of all widgets: their style, short repr, clean-up, and safe HTML for texts."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from ipywidgets import HTML, FloatProgress, Layout, VBox, Widget

from arena import capabilities
from course.draw.front_end import current_message, front_end_shows_pages
from course.exercises.error_report import error_location
from course.exercises.feedback import markup_to_html as markup_to_html
from course.widgets.runner import NO_STOP_MESSAGE, SearchRunner
from course.widgets.saved_picture import SavedPicture
from gamefast.fast import failure_reason, storage_failure


class Panel(VBox):
    """A widget of the course; it closes the panels that an earlier run of its cell left behind."""

    css: tuple[str, ...] = ()  # additional style sheets, after panel.css

    def __init__(self, *children: Widget) -> None:
        self.runner = SearchRunner(self._show_engine_warning, type(self).__name__)
        self._engine = Notice()
        sheets = "".join(map(read_asset, ("panel.css", *self.css)))
        style = HTML(f"<style>{sheets}</style>", layout=Layout(display="none"))
        super().__init__([style, self._engine, *children])
        self.add_class("gl-panel")
        self._saved_picture = SavedPicture(lambda: (self.picture(), repr(self)))
        _close_previous(self)

    def state_text(self) -> str:
        """Return the state in a few words, for the repr."""
        return ""

    def picture(self) -> str:
        """Return the SVG that a reopened notebook shows; "" for only the state as text."""
        return ""

    def update_picture(self) -> None:
        """Let the notebook's file have the present picture."""
        if picture := getattr(self, "_saved_picture", None):  # not while it is being made
            picture.update()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if front_end_shows_pages(current_message()):
            self._saved_picture.publish()
        return super()._repr_mimebundle_(**kwargs)

    def wait(self) -> None:
        """Return when nothing is being computed or played automatically."""
        self.runner.wait()

    def _show_engine_warning(self) -> None:
        """Show what is unavailable here: a compiled search that should have run, or Stop."""
        notes = []
        if reason := failure_reason():
            notes.append(f"The readable searches answer here, which takes longer: {reason}.")
        if reason := storage_failure():
            notes.append(f"Searches begin late here: {reason}.")
        if not (capabilities.can_start_threads() or capabilities.can_suspend()):
            notes.append(NO_STOP_MESSAGE)
        self._engine.show("".join(message_html("note", note) for note in notes))

    def close(self) -> None:
        """Stop what is running, and close this widget with everything in it."""
        if self.comm is None:
            return
        self.runner.discard()
        close_all(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.state_text()})"


def read_asset(name: str) -> str:
    """Return the text of a file in this folder."""
    return Path(__file__).with_name(name).read_text("utf-8")


def close_all(widget: Widget) -> None:
    """Close a widget and all its parts."""
    for part in list(_tree(widget)):
        Widget.close(part)


def _tree(widget: Widget) -> Iterator[Widget]:
    """Yield a widget and all its parts: children, layouts, styles."""
    for value in (getattr(widget, key) for key in widget.keys):
        for part in value if isinstance(value, list | tuple) else (value,):
            if isinstance(part, Widget):
                yield from _tree(part)
    yield widget


# cell -> the run that created its panels, and the panels
_by_cell: dict[str, tuple[str, list[Panel]]] = {}


def _close_previous(panel: Panel) -> None:
    """Close the panels of an earlier run of the running cell, and register this one."""
    cell, run = running_cell()
    if cell is None:
        return
    previous_run, panels = _by_cell.get(cell, ("", []))
    if previous_run != run:
        for old_panel in panels:
            old_panel.close()
        panels = []
    _by_cell[cell] = (run, [*panels, panel])


def running_cell() -> tuple[str | None, str]:
    """Return an id of the cell that is running, and one of this run; None outside a notebook.

    JupyterLab sends the cell's id; if it is missing, cells with the same code count as the same
    cell.
    """
    message = current_message()
    header = message.get("header", {})
    if message.get("msg_type", header.get("msg_type")) != "execute_request":
        return None, ""
    cell = message.get("metadata", {}).get("cellId") or message["content"]["code"]
    return cell, header["msg_id"]


def click_time() -> float:
    """Return the time at which the browser sent the current click, in seconds since 1970.

    A kernel may handle the clicks on two buttons in two threads, and therefore in another order.
    """
    date = current_message().get("header", {}).get("date")
    return date.timestamp() if isinstance(date, datetime) else time.time()


def display(widget: Any, shown: bool) -> None:
    """Show a widget, or hide it so that it takes no space."""
    widget.layout.display = "" if shown else "none"


class ProgressBar(FloatProgress):
    """The progress of a computation; it is visible only while the computation runs."""

    def __init__(self) -> None:
        super().__init__(min=0, max=1, _dom_classes=("gl-busy",))

    def show(self, busy: bool) -> None:
        """Begin at 0 if `busy`, or be hidden."""
        self.layout.visibility = "visible" if busy else "hidden"
        self.value = 0.0

    def set_progress(self, fraction: float, best: Any = None) -> None:
        """Show the fraction done."""
        self.value = fraction


class Notice(HTML):
    """A piece of HTML that takes no space while it is empty."""

    def __init__(self) -> None:
        super().__init__()
        self._dom_classes = ("gl-notice", "gl-empty")

    def show(self, html: str) -> None:
        """Show safe HTML, or nothing if it is empty."""
        with self.hold_sync():  # one message
            self.value = html
            (self.remove_class if html else self.add_class)("gl-empty")


def message_html(kind: str, text: object) -> str:
    """Return a message as safe HTML; `kind` is right, wrong, note or error."""
    return f'<div class="gl-{kind}">{markup_to_html(text)}</div>'


def error_text(error: BaseException) -> str:
    """Return an error as a sentence, with the learner's line that raised it."""
    location = error_location(error)
    if location and isinstance(error, NotImplementedError):
        advice = "replace `raise NotImplementedError` there, and run its cell"
        return f"`{location.split('`')[1]}` is not written yet: {advice}."
    return f"{type(error).__name__}: {error}{f' (in {location})' if location else ''}"


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table as safe HTML; whole numbers get thousands separators."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    cells = [[f"<td>{escape(cell_text(cell))}</td>" for cell in row] for row in rows]
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    rows_html = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="gl-table"><table>{rows_html}</table></div>'


def cell_text(value: Any) -> str:
    """Return a value as the text of a table cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
