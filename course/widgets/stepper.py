"""A search, step by step: forwards, backwards, with questions before it moves."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from ipywidgets import (
    HTML,
    BoundedIntText,
    Button,
    Checkbox,
    Dropdown,
    HBox,
    IntSlider,
    Text,
    ToggleButton,
    VBox,
)

from course.draw import tree_text
from course.draw.frames import Film
from course.draw.tree_items import source_of
from course.draw.tree_words import sentence as node_sentence
from course.draw.words import capital, in_words, path_in_words
from course.kit.record import note
from course.widgets.panel import Notice, Panel, marked_up, remark
from course.widgets.questions import MOST_CHOICES, Question, judge, parse_value, questions
from course.widgets.quiz import Feedback, number_field, shortened
from course.widgets.reel import fragment, reel, write_page
from course.widgets.scene import Scene, scene, touching
from course.widgets.tree_pane import LARGEST, TreePane
from course.widgets.tree_pane import STYLE as TREE_STYLE
from gamelib.games.game_tree import Chance, GameTree
from gamelib.picture import position
from gamelib.search.result import SearchResult
from gamelib.state import CHANCE, GameState, check_state, is_number
from gamelib.trace.trace import Trace, record
from gamelib.trace.visits import Path

# What is above the tree has its height, whatever it says: nothing moves from step to step.  The
# tree and what stands beside it take what is left of the window.
STYLE = """<style>
.gl-stepper { --said: 50px; --asked: 42px; --main: clamp(185px, 100vh - 302px, 560px); gap: 6px;
  overflow: visible; }
.gl-stepper .gl-row { gap: 6px; }
.gl-stepper .gl-talk { height: calc(var(--said) + var(--asked)); overflow: auto; gap: 4px;
  flex: none; border-left: 4px solid #8c8c8c; padding: 0 0 0 10px; }
.gl-stepper .gl-talk * { margin-left: 0; }
.gl-stepper .gl-talk > * { flex: none; margin: 0; }
.gl-stepper .gl-say { height: var(--said); overflow: auto; }
.gl-stepper .gl-answered:not(.gl-empty) ~ * { display: none; }
.gl-stepper .gl-talk:has(.gl-ask:not([style*="none"])) { border-color: #E69F00; }
.gl-stepper .gl-main { height: var(--main); flex-flow: row nowrap; align-items: stretch;
  gap: 10px; overflow: visible; }
.gl-stepper .gl-tree { flex: 1 1 0; min-width: 0; height: 100%; border: 1px solid #8c8c8c; }
.gl-stepper .gl-side { flex: 0 1 48%; min-width: 0; max-width: 600px; flex-flow: column nowrap;
  align-items: stretch; gap: 6px; overflow: hidden; }
.gl-stepper .gl-program { flex: 1 1 0; min-height: 70px; background: #ffffff; overflow: auto;
  border: 1px solid #8c8c8c; border-radius: 8px; scroll-snap-type: y mandatory; margin: 0; }
.gl-stepper .gl-below { flex: 0 0 auto; height: 62%; gap: 8px; overflow: hidden;
  flex-flow: column nowrap; }
.gl-stepper { container-type: inline-size; }
.gl-stepper .gl-fixed { --pane: max(52cqw, 100cqw - 610px); }
.gl-stepper .gl-wide { --pane: 64cqw; }
.gl-stepper .gl-wide .gl-side { flex-basis: 36%; }
@media (min-height: 601px) { .gl-stepper :is(.gl-fixed, .gl-wide) .gl-below { height: 45%; } }
.gl-stepper .gl-scores { flex: 1 1 0; min-width: 0; overflow: auto; margin: 0; }
.gl-stepper .gl-side th, .gl-stepper .gl-side td { padding: 2px 5px; }
.gl-stepper td { white-space: nowrap; }
.gl-stepper .widget-html, .gl-stepper .widget-html-content { max-width: 100%; }
.gl-stepper .gl-code { color: #1a1a1a; padding: 2px 0 6px;
  font: 12px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; }
.gl-stepper .gl-code div { position: relative; white-space: pre-wrap; padding-right: 10px;
  text-indent: -2ch; }
.gl-stepper .gl-code div.gl-runs { background: #FFF3C4; font-weight: 700;
  scroll-snap-align: center; animation: gl-found 0.4s step-end forwards; }
.gl-stepper .gl-code div.gl-runs::before { content: "▶"; content: "▶" / ""; position: absolute;
  left: 8px; text-indent: 0; }
.gl-stepper .gl-sentence { font-size: 17px; font-weight: 600; line-height: 1.35; }
.gl-stepper .gl-text pre { font-size: 13px; line-height: 1.45; max-height: 300px; overflow: auto;
  background: #ffffff; color: #1a1a1a; border: 1px solid #8c8c8c; padding: 8px; margin: 0; }
.gl-stepper .gl-board { flex: none; margin: 0; }
.gl-stepper .gl-board svg { width: auto; height: calc(0.31 * var(--main)); display: block; }
.gl-stepper .widget-hslider { flex: 1 1 120px; width: 120px; min-width: 90px; }
.gl-stepper .gl-row .jupyter-button { min-width: 0; padding: 0 10px; }
.gl-stepper .gl-row .widget-text, .gl-stepper .gl-row .widget-dropdown { width: auto;
  flex: none; }
.gl-stepper .gl-row .widget-text input { width: 62px; flex: none; }
.gl-stepper .gl-ask .widget-text input { width: 140px; }
.gl-stepper .widget-text .widget-label, .gl-stepper .widget-dropdown .widget-label {
  width: auto; }
.gl-stepper .gl-row select { width: auto; }
.gl-stepper .gl-speed .widget-label { font-size: 0; margin: 0; padding: 0; }
.gl-stepper .gl-ask { gap: 4px; overflow: visible; flex: none; }
.gl-stepper .gl-question { font-weight: 600; }
.gl-stepper .gl-answered { font-size: 15px; margin: 0; }
.gl-stepper .gl-answered div { padding-top: 0; padding-bottom: 0; }
.gl-stepper.gl-big { zoom: 1.4; --main: clamp(185px, 100vh / 1.4 - 260px, 560px); }
/* Another name begins the animation anew, which brings what it marks back into view. */
@keyframes gl-found-narrow { to { scroll-snap-align: none; } }
@keyframes gl-found-low { to { scroll-snap-align: none; } }
@media (max-width: 1100px) {
  .gl-stepper { --asked: 72px; --main: clamp(185px, 100vh - 371px, 560px); }
  .gl-stepper .gl-side table { font-size: 12.5px; }
  .gl-stepper .gl-side th, .gl-stepper .gl-side td { padding: 2px 3px; }
  .gl-stepper .gl-board svg { height: calc(0.27 * var(--main)); }
  .gl-stepper :is(.gl-runs, .gl-here) { animation-name: gl-found-narrow !important; }
}
@media (max-width: 600px) {
  .gl-stepper .gl-talk { height: auto; overflow: visible; }
}
@media (max-height: 600px) {
  .gl-stepper { --said: 42px; --asked: 40px; --main: clamp(185px, 100vh - 260px, 560px); gap: 4px; }
  .gl-stepper .gl-row { gap: 5px; }
  .gl-stepper .gl-row .jupyter-button { padding: 0 7px; font-size: 13px; height: 28px;
    line-height: 26px; }
  .gl-stepper .gl-row .widget-text input { width: 48px; }
  .gl-stepper .gl-row .widget-hslider { min-width: 60px; width: 60px; flex-basis: 60px; }
  .gl-stepper .gl-sentence, .gl-stepper .gl-question, .gl-stepper .gl-answered {
    font-size: 14.5px; line-height: 1.35; }
  .gl-stepper .gl-answered > * { line-height: 1.35; font-size: 14px; }
  .gl-stepper .gl-answered div div { padding: 0 8px; }
  .gl-stepper .gl-side { flex-basis: 54%; }
  .gl-stepper :is(.gl-runs, .gl-here) { animation-name: gl-found-low !important; }
  .gl-stepper .gl-below { height: 58%; flex-flow: row nowrap; gap: 4px; }
  .gl-stepper .gl-board svg { height: auto; width: 100px; }
  .gl-stepper .gl-code { font-size: 11.5px; }
  .gl-stepper .gl-side .widget-html-content, .gl-stepper .gl-side table { font-size: 12px;
    line-height: 1.3; }
  .gl-stepper .gl-side th, .gl-stepper .gl-side td { padding: 1px 3px; }
}
TREE_STYLE</style>""".replace("TREE_STYLE", TREE_STYLE)

LOW = 340  # pixels: what program and table need beside a small tree
WIDTH = 680  # pixels that a tree is folded to
SMALL = 24  # nodes of a tree that are drawn as boards
STEPS = 100  # of a node that are listed
SPEEDS = {"slow": 2.5, "normal": 1.0, "fast": 0.3}  # seconds a step


class SearchStepper(Panel):
    """A search to walk through: `SearchStepper(alphabeta, state)`, or one recorded before.

    With `ask=True` it stops before some steps and asks what comes next; `big=True` is for a
    lecture hall.  From code: `first`, `back`, `next`, `last`, `skip`, `go_to(step)`, `play`,
    `pause`, `answer(...)`, `look_at(*path)`, `expand(*path)`, and in a textbook tree
    `change_leaf(path, value)`.  Other options go to the search.
    """

    def __init__(
        self,
        search: Callable[..., SearchResult] | Trace,
        state: GameState | None = None,
        *,
        ask: bool = False,
        big: bool = False,
        **options: Any,
    ) -> None:
        self._search, self._options = search, options
        self._lock = threading.RLock()
        self._busy = False
        self.expanded: set[Path] = set()
        self.looked_at: Path | None = None  # the node whose facts are shown
        self._take(_trace(search, state, options))
        self.step = 0
        self._make_parts(ask)
        rows = (self._controls, self._talk, self._main, self._more, self._text)
        super().__init__(HTML(STYLE), *rows)
        self.add_class("gl-stepper")
        self.big = big
        self._show()

    def _take(self, trace: Trace) -> None:
        """Show this trace from now on."""
        self.trace, self.film = trace, Film(trace)
        # Decided once: a tree that changed its look while it grows would be hard to follow.
        self._boards = bool(trace.state.spots()) and len(trace.visits) <= SMALL
        # By the number of the moment at which they are asked.
        self.questions = {self.film.of(step): q for step, q in questions(trace).items()}
        self.answered: dict[int, bool] = {}  # by step: whether the first answer was right
        self._tries_again: set[int] = set()  # the steps of questions with one wrong answer

    # --- from code ---

    def first(self) -> None:
        """Go to the beginning, before the first event."""
        self.go_to(0)

    def back(self) -> None:
        """Go one step back."""
        self.go_to(max(0, self.step - 1))

    def next(self) -> None:
        """Go one step on; in ask mode a question that waits for its answer holds it up."""
        with self._lock:
            if self.question is None and self.step < len(self.film) - 1:
                self.go_to(self.step + 1)

    def skip(self) -> None:
        """Go to the end of this simulation, or of the next one; a question holds it up."""
        with self._lock:
            if self.question is None:
                end = self.film.end_of_simulation(self.step)
                waiting = self.questions if self.asks else {}
                open_ones = [at for at in waiting if at not in self.answered]
                self.go_to(min([end, *(at for at in open_ones if at > self.step)]))

    def last(self) -> None:
        """Go to the end."""
        self.go_to(len(self.film) - 1)

    def go_to(self, step: int) -> None:
        """Show a moment, 0 to `len(stepper.film) - 1`; ValueError for another."""
        with self._lock:
            if type(step) is not int or not 0 <= step < len(self.film):
                must = f"step must be an int from 0 to {len(self.film) - 1}"
                raise ValueError(f"{must}; got {step!r}")
            self.step, self.looked_at = step, None
            self._feedback.show("")
            self._show()

    def play(self, seconds: float | None = None) -> None:
        """Go on by itself up to the end or the next question, a step each so many seconds.

        Without `seconds` as fast as the field "Speed" says.
        """
        if seconds is not None and not (is_number(seconds) and 0 <= seconds < 60):
            raise ValueError(f"seconds must be between 0 and 60; got {seconds!r}")

        def work(progress: Any, stop: Callable[[], bool]) -> None:
            while not stop() and self.question is None and self.step < len(self.film) - 1:
                begun = time.monotonic()
                while time.monotonic() < begun + self._pace(seconds) and not stop():
                    time.sleep(min(0.05, self._pace(seconds)))
                if not stop():
                    self.next()

        def end(outcome: Any) -> None:
            self._play.description = "Play"

        self._play.description = "Pause"
        self.runner.start(work, on_progress=lambda share, best: None, on_end=end)

    def _pace(self, seconds: float | None) -> float:
        return float(self._speed.value) if seconds is None else seconds

    def pause(self) -> None:
        """Stop playing."""
        self.runner.discard()
        self._play.description = "Play"

    def wait(self) -> None:
        """Return when it has stopped playing."""
        self.runner.wait()

    @property
    def asks(self) -> bool:
        """Whether it asks before it moves."""
        return bool(self._ask.value)

    @asks.setter
    def asks(self, asks: bool) -> None:
        self._ask.value = asks

    @property
    def question(self) -> Question | None:
        """The question that waits for an answer; None if there is none."""
        closed = self.step in self.answered and self.step not in self._tries_again
        return None if closed else self._asked_here

    @property
    def _asked_here(self) -> Question | None:
        """The question of this step, answered or not."""
        return self.questions.get(self.step) if self.asks else None

    @property
    def score(self) -> tuple[int, int]:
        """How many questions were answered right at first, and how many were answered."""
        return sum(self.answered.values()), len(self.answered)

    def answer(self, answer: Any) -> Feedback:
        """Return what is said to an answer; the first one to each question counts.

        A wrong one is answered with a hint, and only the second wrong one with the truth.
        ValueError where nothing is asked, or the answer is not one of the choices.
        """
        with self._lock:
            question = self._asked_here
            if question is None:
                raise ValueError("no question waits for an answer at this step")
            first = self.step not in self.answered
            judgement = judge(self.trace, question, answer, tell=not first)
            self.answered.setdefault(self.step, judgement.right)
            if first:
                self._note(question, answer, judgement.right)
            said = f"{'Right' if judgement else 'Not so'}. {judgement.why}"
            self._tries_again.discard(self.step)
            if first and not judgement:
                self._tries_again.add(self.step)
                said += " Try once more."
            scored = "{} ({} of {} right)".format(said, *self.score)
            self._feedback.show(remark("right" if judgement else "wrong", scored))
            self._show()
            return Feedback(said)

    def _note(self, question: Question, answer: Any, right: bool) -> None:
        """Record the first answer to a question."""
        where = f"{self.trace.search}, {shortened(repr(self.trace.state))}, step {self.step}"
        given = str(answer).strip() if question.choices else in_words(parse_value(answer))
        truth = in_words(question.right)
        note("step", f"{where}: {question.prompt}", given=given, right=right, truth=truth)

    def expand(self, *path: Any) -> None:
        """Open a node of a folded tree with all its children: `expand(4, 0)`."""
        self.expanded.add(path)
        self._show()

    def fold(self) -> None:
        """Close all the nodes that were opened."""
        self.expanded.clear()
        self._show()

    def look_at(self, *path: Any) -> None:
        """Show the position and the numbers of a node, and where in the trace it takes part.

        ValueError if the search has not been there yet.
        """
        with self._lock:
            self.film[self.step].node(path)  # checks it
            self.looked_at = path
            self._show()

    def change_leaf(self, path: Path, value: Any) -> None:
        """Give a leaf of a textbook tree another value, and search again.

        ValueError where there is no such leaf, or the search is not known but only its trace.
        """
        if isinstance(self._search, Trace) or not isinstance(self.trace.state, GameTree):
            raise ValueError("leaves can be changed where a search goes through a GameTree")
        if not isinstance(path, Sequence) or isinstance(value, list):
            must = "path must be like (0, 2), and value the number of a leaf"
            raise TypeError(f"{must}; got {path!r}, {value!r}")
        with self._lock:
            ended = self.step == len(self.film) - 1
            changed = with_leaf(self.trace.state, tuple(path), value)
            self._take(record(self._search, changed, **self._options))
            self.step = len(self.film) - 1 if ended else min(self.step, len(self.film) - 1)
            self._show()

    def to_html(self, file: str | os.PathLike[str]) -> None:
        """Write one HTML file that steps through this search without Python and without a network.

        For slides and learning platforms.  It has the arrow keys, Home and End, the questions, and
        the step in its address (`#step=17`), and begins where this stands.
        """
        title = f"{self.trace.search} on {type(self.trace.state).__name__}"
        write_page(file, title, fragment("stepper", self.reel()))

    def reel(self) -> dict[str, Any]:
        """Return all that can be shown, as data for a page: see `course.widgets.reel`."""
        shown = reel(self.film, self._scene, self.questions)
        return shown | {"step": self.step, "asks": self.asks}

    def state_text(self) -> str:
        """Return what is searched, and where in it this stands."""
        right, asked = self.score
        score = f", {right} of {asked} right" if asked else ""
        state = repr(self.trace.state)
        if len(state) > 70 or " at 0x" in state:
            state = type(self.trace.state).__name__
        return f"{self.trace.search} on {state}, step {self.step} of {len(self.film) - 1}{score}"

    @property
    def big(self) -> bool:
        """Whether it is as large as in a lecture hall."""
        return bool(self._big.value)

    @big.setter
    def big(self, big: bool) -> None:
        self._big.value = big

    # --- the parts ---

    def _make_parts(self, ask: bool) -> None:
        self._make_controls(ask)
        self._said, self._feedback, self._prompt = HTML(), Notice(), HTML()
        self._choices = _row()
        self._asked = _row(self._prompt, self._choices)
        self._asked.add_class("gl-ask")
        self._feedback.add_class("gl-answered")  # in the place of the sentence
        saying = VBox([self._feedback, self._said])
        saying.add_class("gl-say")
        self._make_inspector()
        self._talk = VBox([saying, self._asked, self._inspector])
        self._talk.add_class("gl-talk")
        self._tree = TreePane(self._node_clicked)
        self._lines, self._table, self._board, self._text = (HTML() for _ in range(4))
        for part, name in (
            (self._lines, "gl-program"),
            (self._table, "gl-scores"),
            (self._board, "gl-board"),
            (self._text, "gl-text"),
        ):
            part.add_class(name)
        below = HBox([self._table, self._board])
        below.add_class("gl-below")
        side = VBox([self._lines, below])
        side.add_class("gl-side")
        self._main = HBox([self._tree, side])
        self._main.add_class("gl-main")
        self._shown_question: Question | None = None
        self._last_typed = ""

    def _make_inspector(self) -> None:
        """Make what is shown of a node that was clicked: where it takes part, and its value."""
        self._steps = Dropdown(description="Go to", tooltip="Go to a step of this node")
        self._steps.observe(self._step_chosen, "value")
        self._leaf = Text(description="Change the leaf to", continuous_update=False)
        self._leaf.observe(self._leaf_given, "value")
        close = self._button("Close", "Back to the step", self._look_away)
        self._open = self._button("Open", "Show all that is below this node", self._open_node)
        self._inspector = _row(self._steps, self._leaf, self._open, close)

    def _make_controls(self, ask: bool) -> None:
        buttons = [
            self._button("First", "Go to the beginning", self.first),
            self._button("Back", "Go one step back", self.back),
            self._button("Next", "Go one step on", self.next, primary=True),
            self._button("Last", "Go to the end", self.last),
        ]
        self._first, self._back, self._next, self._last = buttons
        if self.trace.is_mcts:
            buttons.append(self._button("Skip", "Go to the end of this simulation", self.skip))
        self._play = self._button("Play", "Play and pause", self._toggle_play)
        self._speed = Dropdown(options=SPEEDS, value=SPEEDS["normal"], description="Speed")
        self._speed.add_class("gl-speed")
        # ipywidgets gives a slider's handle no name: the field is its twin for screen readers
        self._number = BoundedIntText(max=len(self.film) - 1, description="Step")
        self._slider = IntSlider(max=len(self.film) - 1, readout=False, tooltip="Drag to a step")
        for control in (self._number, self._slider):
            control.observe(self._chosen, "value")
        self._ask = self._toggle("Ask me", "Ask before some steps what comes next", ask)
        self._big = self._toggle("Big", "Large, for a lecture hall")
        self._as_text = self._toggle("As text", "Show the tree as text, too")
        self._cover = Checkbox(description="Cover the leaves not reached", indent=False)
        self._cover.observe(lambda _: self._show(), "value")
        self._fold = self._button("Fold", "Close the nodes that were opened", self.fold)
        self._of, self._legend = HTML(), HTML()
        place = _row(self._number, self._of)
        moving = [*buttons, self._play, self._speed, place, self._slider]
        self._controls = _row(*moving, self._ask)
        self._more = _row(self._big, self._as_text, self._cover, self._fold, self._legend)

    def _toggle(self, name: str, tooltip: str, value: bool = False) -> ToggleButton:
        button = ToggleButton(value=value, description=name, tooltip=tooltip)
        button.observe(lambda _: self._show(), "value")
        return button

    def _button(
        self, name: str, tooltip: str, reaction: Callable[[], object], *, primary: bool = False
    ) -> Button:
        button = Button(description=name, tooltip=tooltip)
        button.button_style = "primary" if primary else ""
        button.on_click(lambda _: self._clicked(button, reaction))
        return button

    def _clicked(self, button: Button, reaction: Callable[[], object]) -> None:
        if reaction != self._toggle_play and self.runner.running:
            self.pause()
        reaction()
        if button.disabled:  # the browser would give the focus to the page
            asked = self._choices.children if self.question else ()
            moving = (self._next, self._back)
            next(each for each in (*asked, *moving) if not each.disabled).focus()

    def _toggle_play(self) -> None:
        if self.runner.running:
            self.pause()
        else:
            if self.step == len(self.film) - 1:
                self.first()
            self.play()

    def _chosen(self, change: Any) -> None:
        if not self._busy and change["new"] != self.step:
            self.pause()
            self.go_to(change["new"])

    def _node_clicked(self, path: Path) -> None:
        if self.runner.running:
            self.pause()
        if path[-1:] == ("...",):
            self.expand(*path[:-1])
        elif path == self.looked_at:
            self._look_away()
        elif self.film[self.step].visits_of(path) or self._is_leaf(path):
            self.looked_at = path
            self._show()

    def _open_node(self) -> None:
        if self.looked_at is not None:
            self.expand(*self.looked_at)

    def _look_away(self) -> None:
        self.looked_at = None
        self._show()

    @property
    def _has_leaves(self) -> bool:
        """Whether the leaves of a textbook tree are there from the first step on."""
        return isinstance(self.trace.state, GameTree) and not self.trace.is_mcts

    def _is_leaf(self, path: Path) -> bool:
        """Return whether a node is a leaf that can be changed."""
        known = isinstance(self.trace.state, GameTree) and not isinstance(self._search, Trace)
        return known and self.trace.state.play(*path).is_terminal()

    def _step_chosen(self, change: Any) -> None:
        if not self._busy and change["new"] is not None:
            path = self.looked_at
            self.pause()
            self.go_to(change["new"])
            if path is not None:
                self.look_at(*path)

    def _leaf_given(self, change: Any) -> None:
        if self._busy or self.looked_at is None or not change["new"].strip():
            return
        try:
            self.change_leaf(self.looked_at, _whole(parse_value(change["new"])))
        except (TypeError, ValueError) as error:
            self._said.value = remark("note", error)

    # --- what is seen ---

    def _show(self) -> None:
        with self._lock:
            self._busy = True
            try:
                self._show_parts()
            finally:
                self._busy = False

    def _show_parts(self) -> None:
        frame, question = self.film[self.step], self.question
        self._number.max = self._slider.max = len(self.film) - 1
        self._of.value = f"of {len(self.film) - 1:,}"
        self._number.value = self._slider.value = self.step
        self._first.disabled = self._back.disabled = self.step == 0
        self._last.disabled = self.step == len(self.film) - 1
        self._next.disabled = self._last.disabled or question is not None
        (self.add_class if self.big else self.remove_class)("gl-big")
        found = self._scene(self.step, self._asked_here, question is not None)
        said = found.said
        if self.asks and frame.is_last:
            said += " {} of {} questions right.".format(*self.score)
        self._said.value = f'<div class="gl-sentence" role="status">{said}</div>'
        self._tree.show(found.stage)
        if self._has_leaves:  # it keeps its size from step to step, and needs no more room
            wide, high = found.stage.width, found.stage.height
            shown = f"min({LARGEST * high:.0f}px, var(--pane) * {high / wide:.3f})"
            self._main.layout.height = f"min(var(--main), max({LOW}px, {shown}))"
            self._main.add_class("gl-wide" if wide > WIDTH else "gl-fixed")
        self._lines.value, self._table.value = found.lines, found.table
        self._board.value = found.board
        self._board.layout.display = "" if found.board else "none"
        as_text = self._as_text.value and found.secret is None
        self._text.layout.display = "" if as_text else "none"
        text = tree_text(frame, **self._folding) if as_text else ""
        self._text.value = f"<pre>{escape(text)}</pre>" if as_text else ""
        self._cover.layout.display = "" if self._has_leaves else "none"
        self._legend.value = f'<div class="gl-small-print">{escape(found.stage.legend)}</div>'
        self._fold.layout.display = "" if self.expanded else "none"
        self._show_looked_at(found)
        self._show_question()

    @property
    def _folding(self) -> dict[str, Any]:
        return {"boards": self._boards, "width": WIDTH, "expanded": self.expanded}

    def _scene(self, step: int, asked: Question | None, waits: bool) -> Scene:
        frame, covered = self.film[step], self._cover.value
        return scene(frame, asked, waits=waits, covered=covered, **self._folding)

    def _show_looked_at(self, found: Scene) -> None:
        """Show what is known of the node that was clicked on, and its place in the trace."""
        path = self.looked_at
        self._inspector.layout.display = "none" if path is None else ""
        if path is None:
            return
        frame = self.film[self.step]
        known = frame.visits_of(path)
        said = capital(path_in_words(path))
        if known and path != found.secret:
            source = source_of(frame, None)
            said = capital(node_sentence(source, source.item(path)))
        self._said.value = f'<div class="gl-sentence" role="status">{marked_up(said)}.</div>'
        state = self.trace.state.play(*path)
        if state.spots():
            self._board.value = str(position(state, last=path[-1] if path else None))
        until = self.step if self.asks else len(self.film) - 1
        options = touching(self.film, path, STEPS, until)
        self._steps.options = [(f"{len(options)} steps ...", None), *options]
        self._steps.index = 0
        self._open.layout.display = "" if path in found.stage.folded else "none"
        self._leaf.layout.display = "" if self._is_leaf(path) else "none"
        self._leaf.value = ""
        self._leaf.placeholder = in_words(state.utilities()[0]) if self._is_leaf(path) else ""

    def _show_question(self) -> None:
        question = self._asked_here
        hidden = question is None or self.looked_at is not None
        self._asked.layout.display = "none" if hidden else ""
        if question is None or question is self._shown_question:
            return
        self._shown_question = question
        self._prompt.value = f'<div class="gl-question">{marked_up(question.prompt)}</div>'
        for widget in self._choices.children:
            widget.close()
        if 0 < len(question.choices) <= MOST_CHOICES:
            self._choices.children = [self._choice(choice) for choice in question.choices]
        else:
            field = number_field("Answer", "your answer", lambda: self._typed(field.value))
            check = Button(description="Check", tooltip="Check the answer", button_style="primary")
            check.on_click(lambda _: self._typed(field.value))
            self._choices.children = [field, check]

    def _choice(self, choice: Any) -> Button:
        button = Button(description=str(choice), tooltip=f"Answer: {choice}")
        button.on_click(lambda _: self._given(choice))
        return button

    def _typed(self, text: str) -> None:
        if self._feedback.value and text == self._last_typed:
            return  # Enter and the button say it twice
        self._last_typed = text
        self._given(text)

    def _given(self, answer: Any) -> None:
        try:
            self.answer(answer)
        except ValueError as error:
            self._feedback.show(remark("note", capital(str(error))))


def _trace(
    search: Callable[..., SearchResult] | Trace, state: GameState | None, options: dict[str, Any]
) -> Trace:
    if isinstance(search, Trace):
        if state is not None or options:
            raise ValueError("a trace has its state and its options already; give it alone")
        return search
    if isinstance(state, type):
        check_state(state)
    if not callable(search) or not isinstance(state, GameState):
        raise TypeError(
            "SearchStepper takes a search and a state, or a trace: "
            f"SearchStepper(alphabeta, TicTacToe()); got {search!r}, {state!r}"
        )
    return record(search, state, **options)


def with_leaf(tree: GameTree, path: Path, value: Any) -> GameTree:
    """Return the tree with another value at the leaf at the end of `path`; ValueError if none."""
    if not tree.play(*path).is_terminal():
        raise ValueError(f"{path_in_words(path)} is no leaf")

    def branches(node: GameTree) -> Any:
        if node.path == (*tree.path, *path):
            return value
        if node.is_terminal():
            return node.utilities()
        below = [branches(node.successor(action)) for action in node.legal_actions()]
        if node.current_player != CHANCE:
            return below
        return Chance(*zip(dict(node.chance_outcomes()).values(), below, strict=True))

    held = tree.to_json()
    players, root = held["players"], GameTree.parse(held["tree"], players=held["players"])
    above = [root.play(*tree.path[:ply]) for ply in range(len(tree.path))]
    turn = sum(node.current_player != CHANCE for node in above)
    turns = [players[(turn + ply) % len(players)] for ply in range(len(players))]
    return GameTree(branches(tree), turns)


def _whole(value: Any) -> Any:
    """Return a number without a fraction as an int, so that it is written as one."""
    if isinstance(value, tuple):
        return tuple(map(_whole, value))
    return int(value) if float(value).is_integer() else value


def _row(*parts: Any) -> HBox:
    box = HBox(parts)
    box.add_class("gl-row")
    return box
