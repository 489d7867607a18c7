"""The widget of a lab: an experiment with controls, whose rows are shown as a chart and a table."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from math import inf
from typing import Any

from ipywidgets import HTML, HBox, VBox

from course.widgets.controls import add_css_classes, button, row, side_by_side
from course.widgets.panel import (
    Notice,
    Panel,
    ProgressBar,
    cell_text,
    error_text,
    markup_to_html,
    message_html,
    table,
)
from course.widgets.quiz import Predict, shorten
from course.widgets.repeated_mcts import Rows
from course.widgets.runner import RunOutcome
from gamelib.search.callbacks import Progress, SearchStopped, Stop
from gamelib.state import GameState
from gamelib.svg import board_svg

# The time that an experiment may take after a control has changed; one that takes longer waits for
# Run. Drawing the chart and updating the page need about 0.15 s more.
QUICK_RUN_SECONDS = 0.15


class ControlsError(ValueError):
    """The controls have values with which there is nothing to run."""


@dataclass(frozen=True)
class LabRun:
    """A run of an experiment: the values of its controls, its rows, and their chart.

    image  the chart as an HTML image
    text   the numbers of the chart as text
    """

    values: Mapping[str, Any]
    rows: Rows
    image: str = ""
    text: str = ""


class Lab(Panel):
    """An experiment with controls: after a first run, changing a control runs it again.

    experiment  a function of the controls, by name, and of `progress` and `stop`; returns rows
    controls    widgets by name, made by `controls.slider`, `selection_slider`, `dropdown` or
                `checkbox`
    chart       a function that draws rows as a Figure, next to the rows of the previous run
    ask         a `Predict` about the outcome, and a function that finds the answer in the rows;
                None if they do not have it
    note        the meaning of the rows, as text
    positions   the positions that are searched, by name; they are drawn next to the question

    From code: `lab.controls["depth"].value = 5`, `lab.run()`, `lab.rows`; `lab.previous` is the
    previous run.
    """

    css = ("lab.css",)

    def __init__(
        self,
        title: str,
        experiment: Callable[..., Rows],
        controls: Mapping[str, Any] | None = None,
        *,
        chart: Callable[[Rows, Rows], Any] | None = None,
        ask: tuple[Predict, Callable[[Rows], float | None]] | None = None,
        note: str = "",
        positions: Mapping[str, GameState] | None = None,
    ) -> None:
        self.title, self.experiment, self.controls = title, experiment, dict(controls or {})
        self.last: LabRun | None = None
        self.previous: LabRun | None = None
        self.predict, self._measure = ask[0] if ask else None, ask[1] if ask else None
        self._draw, self._note, self._boards = chart, note, _drawn(positions or {})
        self._asked = False
        self._guessed: tuple[Any, Mapping[str, Any]] | None = None
        super().__init__(*self._make_widgets())
        self.add_class("gl-lab")
        for control in self.controls.values():
            control.observe(lambda _: self._on_control_change(), "value")
        self._show(busy=False)

    @property
    def rows(self) -> Rows:
        """The rows of the last run; [] before the first."""
        return self.last.rows if self.last else []

    @property
    def values(self) -> dict[str, Any]:
        """The values of the controls, by name."""
        return {name: control.value for name, control in self.controls.items()}

    def run(self) -> Rows:
        """Run the experiment, wait for its end, and return the rows."""
        self._begin()
        self.runner.result()
        return self.rows

    def state_text(self) -> str:
        """Return the title, and the values of the controls in the last run."""
        run = f"run with {self._in_words(self.last.values)}" if self.last else "not run"
        return f"{shorten(self.title)!r}, {run.removesuffix(' with ')}"

    # --- a run ---

    def _on_run_click(self) -> None:
        if self.predict and self.predict.guess is None and not self._asked:
            self._asked = True
            self._remark.show(
                message_html("note", "Guess first, or press Run again to go on without a guess.")
            )
        else:
            self._begin()

    def _on_control_change(self) -> None:
        if self.last:
            self._begin(at_once=True)

    def _begin(self, at_once: bool = False) -> None:
        with self.runner.lock:
            self._show(busy=not at_once)
            self.runner.start(
                partial(self._work, self.values, QUICK_RUN_SECONDS if at_once else inf),
                on_progress=self._progress.set_progress,
                on_end=partial(self._on_end, at_once),
            )

    def _work(
        self, values: Mapping[str, Any], seconds: float, progress: Progress, stop: Stop
    ) -> LabRun:
        """Return a run of the experiment, which is cancelled after this number of seconds."""
        stopped, end = False, time.process_time() + seconds

        def must_stop() -> bool:
            nonlocal stopped
            stopped = stopped or stop() or time.process_time() > end
            return stopped

        rows = self.experiment(**values, progress=progress, stop=must_stop)
        if not (isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows)):
            raise TypeError(
                f"the experiment must return rows, a list of dicts; it returned {rows!r}"
            )
        if stopped:  # a search that was stopped may have returned its best so far
            raise SearchStopped
        if self._draw is None:
            return LabRun(values, rows)
        previous = self.last.rows if self.last and self.last.values != values else []
        figure = self._draw(rows, previous)
        return LabRun(values, rows, figure.html(), figure.gamelib_text)

    def _on_end(self, at_once: bool, outcome: RunOutcome) -> None:
        self._show(busy=False)
        if outcome.status == "done":
            self._show_run(outcome.result)
        elif isinstance(outcome.error, ControlsError):
            self._remark.show(message_html("wrong", outcome.error))
        elif outcome.error is not None:
            self._remark.show(message_html("error", error_text(outcome.error)))
        elif at_once:
            self._remark.show(message_html("note", "This takes a while, so press Run."))
        else:
            self._remark.show(message_html("note", f"Stopped. {outcome.reason}".strip()))

    # --- display ---

    def _make_widgets(self) -> list[Any]:
        self._run_button = button("Run", self._on_run_click, "Run the experiment", "primary")
        self._stop_button = button("Stop", lambda: self.runner.stop(), "Stop the experiment")
        self._progress = ProgressBar()
        # One row of controls with the chart below, so that both fit on a projector's screen.
        run = HBox([self._run_button, self._stop_button, self._progress])
        controls = row(*self.controls.values(), add_css_classes(run, "gl-together"))
        self._remark, self._words = Notice(), Notice()
        self._image = HTML()
        self._results = add_css_classes(VBox([self._words, self._image]), "gl-results")
        heading = HTML(f'<div class="gl-status">{markup_to_html(self.title)}</div>')
        asked = [self.predict] if self.predict else []
        question = add_css_classes(VBox([heading, *asked]), "gl-rest")
        top = side_by_side(question, *([HTML(self._boards)] if self._boards else []))
        return [top, add_css_classes(controls, "gl-lab-controls"), self._remark, self._results]

    def _show(self, busy: bool) -> None:
        self._run_button.disabled, self._stop_button.disabled = busy, not busy
        for control in self.controls.values():
            control.disabled = busy
        self._progress.show(busy)
        self._remark.show("")
        stale = self.last is not None and self.last.values != self.values
        (self._results.add_class if stale else self._results.remove_class)("gl-previous")

    def _show_run(self, run: LabRun) -> None:
        if self.last and self.last.values != run.values:
            self.previous = self.last
        self.last = run
        self._image.value = run.image
        shown = f"Shown: {self._in_words(run.values)}." if run.values else ""
        if self.previous:
            changed = {
                n: value for n, value in self.previous.values.items() if value != run.values[n]
            }
            shown += f" The previous run is pale: {self._in_words(changed)}."
        # The texts are one message, sent after the chart, so that a verdict never precedes the
        # chart that it is about.
        self._words.show(
            f"<div>{markup_to_html(shown)}</div>"
            f'<div class="gl-under">{_small(self._note)}{_table_of(run.rows)}'
            f"{_small(run.text)}</div>"
        )
        self._results.remove_class("gl-previous")
        self._compare_guess(run)

    def _compare_guess(self, run: LabRun) -> None:
        """Show the guess next to the measurement; it is valid for the values at its first run."""
        measured = self._measure(run.rows) if self._measure else None
        if self.predict is None or measured is None:
            return
        if self._guessed is None or self._guessed[0] != self.predict.answers:
            self._guessed = self.predict.answers, run.values
        made_for = self._guessed[1]
        if made_for == run.values:
            self.predict.show_verdict(measured)
        elif self.predict.guess is not None:
            changed = {name: value for name, value in made_for.items() if value != run.values[name]}
            self.predict.mark_not_comparable(
                f"{self._in_words(changed)}. Guess again for what is shown now"
            )

    def _in_words(self, values: Mapping[str, Any]) -> str:
        return ", ".join(f"{self.controls[n].description} {_setting(v)}" for n, v in values.items())


# --- texts and tables ---


def _drawn(positions: Mapping[str, GameState]) -> str:
    """Return the positions as a row of small boards, with their names below."""
    drawn = {name: board_svg(state) for name, state in positions.items() if state.spots()}
    boards = "".join(f"<div>{board}{escape(name)}</div>" for name, board in drawn.items())
    return f'<div class="gl-strip">{boards}</div>' if boards else ""


def _table_of(rows: Rows) -> str:
    """Return the rows as a table, with the ends of an interval next to its number."""
    ends = (" from", " to")
    shown = []
    for lab_row in rows:
        cells = {name: value for name, value in lab_row.items() if not name.endswith(ends)}
        for name, value in cells.items():
            if isinstance(value, list):
                cells[name] = "; ".join(map(str, value))
            if f"{name} from" in lab_row:
                low, high = (cell_text(lab_row[name + end]) for end in ends)
                cells[name] = f"{cell_text(lab_row[name])} ({low} to {high})"
        shown.append(cells)
    columns = list(dict.fromkeys(name for cells in shown for name in cells))
    return table(columns, [[cells.get(name) for name in columns] for cells in shown])


def _small(text: str) -> str:
    return f'<div class="gl-small-print">{markup_to_html(text)}</div>' if text else ""


def _setting(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return cell_text(value)
