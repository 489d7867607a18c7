"""A lab: an experiment with knobs, whose rows are shown as a chart and as a table."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from math import inf
from typing import Any

from ipywidgets import HTML, HBox, Image, Layout, VBox

from course.widgets.experiments import Rows
from course.widgets.knobs import button, classed, row, side_by_side
from course.widgets.panel import Bar, Notice, Panel, cell_text, error_text, marked_up, remark, table
from course.widgets.quiz import Predict, shortened
from course.widgets.runner import Outcome
from gamelib.picture import position
from gamelib.search.limits import Progress, SearchStopped, Stop
from gamelib.state import GameState

# Seconds of work from a turned knob to new rows; what takes longer waits for Run.  A chart of them
# and the page need about 0.15 more.
AT_ONCE = 0.15


class KnobsError(ValueError):
    """The knobs stand so that there is nothing to run."""


@dataclass(frozen=True)
class Run:
    """A run of an experiment: where the knobs stood, its rows, and their chart, also in numbers."""

    values: Mapping[str, Any]
    rows: Rows
    png: bytes = b""
    text: str = ""


class Lab(Panel):
    """An experiment with knobs: it asks for a guess first, and then a turned knob acts at once.

    experiment  a function of the knobs, by name, and of `progress` and `stop`; it returns rows
    knobs       widgets by name: `slider`, `steps`, `choice` or `tick` of `knobs` makes them
    chart       a function that draws rows as a Figure; the rows of the run before stand beside them
    ask         a `Predict` about the outcome, and a function that finds the answer in the rows, or
                None where they have none
    note        what the rows mean, in words
    positions   what is searched, by name: they are drawn beside the question

    From code: `lab.knobs["depth"].value = 5`, `lab.run()`, `lab.rows`; `lab.former` is the run
    before.
    """

    css = ("lab.css",)

    def __init__(
        self,
        title: str,
        experiment: Callable[..., Rows],
        knobs: Mapping[str, Any] | None = None,
        *,
        chart: Callable[[Rows, Rows], Any] | None = None,
        ask: tuple[Predict, Callable[[Rows], float | None]] | None = None,
        note: str = "",
        positions: Mapping[str, GameState] | None = None,
    ) -> None:
        self.title, self.experiment, self.knobs = title, experiment, dict(knobs or {})
        self.last: Run | None = None
        self.former: Run | None = None
        self.predict, self._measure = ask[0] if ask else None, ask[1] if ask else None
        self._draw, self._note, self._boards = chart, note, _drawn(positions or {})
        self._asked = False
        self._guessed: tuple[Any, Mapping[str, Any]] | None = None
        super().__init__(*self._make_widgets())
        self.add_class("gl-lab")
        for knob in self.knobs.values():
            knob.observe(lambda _: self._turned(), "value")
        self._show(busy=False)

    @property
    def rows(self) -> Rows:
        """The rows of the last run; none before the first."""
        return self.last.rows if self.last else []

    @property
    def values(self) -> dict[str, Any]:
        """Where the knobs stand."""
        return {name: knob.value for name, knob in self.knobs.items()}

    def run(self) -> Rows:
        """Run the experiment, wait for its end, and return the rows."""
        self._begin()
        self.runner.result()
        return self.rows

    def state_text(self) -> str:
        """Return the title, and where the knobs stood in the last run."""
        run = f"run with {self._in_words(self.last.values)}" if self.last else "not run"
        return f"{shortened(self.title)!r}, {run.removesuffix(' with ')}"

    # --- a run ---

    def _clicked_run(self) -> None:
        if self.predict and self.predict.guess is None and not self._asked:
            self._asked = True
            self._remark.show(remark("note", "Guess first; or press Run again to go without."))
        else:
            self._begin()

    def _turned(self) -> None:
        if self.last:
            self._begin(at_once=True)

    def _begin(self, at_once: bool = False) -> None:
        with self.runner.lock:
            self._show(busy=not at_once)
            self.runner.start(
                partial(self._work, self.values, AT_ONCE if at_once else inf),
                on_progress=self._progress.tell,
                on_end=partial(self._ended, at_once),
            )

    def _work(
        self, values: Mapping[str, Any], seconds: float, progress: Progress, stop: Stop
    ) -> Run:
        """Return a run; after so many seconds the experiment is given up."""
        stopped, end = False, time.process_time() + seconds

        def told() -> bool:
            nonlocal stopped
            stopped = stopped or stop() or time.process_time() > end
            return stopped

        rows = self.experiment(**values, progress=progress, stop=told)
        if not (isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows)):
            raise TypeError(f"an experiment returns rows, a list of dicts; got {rows!r}")
        if stopped:  # a search that was stopped may have answered with its best so far
            raise SearchStopped
        if self._draw is None:
            return Run(values, rows)
        former = self.last.rows if self.last and self.last.values != values else []
        figure = self._draw(rows, former)
        return Run(values, rows, figure.png(), figure.gamelib_text)

    def _ended(self, at_once: bool, outcome: Outcome) -> None:
        self._show(busy=False)
        if outcome.status == "done":
            self._show_run(outcome.result)
        elif isinstance(outcome.error, KnobsError):
            self._remark.show(remark("wrong", outcome.error))
        elif outcome.error is not None:
            self._remark.show(remark("error", error_text(outcome.error)))
        elif at_once:
            self._remark.show(remark("note", "This takes longer than a moment: press Run."))
        else:
            self._remark.show(remark("note", f"Stopped. {outcome.why}".strip()))

    # --- what is seen ---

    def _make_widgets(self) -> list[Any]:
        self._run_button = button("Run", self._clicked_run, "Run the experiment", "primary")
        self._stop_button = button("Stop", lambda: self.runner.stop(), "Stop the experiment")
        self._progress = Bar()
        # One row, and the chart next to it: both fit on a projector's screen.
        run = HBox([self._run_button, self._stop_button, self._progress])
        controls = row(*self.knobs.values(), classed(run, "gl-together"))
        self._remark, self._words = Notice(), Notice()
        self._image = Image(format="png", layout=Layout(display="none"))
        self._results = classed(VBox([self._words, self._image]), "gl-results")
        heading = HTML(f'<div class="gl-status">{marked_up(self.title)}</div>')
        asked = [self.predict] if self.predict else []
        question = classed(VBox([heading, *asked]), "gl-rest")
        top = side_by_side(question, *([HTML(self._boards)] if self._boards else []))
        return [top, classed(controls, "gl-knobs"), self._remark, self._results]

    def _show(self, busy: bool) -> None:
        self._run_button.disabled, self._stop_button.disabled = busy, not busy
        for knob in self.knobs.values():
            knob.disabled = busy
        self._progress.show(busy)
        self._remark.show("")
        stale = self.last is not None and self.last.values != self.values
        (self._results.add_class if stale else self._results.remove_class)("gl-former")

    def _show_run(self, run: Run) -> None:
        if self.last and self.last.values != run.values:
            self.former = self.last
        self.last = run
        self._image.value = run.png
        self._image.layout.display = "" if run.png else "none"
        shown = f"Shown: {self._in_words(run.values)}." if run.values else ""
        if self.former:
            other = {n: value for n, value in self.former.values.items() if value != run.values[n]}
            shown += f" The run before, drawn pale: {self._in_words(other)}."
        # One message behind the chart, and the verdict on the guess behind what it speaks of.
        self._words.show(
            f"<div>{marked_up(shown)}</div>"
            f'<div class="gl-under">{_small(self._note)}{_table_of(run.rows)}'
            f"{_small(run.text)}</div>"
        )
        self._results.remove_class("gl-former")
        self._judge(run)

    def _judge(self, run: Run) -> None:
        """Set the guess beside what was measured; it was made for where the knobs stood first."""
        found = self._measure(run.rows) if self._measure else None
        if self.predict is None or found is None:
            return
        if self._guessed is None or self._guessed[0] != self.predict.answers:
            self._guessed = self.predict.answers, run.values
        made_for = self._guessed[1]
        if made_for == run.values:
            self.predict.compare(found)
        elif self.predict.guess is not None:
            other = {name: value for name, value in made_for.items() if value != run.values[name]}
            self.predict.set_aside(f"{self._in_words(other)}. Guess again for what is shown now")

    def _in_words(self, values: Mapping[str, Any]) -> str:
        return ", ".join(f"{self.knobs[n].description} {_setting(v)}" for n, v in values.items())


# --- words and tables ---


def _drawn(positions: Mapping[str, GameState]) -> str:
    """Return the positions as a row of small boards, with their names below."""
    drawn = {name: position(state) for name, state in positions.items() if state.spots()}
    boards = "".join(f"<div>{board}{escape(name)}</div>" for name, board in drawn.items())
    return f'<div class="gl-strip">{boards}</div>' if boards else ""


def _table_of(rows: Rows) -> str:
    """Return the rows as a table; the ends of an interval stand beside its number."""
    ends = (" from", " to")
    shown = []
    for each in rows:
        cells = {name: value for name, value in each.items() if not name.endswith(ends)}
        for name, value in cells.items():
            if isinstance(value, list):
                cells[name] = "; ".join(map(str, value))
            if f"{name} from" in each:
                low, high = (cell_text(each[name + end]) for end in ends)
                cells[name] = f"{cell_text(each[name])} ({low} to {high})"
        shown.append(cells)
    columns = list(dict.fromkeys(name for cells in shown for name in cells))
    return table(columns, [[cells.get(name) for name in columns] for cells in shown])


def _small(text: str) -> str:
    return f'<div class="gl-small-print">{marked_up(text)}</div>' if text else ""


def _setting(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return cell_text(value)
