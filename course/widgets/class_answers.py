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
from course.draw import bars
from course.kit.record import Event, merged
from course.kit.tally import Histogram, histograms
from course.widgets.knobs import button, classed, row
from course.widgets.panel import Panel, display, marked_up

NEWEST = ("The newest", "")  # None would be shown as an empty field
PERIOD = 2.0  # seconds between two looks into the folder
MOST_BYTES = 65_536  # of what one student has answered


class ClassAnswers(Panel):
    """What a class answers, as it comes in: `ClassAnswers("/srv/class")`, a folder all can write.

    Each student runs `share("/srv/class")` in the notebook.  The newest question is shown until one
    is chosen; the right answer only on a click, and a guess has one as soon as somebody measured.
    From code: `look()`, `tell()`.
    ValueError if there is no such folder.
    """

    css = ("class_answers.css",)

    def __init__(self, folder: str | Path) -> None:
        self._closed = threading.Event()
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise ValueError(f"folder must be a folder that is there; got {str(folder)!r}")
        self.found: dict[str, Histogram] = {}
        self._read: dict[Path, tuple[int, list[Event]]] = {}  # when it was changed, what it says
        self._shown: str | None = None  # the key of a question
        self._offering = False
        self._busy = threading.RLock()
        self._counted = classed(HTML(), "gl-counted")
        self._question = Dropdown(description="Question", options=[NEWEST])
        self._question.observe(self._picked, "value")
        self._tell = ToggleButton(description="Right answer", tooltip="Show the right answer")
        self._tell.observe(self._told, "value")
        again = button("Look again", self.look, "Look into the folder again")
        self._row = row(self._question, self._tell, again)
        super().__init__(HTML(bars.STYLE), self._row, self._counted)
        self.add_class("gl-class")
        self.look()
        self._follower = threading.Thread(target=self._follow, daemon=True)
        if capabilities.can_start_threads():
            self._follower.start()

    @property
    def histogram(self) -> Histogram | None:
        """What is shown; None as long as nobody has answered."""
        return self.found.get(self._shown or "")

    def tell(self) -> None:
        """Show the right answer."""
        self._tell.value = True

    def look(self) -> None:
        """Count what is in the folder now."""
        with self._busy:
            newest = self._read_folder()
            wanted = self._question.value or newest
            if wanted != self._shown:
                self._shown = wanted
                self._tell.value = False  # each right answer is a click of its own
            students, told = [events for _, events in self._read.values()], bool(self._tell.value)
            self.found = histograms("guess", students, tell=told)
            self.found |= histograms("quiz", students, tell=told)
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
        while not self._closed.wait(PERIOD):
            self.look()

    def _read_folder(self) -> str | None:
        """Read the files that have changed; return the question that was answered last."""
        former, self._read = self._read, {}
        for file in self.folder.glob("*.json"):
            with suppress(OSError):  # it may go meanwhile
                facts, known = file.lstat(), former.get(file, (0, []))
                when = facts.st_mtime_ns
                if S_ISREG(facts.st_mode) and facts.st_size <= MOST_BYTES:  # no pipe, no link
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

    def _picked(self, _: Any) -> None:
        if not self._offering:
            self.look()

    def _told(self, _: Any) -> None:
        """Stay with a question whose right answer is shown, while the class goes on."""
        if self._tell.value and self.histogram:
            self._question.value = self._shown
        self.look()

    def _show(self) -> None:
        one = self.histogram
        display(self._row, one is not None)
        if one is None:
            self._counted.value = '<div class="gl-question">Nobody has answered yet.</div>'
            return
        truth = f". {one.told or 'Nobody has measured yet.'}" if self._tell.value else ""
        said = f"{one.n} answered{truth}"
        head = f'<div class="gl-question">{marked_up(one.title)}</div><p>{escape(said)}</p>'
        self._counted.value = head + bars.bars([(b.label, b.count, b.right) for b in one.bars])


def _events(file: Path) -> list[Event]:
    """Return what one student has shared; nothing of a file that is none of ours."""
    with suppress(OSError, ValueError, RecursionError):
        logs = merged([json.loads(file.read_text(encoding="utf-8"))])
        return [event for log in logs.values() for event in log if _is_known(event)]
    return []


def _is_known(event: Event) -> bool:
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
