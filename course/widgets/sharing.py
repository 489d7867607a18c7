"""A class that shares its answers: kept in each notebook, and looked at while it guesses."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

from course.kit import live, record

PLACE = "COURSE_SHARE"  # the environment variable that names the folder or server of a class
WORDS = {
    "guess": "guesses",
    "quiz": "quiz answers",
    "step": "answers in steppers",
    "attempt": "attempts",
    "hint": "hints",
    "solution": "solutions",
}
PROMISE = (
    "This notebook keeps your guesses, your answers, and which mistake a check has recognised: "
    "in their order, without your name, without times. To end it, delete this cell, restart the "
    "kernel, and run the others."
)


class Sharing:
    """What is kept from now on, in words; in a notebook it counts along."""

    def __init__(self, place: Path | live.Post | None, called: str) -> None:
        self._place, self._called = place, called
        self._shell: Any = None
        record.on_news(self._tell)
        self._tell()

    def __repr__(self) -> str:
        counted = Counter(event["kind"] for event in record.events())
        kept = ", ".join(f"{WORDS[kind]} {counted[kind]}" for kind in WORDS if counted[kind])
        there = f" Your answers also go to {self._called}." if self._place else ""
        return f"{PROMISE}{there} Kept so far: {kept or 'nothing'}."

    def _ipython_display_(self) -> None:
        """Show it in a way that can be changed: a page saves what it shows with the notebook."""
        from IPython import get_ipython

        self._shell = get_ipython()
        self._show(update=False)

    def _show(self, *, update: bool) -> None:
        data = {"text/plain": repr(self), "text/html": f"<p>{escape(repr(self))}</p>"}
        name = {"display_id": f"{record.KEY}-{record.NAME}"}
        self._shell.display_pub.publish(data, record.metadata(), transient=name, update=update)

    def _tell(self) -> None:
        """Let the page, and the place of the class, have what is new."""
        if self._shell:
            self._show(update=True)
        answers = [event for event in record.events() if event["kind"] in record.ANSWERS]
        if isinstance(self._place, live.Post):
            self._place.send(answers)
        elif self._place:
            with suppress(OSError):
                live.write(self._place, record.NAME, answers)


def share(place: str | Path | None = None) -> Sharing:
    """Keep guesses, answers and recognised mistakes in this notebook from now on.

    place  of a class that looks at its guesses together: a folder, in which each notebook writes
           one file under a name drawn by lot, or the address of the lecturer's server, "http://..."
           The environment variable COURSE_SHARE names it as well
    ValueError if there is no such folder.
    """
    called = str(place or os.environ.get(PLACE, ""))
    if called.startswith(("http://", "https://")):
        return Sharing(live.Post(called), called)
    if called and not Path(called).is_dir():
        raise ValueError(f"place must be a folder that is there, or http://...; got {called!r}")
    return Sharing(Path(called) if called else None, called)
