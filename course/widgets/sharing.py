"""Share the answers of a class: each notebook logs its own, and sends them to the lecturer."""

from __future__ import annotations

import os
import threading
from collections import Counter
from html import escape
from pathlib import Path
from typing import Any

from course.exercises import activity_log
from course.exercises.upload import AnswerUploader, is_address, write

FIRST_ANSWER = 2.0  # how long to wait for the lecturer's server before the notice is shown
# The environment variable that names the folder or the server of a class.
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
    """The notice of what is shared from now on; in a notebook it is updated with each event."""

    def __init__(self, folder: Path | None, post: AnswerUploader | None = None) -> None:
        self.file, self._post = folder and folder / f"{activity_log.LOG_ID}.json", post
        self._fault = ""  # why the last attempt to write to the folder failed, or ""
        self._shell: Any = None
        self._showing = threading.Lock()
        activity_log.share_answers_with(self._tell)
        self._tell()
        if post:
            post.wait(FIRST_ANSWER)
            post.on_change = self._show_again

    def __repr__(self) -> str:
        counted = Counter(event["kind"] for event in activity_log.events())
        logged = ", ".join(f"{WORDS[kind]} {counted[kind]}" for kind in WORDS if counted[kind])
        places = f" Your answers are also in {self.file}." if self.file else ""
        if self._fault:
            places = f" Your answers are NOT in {self.file}: {self._fault}. Tell the lecturer."
        places += f" {self._post.said}" if self._post else ""
        return f"{PROMISE}{places} Kept so far: {logged or 'nothing'}."

    def _ipython_display_(self) -> None:
        """Display the notice so that it can be updated; the page saves the newest version."""
        from IPython import get_ipython

        self._shell = get_ipython()
        self._show(update=False)

    def _show(self, *, update: bool) -> None:
        with self._showing:  # the sending thread also updates it
            data = {"text/plain": repr(self), "text/html": f"<p>{escape(repr(self))}</p>"}
            name = {"display_id": f"{activity_log.METADATA_KEY}-{activity_log.LOG_ID}"}
            self._shell.display_pub.publish(
                data, activity_log.metadata(), transient=name, update=update
            )

    def _show_again(self) -> None:
        """Update the notice on the page, if it is displayed."""
        if self._shell:
            self._show(update=True)

    def _tell(self) -> None:
        """Send the newest answers to the folder or server of the class, and update the page."""
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
    """Log guesses, answers and recognised mistakes in this notebook from now on.

    place  where the class shares its answers: a folder, in which each notebook writes one file with
           a random name, or the address of the lecturer's server, "http://..."; by default the
           value of the environment variable COURSE_SHARE, if it is set

    With a server, the notice says whether the answers arrive.  ValueError if there is no such
    folder, or if the address is invalid.
    """
    target = place or os.environ.get(SHARE_VARIABLE)
    if is_address(target):
        return ShareNotice(None, AnswerUploader(str(target)))
    if target and not Path(target).is_dir():
        raise ValueError(f"place must be an existing folder, or http://...; got {str(target)!r}")
    return ShareNotice(Path(target) if target else None)
