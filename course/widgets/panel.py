"""What all widgets share: the look, a short repr, an end without leftovers, and safe text."""

from __future__ import annotations

import os
import re
import sysconfig
import time
import traceback
from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from ipywidgets import HTML, Layout, VBox, Widget

from arena import here
from course.widgets.runner import NO_STOP, SearchRunner
from gamefast.fast import failure

# Where code lies that is no learner's: the course, Python's, and what is installed.
LIBRARIES = (
    *(
        str(Path(__file__).parents[2] / name) + os.sep
        for name in ("course", "arena", "gamefast", "gamelib")
    ),
    *(sysconfig.get_path(name) + os.sep for name in ("stdlib", "purelib", "platlib")),
    str(Path(traceback.__file__).parent) + os.sep,  # in a browser a zip file
    "<frozen ",
)

# A page without a kernel, as JupyterLab marks it.  With every cell and every click the indicator
# says busy and idle: what `:has` decides must end at classes that few elements have, or the whole
# page is styled anew each time, twice a click.
DEAD = (
    ".jp-NotebookPanel:has(.jp-Notebook-ExecutionIndicator"
    ':is([data-status="disconnected"], [data-status="dead"])) .gl-panel'
)

# The arrow of a list, which ipywidgets draws black on black in a dark theme.
ARROW = (
    "url(\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 18 18'%3E"
    "%3Cpath d='M5 7l4 4 4-4' fill='none' stroke='%23e0e0e0' stroke-width='2'/%3E%3C/svg%3E\")"
)

STYLE = """<style>
.gl-panel { padding: 4px 2px; gap: 10px; overflow: visible; }
.gl-panel .widget-html, .gl-panel .widget-html-content { line-height: 1.45; height: auto; }
.gl-panel .widget-html-content {
  font-size: 14px; color: var(--jp-ui-font-color0, #1a1a1a); overflow: visible;
  min-width: 0; }
.gl-panel .widget-hbox { overflow: visible; }
.gl-row { gap: 8px; flex-flow: row wrap; align-items: center; }
.gl-row > * { margin: 0; }
.gl-row .jupyter-button { width: auto; min-width: 76px; height: 32px; line-height: 30px;
  padding: 0 12px; font-size: 14px; }
.gl-panel .jupyter-button:focus-visible, .gl-panel input:focus-visible,
.gl-panel select:focus-visible { outline: 3px solid #E69F00 !important;
  outline-offset: 1px !important; }
.gl-seats { gap: 4px; }
.gl-seats .widget-dropdown { width: auto; max-width: 100%; }
.gl-seats .widget-label { width: auto; min-width: 28px; font-size: 14px; }
.gl-seats select { width: auto; min-width: 110px; max-width: 100%; font-size: 14px; }
.gl-notice.gl-empty { display: none; }
.gl-status { font-size: 16px; font-weight: 600; }
.gl-card { background: #ffffff; border: 1px solid #8c8c8c; border-radius: 8px; padding: 14px;
  width: max-content; max-width: 100%; box-sizing: border-box; overflow: auto; }
.gl-card .jupyter-button { margin: 0; padding: 0; min-width: 0; border: 1.5px solid #8c8c8c;
  color: #5c5c5c; background: #ffffff; font-weight: 400; box-shadow: none; overflow: hidden; }
.gl-card .jupyter-button:hover { background: #e8f1f8; }
.gl-card .jupyter-button.gl-disc { border-radius: 50%; border-color: #1a1a1a; }
.gl-card .jupyter-button.gl-stone { border-radius: 50%; background: #b9c3cd;
  border-color: #1a1a1a; color: #1a1a1a; }
.gl-card .jupyter-button.gl-stone:hover { background: #8fb8d8; }
.gl-card .gl-spots { position: relative; overflow: visible; flex: none; padding: 0; }
.gl-card .gl-spots > * { position: absolute; margin: 0; }
.gl-spots .widget-html div div { position: absolute; text-align: center; font-size: 16px;
  line-height: 1.4; white-space: nowrap; }
.gl-plate { background: #33475B; border-radius: 6px; }
.gl-card .jupyter-button.gl-line { border-radius: 3px; background: #E3E9EF; }
.gl-card .jupyter-button::before { content: ""; display: block; white-space: pre;
  line-height: 1.1; text-align: center; }
.gl-card .jupyter-button { display: flex; align-items: center; justify-content: center; }
.gl-card .jupyter-button.gl-action { padding: 0 14px; min-width: 48px; font-size: 16px;
  color: #1a1a1a; font-weight: 700; }
.gl-answers th, .gl-answers td { white-space: nowrap; }
@media (max-width: 1200px) { .gl-side-by-side .gl-card { zoom: 0.75; }
  .gl-panel .gl-form + .gl-form .widget-inline-hbox { width: 310px; }
  .gl-panel .gl-side-by-side { gap: 16px; } }
@media (max-width: 640px) { .gl-panel .gl-form select { font-size: 12px; } }
@media (max-height: 640px) { .gl-side-by-side .gl-card { zoom: 0.62; } }
[data-jp-theme-light="false"] .gl-panel { --jp-widgets-dropdown-arrow: ARROW; }
.gl-form, .gl-form .widget-vbox { gap: 6px; overflow: visible; }
.gl-form { gap: 10px; }
.gl-form .gl-card { overflow: auto; }
.gl-form .widget-label { width: 104px; min-width: 104px; font-size: 14px; }
.gl-form .widget-inline-hbox, .gl-form .widget-html { width: 340px; max-width: 100%; margin: 0; }
.gl-side-by-side { flex-flow: row wrap; gap: 28px; align-items: flex-start; }
.gl-side-by-side > * { overflow: visible; max-width: 100%; }
.gl-forms { gap: 16px 28px; }
.gl-rest { flex: 1 1 330px; min-width: 0; gap: 8px; overflow: visible; }
.gl-answers { display: flex; flex-flow: row wrap; gap: 8px 32px; }
.gl-answers > div { flex: 1 1 400px; min-width: 0; }
.gl-small-print { font-size: 12px; color: var(--jp-ui-font-color1, #444444); }
.gl-strip { display: flex; gap: 8px; margin: 4px 0 10px; overflow-x: auto; overflow-y: hidden; }
.gl-strip svg { width: 112px; height: auto; flex: none; }
div.gl-card pre { color: #1a1a1a; background: transparent; font-size: 16px; line-height: 1.3;
  margin: 0 0 6px; }
@media (max-height: 640px) { .gl-side-by-side div.gl-card pre, .gl-playground div.gl-card pre {
  font-size: 22px; } }
.gl-card .widget-html-content { color: #1a1a1a; }
.gl-error { border-left: 5px solid #D55E00; padding: 4px 10px; }
.gl-right { border-left: 5px solid #009E73; padding: 4px 10px; }
.gl-wrong { border-left: 5px solid #D55E00; padding: 4px 10px; }
.gl-note { border-left: 5px solid #E69F00; padding: 4px 10px; }
.gl-panel table { border-collapse: collapse; font-size: 13.5px; margin: 2px 0; }
.gl-table { max-width: 100%; overflow-x: auto; overflow-y: hidden; }
.gl-panel th, .gl-panel td { text-align: right; padding: 4px 7px;
  border-bottom: 1px solid var(--jp-border-color2, #c0c0c0); }
.gl-panel code { font-size: 14px; user-select: all; padding: 1px 5px; border-radius: 3px;
  background: var(--jp-layout-color2, #eeeeee); color: var(--jp-ui-font-color0, #1a1a1a); }
.gl-question { font-size: 16px; }
.gl-asked svg { display: block; width: auto; height: min(220px, 40vh); }
.gl-panel .gl-number { width: auto; }
.gl-panel .gl-number .widget-label { width: auto; margin-right: 8px; font-size: 14px; }
.gl-panel .widget-radio-box { max-width: 100%; width: auto; height: auto; }
.gl-panel .widget-radio { width: auto; max-width: 100%; }
@media (max-height: 640px) { .gl-panel .widget-radio-box { flex-flow: row wrap; gap: 0 24px; } }
.gl-panel .widget-radio-box label { font-size: 15px; line-height: 1.5; height: auto;
  white-space: normal; align-items: center; margin: 0 0 4px 0; }
.gl-panel .widget-checkbox, .gl-panel .widget-checkbox label { width: auto; max-width: 100%;
  height: auto; font-size: 15px; white-space: normal; }
DEAD, .gl-panel.jupyter-widgets-disconnected { --gl-live: 0.55; --gl-clicks: none;
  --gl-busy: hidden; }
DEAD::before, .gl-panel.jupyter-widgets-disconnected::before {
  content: "The kernel that made this has ended. Run this cell again.";
  display: block; align-self: auto; padding: 4px 10px; border-left: 5px solid #E69F00;
  font: 600 16px/1.45 system-ui, sans-serif; color: var(--jp-ui-font-color0, #1a1a1a); }
.gl-panel > * { opacity: var(--gl-live); pointer-events: var(--gl-clicks); }
.gl-panel .gl-status[role="status"], .gl-panel .gl-busy { visibility: var(--gl-busy); }
.gl-panel .jupyter-widgets-disconnected::before, .gl-panel .gl-panel::before {
  display: none !important; }
.gl-panel .gl-card .jupyter-button.jupyter-widgets-disconnected::before {
  display: block !important; align-self: auto; padding: 0; font-family: inherit;
  font-weight: inherit; color: inherit; }
</style>""".replace("DEAD", DEAD).replace("ARROW", ARROW)


class Panel(VBox):
    """A widget of the course: closes the panels that an earlier run of its cell left behind."""

    def __init__(self, *children: Widget) -> None:
        self.runner = SearchRunner(self._note_engine, type(self).__name__)
        self._engine = Notice()
        style = HTML(STYLE, layout=Layout(display="none"))
        super().__init__([style, self._engine, *children])
        self.add_class("gl-panel")
        _replace_former(self)

    def state_text(self) -> str:
        """Return the state in a few words: what the repr shows."""
        return ""

    def _note_engine(self) -> None:
        """Say what is less here than elsewhere: no machine code where it was to run, no Stop."""
        notes = [f"The readable searches answer here: {failure()}."] if failure() else []
        notes += [] if here.threads() or here.turns() else [NO_STOP]
        self._engine.show("".join(remark("note", note) for note in notes))

    def close(self) -> None:
        """Stop what runs, and close this widget with everything in it."""
        if self.comm is None:
            return
        self.runner.discard()
        close_all(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.state_text()})"


def close_all(widget: Widget) -> None:
    """Close a widget and all that hang on it."""
    for part in list(_tree(widget)):
        Widget.close(part)


def _tree(widget: Widget) -> Iterator[Widget]:
    """Yield a widget and all that hang on it: children, layouts, styles."""
    for key in widget.keys:
        value = getattr(widget, key)
        for part in value if isinstance(value, list | tuple) else (value,):
            if isinstance(part, Widget):
                yield from _tree(part)
    yield widget


_by_cell: dict[str, tuple[str, list[Panel]]] = {}  # cell: the run that made them, the panels


def _replace_former(panel: Panel) -> None:
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


def sent() -> float:
    """Return when the browser sent the click that is heard now, in seconds since 1970.

    A kernel may hear the clicks on two buttons in two threads, and so in another order.
    """
    date = _message().get("header", {}).get("date")
    return date.timestamp() if isinstance(date, datetime) else time.time()


def _message() -> dict[str, Any]:
    """Return the message of Jupyter that is being answered; {} outside a notebook."""
    try:
        from IPython import get_ipython
    except ImportError:
        return {}
    shell = get_ipython()
    return shell.get_parent() if hasattr(shell, "get_parent") else {}


def marked_up(text: object) -> str:
    """Return text as safe HTML; what stands between backticks is set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(str(text)))


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


def remark(kind: str, text: object) -> str:
    """Return safe HTML of a remark; `kind` is right, wrong, note or error."""
    return f'<div class="gl-{kind}">{marked_up(text)}</div>'


def error_text(error: BaseException) -> str:
    """Return an error in a sentence, with the last line of the learner's code on the way to it."""
    where = ""
    frames = traceback.extract_tb(error.__traceback__)
    if own := [frame for frame in frames if not frame.filename.startswith(LIBRARIES)]:
        last = own[-1]
        if isinstance(error, NotImplementedError):
            hole = "replace `raise NotImplementedError` there, and run its cell"
            return f"{last.name} is not written yet: {hole}."
        line = f": {last.line}" if last.line else ""
        where = f" (in {last.name}, line {last.lineno}{line})"
    return f"{type(error).__name__}: {error}{where}"


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return safe HTML of a table; whole numbers get thousands separators."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell_text(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
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
