"""A widget for the lecturer's screen: the answers of a class, counted while they arrive."""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from functools import cache
from html import escape
from pathlib import Path
from stat import S_ISREG
from typing import Any

from ipywidgets import HTML, Dropdown, ToggleButton

from arena import capabilities
from course.draw import histogram
from course.exercises.activity_log import LogEntry, merge_logs
from course.exercises.answer_histograms import Histogram, histograms
from course.widgets.controls import add_css_classes, button, row
from course.widgets.panel import Panel, display, markup_to_html

NEWEST = ("The newest", "")  # the key "", because a list shows None as an empty field
POLL_SECONDS = 2.0  # between two checks of the folder
MAX_BYTES = 65_536  # larger files are ignored
# Flags that neither follow a link nor wait for a pipe; Windows has neither.
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

FileEvents = tuple[int, list[LogEntry]]  # the time of a file's last change, and its events


class ClassAnswers(Panel):
    """The answers of a class as they arrive: `ClassAnswers("/srv/class")`, writable by all.

    Each student runs `share("/srv/class")` in the notebook.  The newest question is shown until one
    is chosen.  The right answer is shown only on a click; that of a guess is known once somebody
    has measured it.  From code: `refresh()`, `reveal()`.

    ValueError if there is no such folder.
    """

    css = ("class_answers.css",)

    def __init__(self, folder: str | Path) -> None:
        self._closed = threading.Event()
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise ValueError(f"folder must be an existing folder; got {str(folder)!r}")
        self.found: dict[str, Histogram] = {}
        self._read: dict[Path, FileEvents] = {}
        self._shown: str | None = None  # the key of the question shown
        self._offering = False
        self._busy = threading.RLock()
        self._counted = add_css_classes(HTML(), "gl-counted")
        self._question = Dropdown(description="Question", options=[NEWEST])
        self._question.observe(self._on_pick, "value")
        self._reveal = ToggleButton(description="Right answer", tooltip="Show the right answer")
        self._reveal.observe(self._on_reveal, "value")
        again = button("Look again", self.refresh, "Look into the folder again")
        self._row = row(self._question, self._reveal, again)
        super().__init__(HTML(histogram.STYLE), self._row, self._counted)
        self.add_class("gl-class")
        self.refresh()
        self._follower = threading.Thread(target=self._follow, daemon=True)
        if capabilities.can_start_threads():
            self._follower.start()

    @property
    def histogram(self) -> Histogram | None:
        """The histogram that is shown; None while nobody has answered."""
        return self.found.get(self._shown or "")

    def reveal(self) -> None:
        """Show the right answer."""
        self._reveal.value = True

    def refresh(self) -> None:
        """Read the folder again and show the counts."""
        with self._busy:
            newest = self._read_folder()
            wanted = self._question.value or newest
            if wanted != self._shown:
                self._shown = wanted
                self._reveal.value = False  # each right answer needs a separate click
            students, reveal = (
                [events for _, events in self._read.values()],
                bool(self._reveal.value),
            )
            self.found = histograms("guess", students, reveal=reveal)
            self.found |= histograms("quiz", students, reveal=reveal)
            self._offer()
            self._show()

    def state_text(self) -> str:
        """Return the title of the question shown and the number of answers."""
        shown = self.histogram
        return f"{shown.title!r}, {shown.n} answered" if shown else "nobody has answered"

    def close(self) -> None:
        """Stop to follow the folder, and close this widget with everything in it."""
        self._closed.set()
        super().close()

    def _follow(self) -> None:
        while not self._closed.wait(POLL_SECONDS):
            self.refresh()

    def _read_folder(self) -> str | None:
        """Read the files that have changed; return the question that was answered last."""
        previous, self._read = self._read, {}
        for file in self.folder.glob("*.json"):
            with suppress(OSError):  # the file may have been deleted, or be a pipe or a link
                self._read[file] = _read_if_changed(file, previous.get(file, (0, [])))
        answered = [
            (changed_at, events[-1]["key"]) for changed_at, events in self._read.values() if events
        ]
        return max(answered)[1] if answered else None

    def _offer(self) -> None:
        """Offer all questions in the list; the one that was chosen stays chosen."""
        options = [NEWEST, *((histogram.title, key) for key, histogram in self.found.items())]
        chosen, self._offering = self._question.value, True
        if options != [*self._question.options]:
            self._question.options = options
            self._question.value = chosen if chosen in self.found else NEWEST[1]
        self._offering = False

    def _on_pick(self, _: Any) -> None:
        if not self._offering:
            self.refresh()

    def _on_reveal(self, _: Any) -> None:
        """Stay with a question whose right answer is shown, even if newer answers arrive."""
        if self._reveal.value and self.histogram:
            self._question.value = self._shown
        self.refresh()

    def _show(self) -> None:
        shown = self.histogram
        display(self._row, shown is not None)
        if shown is None:
            self._counted.value = '<div class="gl-question">Nobody has answered yet.</div>'
            return
        truth = f". {shown.truth_text or 'Nobody has measured yet.'}" if self._reveal.value else ""
        summary = f"{shown.n} answered{truth}"
        head = (
            f'<div class="gl-question">{markup_to_html(shown.title)}</div><p>{escape(summary)}</p>'
        )
        self._counted.value = head + histogram.bars(
            [(b.label, b.count, b.right) for b in shown.bars]
        )


def _read_if_changed(path: Path, cached: FileEvents) -> FileEvents:
    """Return the time of a file's last change and its events; OSError if it is not a small file.

    Everybody may write to the folder, so a name can stand for a link or a pipe a moment after it
    was looked at.  So the file is opened first, and then the open file is looked at.
    """
    with open(os.open(path, os.O_RDONLY | NO_LINK), "rb") as file:
        status = os.fstat(file.fileno())
        if not S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            raise OSError(f"{path} is not a small file")
        changed_at = status.st_mtime_ns
        return cached if cached[0] == changed_at else (changed_at, _events(file.read(MAX_BYTES)))


def _events(content: bytes) -> list[LogEntry]:
    """Return the events that one student has shared; [] for a file of any other form."""
    with suppress(ValueError, RecursionError):
        logs = merge_logs([json.loads(content.decode())])
        return [event for log in logs.values() for event in log if _is_known(event)]
    return []


def _is_known(event: LogEntry) -> bool:
    """Return whether the course has this question and answer, because a file can be forged."""
    texts = [event["key"], *map(event.get, ("guess", "measured", "choices", "given"))]
    parts = [part for text in texts for part in (text if isinstance(text, list) else [text])]
    return all(not isinstance(part, str) or f'"{part}"' in _programs() for part in parts)


@cache
def _programs() -> str:
    """Return the text of all notebooks, labs and quizzes, which may be shown."""
    root = Path(__file__).parents[2]
    files = [file for folder in (Path(), root / "notebooks") for file in folder.glob("*.ipynb")]
    files += [*(root / "course").rglob("*.py"), *(root / "course").rglob("quiz.toml")]
    return "".join(file.read_text(encoding="utf-8").replace('\\"', '"') for file in files)
