"""A class that shares its answers: kept in each notebook, and looked at while it guesses."""

from __future__ import annotations

import os
import threading
from collections import Counter
from html import escape
from pathlib import Path
from typing import Any

from course.exercises import activity_log
from course.exercises.upload import AnswerUploader, is_address, write

FIRST_ANSWER = 2.0  # seconds to wait for the lecturer's server before anything is shown
# The environment variable that names the folder or server of a class.
SHARE_VARIABLE = "COURSE_SHARE"
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


class ShareNotice:
    """What is kept from now on, in words; in a notebook it counts along."""

    def __init__(self, folder: Path | None, post: AnswerUploader | None = None) -> None:
        self.file, self._post = folder and folder / f"{activity_log.LOG_ID}.json", post
        self._fault = ""  # why the folder could not be written to
        self._shell: Any = None
        self._showing = threading.Lock()
        activity_log.share_answers_with(self._tell)
        self._tell()
        if post:
            post.wait(FIRST_ANSWER)
            post.on_change = self._show_again

    def __repr__(self) -> str:
        counted = Counter(event["kind"] for event in activity_log.events())
        kept = ", ".join(f"{WORDS[kind]} {counted[kind]}" for kind in WORDS if counted[kind])
        there = f" Your answers are also in {self.file}." if self.file else ""
        if self._fault:
            there = f" Your answers are NOT in {self.file}: {self._fault}. Tell the lecturer."
        there += f" {self._post.said}" if self._post else ""
        return f"{PROMISE}{there} Kept so far: {kept or 'nothing'}."

    def _ipython_display_(self) -> None:
        """Show it in a way that can be changed: a page saves what it shows with the notebook."""
        from IPython import get_ipython

        self._shell = get_ipython()
        self._show(update=False)

    def _show(self, *, update: bool) -> None:
        with self._showing:  # the thread that sends shows it, too
            data = {"text/plain": repr(self), "text/html": f"<p>{escape(repr(self))}</p>"}
            name = {"display_id": f"{activity_log.METADATA_KEY}-{activity_log.LOG_ID}"}
            self._shell.display_pub.publish(
                data, activity_log.metadata(), transient=name, update=update
            )

    def _show_again(self) -> None:
        """Change what the page shows, if it shows anything."""
        if self._shell:
            self._show(update=True)

    def _tell(self) -> None:
        """Let the folder or the server of the class, and the page, have what is new."""
        answers = [
            event for event in activity_log.events() if event["kind"] in activity_log.ANSWER_KINDS
        ]
        if self._post:
            self._post.send(answers)
        if self.file:
            try:
                write(self.file.parent, activity_log.LOG_ID, answers)
                self._fault = ""
            except OSError as error:
                self._fault = error.strerror or type(error).__name__
        self._show_again()


def share(place: str | Path | None = None) -> ShareNotice:
    """Keep guesses, answers and recognised mistakes in this notebook from now on.

    place  of a class that looks at its guesses together: a folder, in which each notebook writes
           one file under a name drawn by lot, or the address of the lecturer's server, "http://..."
           The environment variable COURSE_SHARE names it as well
    With a server, the text says whether the answers arrive, and changes when that changes.
    ValueError if there is no such folder, or if no server can have such an address.
    """
    named = place or os.environ.get(SHARE_VARIABLE)
    if is_address(named):
        return ShareNotice(None, AnswerUploader(str(named)))
    if named and not Path(named).is_dir():
        raise ValueError(f"place must be a folder that is there, or http://...; got {str(named)!r}")
    return ShareNotice(Path(named) if named else None)
