"""A picture of a widget in the notebook's file, which a page shows if it cannot show the widget.

A widget lives in its kernel.  When a notebook is opened again, its kernel has often ended, and
JupyterLab writes "model not found".  A server without the extension of ipywidgets writes one line
of text.  So the output of a widget is preceded by another one, with a picture and a sentence.  A
small program in it hides it while the widget itself is shown, and another names its sliders.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path
from uuid import uuid4

from IPython import get_ipython

from course.widgets.runner import main_loop
from gamelib.svg.primitives import image_html

# Below a picture.  In a new kernel, this cell alone would raise a NameError.
RUN_TO_PLAY = "Run this cell to play, after those above it (Run → Run All Above Selected Cell)."
RUN_AGAIN = "Run this cell again."  # below a text
INSTALL = (
    "This server cannot show widgets. Install the package jupyterlab_widgets where JupyterLab "
    "itself is installed, which may be another Python than that of this notebook "
    "(on a hub, ask its administrator). Then restart JupyterLab, and reload this page."
)
UPDATE_SECONDS = 1.0  # the shortest interval between two updates
# The first hides the picture; the second is here because each widget brings this output along.
SCRIPTS = (Path(__file__).with_suffix(".js"), Path(__file__).with_name("name_sliders.js"))


class SavedPicture:
    """The picture of one widget; `draw` returns an SVG, or "", and a text for screen readers."""

    def __init__(self, draw: Callable[[], tuple[str, str]]) -> None:
        self._draw = draw
        self._display_id = ""
        self._last = ""
        self._waits = False
        self._loop = main_loop()

    def publish(self) -> None:
        """Show the picture as an output of the running cell."""
        self._display_id = uuid4().hex
        self._publish(update=False)

    def update(self) -> None:
        """Replace the picture soon, if it has been published; callable from any thread."""
        if self._display_id and self._loop and not self._waits:
            self._waits = True
            self._loop.call_soon_threadsafe(self._loop.call_later, UPDATE_SECONDS, self._replace)

    def _replace(self) -> None:
        self._waits = False
        self._publish(update=True)

    def _publish(self, update: bool) -> None:
        svg, text = self._draw()
        html = picture_html(svg, text)
        if update and html == self._last:
            return
        self._last = html
        data = {"text/html": html, "text/plain": f"{text}. {RUN_AGAIN}"}
        transient = {"display_id": self._display_id}
        get_ipython().display_pub.publish(data, transient=transient, update=update)


def picture_html(svg: str, text: str) -> str:
    """Return the picture with its sentences, and the program that shows or hides it."""
    shown, advice = f"<code>{escape(text)}</code>", RUN_AGAIN
    if svg:
        advice = RUN_TO_PLAY
        shown = image_html(svg)
    scripts = "".join(f"<script>{script.read_text('utf-8')}</script>" for script in SCRIPTS)
    return (
        f'<div class="gl-saved">{shown}<p class="gl-run"><b>{advice}</b></p>'
        f'<p class="gl-install" hidden role="status">{INSTALL}</p></div>'
        f"{scripts}"
    )
