"""A widget that trains a net and shows its progress; it can be stopped and resumed at any time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ipywidgets import HTML

from course.draw import charts
from course.lessons.learning.net_boards import show_net
from course.widgets.controls import button, row, side_by_side
from course.widgets.panel import Notice, Panel, ProgressBar, error_text, message_html
from course.widgets.runner import RunOutcome
from gamelib.games import TicTacToe
from gamelib.search.callbacks import Progress, Stop

if TYPE_CHECKING:
    from course.lessons.learning.training import Training

CHARTED = 3  # the number of rounds between two charts, because drawing one takes as long as a round
STOPPED_MESSAGE = (
    "Stopped. What was learned is kept, up to the last whole round; Train continues from there."
)


class Trainer(Panel):
    """A training with the curve of its accuracy, and boards with the predictions of its net.

    training   a `Training`; its numbers are the same whether it is interrupted or not
    rounds     the number of rounds at the end
    positions  the positions for which the predictions are drawn

    From code: `trainer.train()` trains to the end and returns the rows of `training.rounds`.
    """

    css = ("trainer.css",)

    def __init__(
        self, training: Training, *, rounds: int = 12, positions: Sequence[TicTacToe] = ()
    ) -> None:
        self.training, self.rounds, self.positions = training, rounds, tuple(positions)
        self._lock = threading.Lock()  # a training that was stopped may still finish its round
        self._train = button("Train", self._start, "Train the net", "primary")
        self._stop = button("Stop", lambda: self.runner.stop(), "Stop the net")
        self._progress = ProgressBar()
        self._said, self._reached, self._boards = Notice(), Notice(), Notice()
        self._image = HTML()
        controls = row(self._train, self._stop, self._progress)
        both = side_by_side(self._boards, self._image)
        super().__init__(controls, self._said, self._reached, both)
        self.add_class("gl-trainer")
        self._show()
        self._busy(False)

    def train(self) -> list[dict[str, Any]]:
        """Train to the end, wait for it, and return a row for each round."""
        self._start()
        self.runner.result()
        return self.training.rounds

    def state_text(self) -> str:
        """Return the number of rounds done."""
        done = len(self.training.rounds) - 1
        return f"{type(self.training).__name__}, {done} of {self.rounds} rounds"

    def _start(self) -> None:
        self._busy(True)
        self.runner.start(self._work, on_progress=self._progress.set_progress, on_end=self._on_end)

    def _work(self, progress: Progress, stop: Stop) -> int:
        """Train until all rounds are done, and return their number."""
        with self._lock:
            while (done := len(self.training.rounds) - 1) < self.rounds:

                def report(share: float, best: Any, done: int = done) -> None:
                    progress((done + share) / self.rounds, best)

                self.training.round(report, stop)
                self._show()
        return done

    def _on_end(self, outcome: RunOutcome) -> None:
        self._busy(False)
        if outcome.error is not None:
            words = f"{error_text(outcome.error)} The net is the one of the last whole round."
            self._said.show(message_html("error", words))
        elif outcome.status != "done":
            self._said.show(message_html("note", f"{STOPPED_MESSAGE} {outcome.reason}".strip()))

    def _show(self) -> None:
        """Show the curve, the table and the boards."""
        rows = self.training.rounds
        if self.positions:
            self._boards.show(show_net(self.training.outputs, self.positions))
        self._reached.show(f"<div>{_in_words(rows[-1])}</div>")
        if len(rows) % CHARTED == 1 and len(rows) > 1:
            figure: Any = charts.learning(self.training.curves())
            self._image.value = figure.html()

    def _busy(self, busy: bool) -> None:
        self._train.disabled = busy or len(self.training.rounds) > self.rounds
        self._stop.disabled = not busy
        self._progress.show(busy)
        if busy:
            self._said.show("")


def _in_words(row: dict[str, Any]) -> str:
    shares = ", ".join(f"{name} {row[name] / row['of']:.1%}" for name in ("by priors", "by values"))
    return f"After {row['games']} games, optimal choices: {shares}, of {row['of']:,} positions."
