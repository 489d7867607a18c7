"""The guesses of a class while it guesses, for the lecturer's screen."""

from __future__ import annotations

import json
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

NEWEST = ("The newest", "")  # None would be shown as an empty field
POLL_SECONDS = 2.0  # seconds between two looks into the folder
MAX_BYTES = 65_536  # of what one student has answered


class ClassAnswers(Panel):
    """What a class answers, as it comes in: `ClassAnswers("/srv/class")`, a folder all can write.

    Each student runs `share("/srv/class")` in the notebook.  The newest question is shown until one
    is chosen; the right answer only on a click, and a guess has one as soon as somebody measured.
    From code: `refresh()`, `reveal()`.
    ValueError if there is no such folder.
    """

    css = ("class_answers.css",)

    def __init__(self, folder: str | Path) -> None:
        self._closed = threading.Event()
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise ValueError(f"folder must be a folder that is there; got {str(folder)!r}")
        self.found: dict[str, Histogram] = {}
        self._read: dict[Path, tuple[int, list[LogEntry]]] = {}  # when it was changed, what it says
        self._shown: str | None = None  # the key of a question
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
        """What is shown; None as long as nobody has answered."""
        return self.found.get(self._shown or "")

    def reveal(self) -> None:
        """Show the right answer."""
        self._reveal.value = True

    def refresh(self) -> None:
        """Count what is in the folder now."""
        with self._busy:
            newest = self._read_folder()
            wanted = self._question.value or newest
            if wanted != self._shown:
                self._shown = wanted
                self._reveal.value = False  # each right answer is a click of its own
            students, told = [events for _, events in self._read.values()], bool(self._reveal.value)
            self.found = histograms("guess", students, reveal=told)
            self.found |= histograms("quiz", students, reveal=told)
            self._offer()
            self._show()

    def state_text(self) -> str:
        """Return what is shown, and how many have answered."""
        one = self.histogram
        return f"{one.title!r}, {one.n} answered" if one else "nobody has answered"

    def close(self) -> None:
        """Look no more, and close this widget with everything in it."""
        self._closed.set()
        super().close()

    def _follow(self) -> None:
        while not self._closed.wait(POLL_SECONDS):
            self.refresh()

    def _read_folder(self) -> str | None:
        """Read the files that have changed; return the question that was answered last."""
        former, self._read = self._read, {}
        for file in self.folder.glob("*.json"):
            with suppress(OSError):  # it may go meanwhile
                facts, known = file.lstat(), former.get(file, (0, []))
                when = facts.st_mtime_ns
                if S_ISREG(facts.st_mode) and facts.st_size <= MAX_BYTES:  # no pipe, no link
                    self._read[file] = known if known[0] == when else (when, _events(file))
        answered = [(when, events[-1]["key"]) for when, events in self._read.values() if events]
        return max(answered)[1] if answered else None

    def _offer(self) -> None:
        """Offer all questions; what was chosen stays."""
        options = [NEWEST, *((one.title, key) for key, one in self.found.items())]
        chosen, self._offering = self._question.value, True
        if options != [*self._question.options]:
            self._question.options = options
            self._question.value = chosen if chosen in self.found else NEWEST[1]
        self._offering = False

    def _on_pick(self, _: Any) -> None:
        if not self._offering:
            self.refresh()

    def _on_reveal(self, _: Any) -> None:
        """Stay with a question whose right answer is shown, while the class goes on."""
        if self._reveal.value and self.histogram:
            self._question.value = self._shown
        self.refresh()

    def _show(self) -> None:
        one = self.histogram
        display(self._row, one is not None)
        if one is None:
            self._counted.value = '<div class="gl-question">Nobody has answered yet.</div>'
            return
        truth = f". {one.truth_text or 'Nobody has measured yet.'}" if self._reveal.value else ""
        said = f"{one.n} answered{truth}"
        head = f'<div class="gl-question">{markup_to_html(one.title)}</div><p>{escape(said)}</p>'
        self._counted.value = head + histogram.bars([(b.label, b.count, b.right) for b in one.bars])


def _events(file: Path) -> list[LogEntry]:
    """Return what one student has shared; nothing of a file that is none of ours."""
    with suppress(OSError, ValueError, RecursionError):
        logs = merge_logs([json.loads(file.read_text(encoding="utf-8"))])
        return [event for log in logs.values() for event in log if _is_known(event)]
    return []


def _is_known(event: LogEntry) -> bool:
    """Return whether the course knows question and answers: whoever can write there can forge."""
    said = [event["key"], *map(event.get, ("guess", "measured", "choices", "given"))]
    parts = [part for one in said for part in (one if isinstance(one, list) else [one])]
    return all(not isinstance(part, str) or f'"{part}"' in _programs() for part in parts)


@cache
def _programs() -> str:
    """Return the notebooks here, the labs and the quizzes: all texts that may be shown."""
    ours = Path(__file__).parents[2]
    files = [file for place in (Path(), ours / "notebooks") for file in place.glob("*.ipynb")]
    files += [*(ours / "course").rglob("*.py"), *(ours / "course").rglob("quiz.toml")]
    return "".join(file.read_text(encoding="utf-8").replace('\\"', '"') for file in files)
