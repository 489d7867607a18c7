"""A search, step by step: forwards, backwards, with questions before it moves."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from html import escape
from typing import Any

from ipywidgets import (
    HTML,
    BoundedIntText,
    Button,
    Dropdown,
    HBox,
    IntSlider,
    Text,
    ToggleButton,
    VBox,
)

from course.draw import folded, tree, tree_text
from course.draw.narration import sentence
from course.draw.program import Listing, listing
from course.draw.words import bound_in_words, in_words, line_in_words, mover, path_in_words
from course.widgets.panel import Panel, marked_up, remark, table
from course.widgets.questions import Question, judge, questions
from course.widgets.quiz import Feedback
from gamelib.picture import position
from gamelib.search.result import SearchResult
from gamelib.state import GameState
from gamelib.trace.trace import Trace, record
from gamelib.trace.visits import Path

STYLE = """<style>
.gl-stepper { overflow: visible; }
.gl-stepper .gl-main { flex-flow: row wrap; align-items: flex-start; gap: 12px; overflow: visible; }
.gl-stepper .gl-left { min-width: min(300px, 100%); gap: 10px; overflow: visible; }
.gl-stepper .gl-tree { overflow-x: auto; width: 100%; margin: 0; }
.gl-stepper .gl-tree .widget-html-content { width: 100%; box-sizing: border-box;
  padding-right: 8px; }
.gl-stepper .gl-right-side { flex: 1 1 400px; min-width: 300px; max-width: 640px; gap: 10px;
  overflow: visible; }
.gl-stepper .gl-tree svg { width: 100%; height: auto; display: block; }
.gl-stepper .widget-html, .gl-stepper .widget-html-content { max-width: 100%; }
.gl-stepper .gl-code { background: #ffffff; color: #1a1a1a; border: 1px solid #8c8c8c;
  border-radius: 8px; padding: 8px 0;
  font: 12px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; }
.gl-stepper .gl-code div { position: relative; white-space: pre-wrap; padding-right: 10px;
  text-indent: -2ch; }
.gl-stepper .gl-code div.gl-runs { background: #FFF3C4; font-weight: 700; }
.gl-stepper .gl-code div.gl-runs::before { content: "▶"; content: "▶" / ""; position: absolute;
  left: 10px; text-indent: 0; }
.gl-stepper .gl-sentence { font-size: 17px; font-weight: 600; min-height: 1.5em; }
.gl-stepper .gl-text pre { font-size: 13px; line-height: 1.45; max-height: 300px; overflow: auto;
  background: #ffffff; color: #1a1a1a; border: 1px solid #8c8c8c; padding: 8px; margin: 0; }
.gl-stepper tr.gl-runs td { background: #FFF3C4; color: #1a1a1a; font-weight: 700; }
.gl-stepper .gl-board svg { max-height: 230px; width: auto; }
.gl-stepper .widget-hslider { width: 240px; flex: 1 1 240px; min-width: 160px; }
.gl-stepper .widget-text { width: 130px; }
.gl-stepper .gl-ask .widget-text { width: 300px; }
.gl-stepper .widget-text .widget-label, .gl-stepper .widget-dropdown .widget-label {
  width: auto; }
.gl-stepper .gl-ask { border: 1px solid #E69F00; border-radius: 8px; padding: 8px 12px; gap: 8px; }
</style>"""

WIDTH = 900  # pixels that a tree is folded to
SMALLEST = 0.62  # how far a wide tree is shrunk before it scrolls
SMALL = 24  # nodes of a tree that are drawn as boards
ROWS = 12  # of a UCB table
MOST_LINES = 12  # of the program


class SearchStepper(Panel):
    """A search to walk through: `SearchStepper(alphabeta, state)`, or one recorded before.

    With `ask=True` it stops before some steps and asks what comes next.  From code: `first`,
    `back`, `next`, `last`, `go_to(step)`, `play`, `pause`, `answer(...)`, `expand(path)`.
    Other options go to the search.
    """

    def __init__(
        self,
        search: Callable[..., SearchResult] | Trace,
        state: GameState | None = None,
        *,
        ask: bool = False,
        **options: Any,
    ) -> None:
        self.trace = _trace(search, state, options)
        self.step = 0
        self.expanded: set[Path] = set()
        # Decided once: a tree that changed its look while it grows would be hard to follow.
        self._boards = bool(self.trace.state.spots()) and len(self.trace.visits) <= SMALL
        self.questions = questions(self.trace)
        self.answered: dict[int, bool] = {}  # by step: whether the first answer was right
        self._tries_again: set[int] = set()  # the steps of questions with one wrong answer
        self._lock = threading.RLock()
        self._busy = False
        self._make_parts(ask)
        super().__init__(HTML(STYLE), self._controls, self._said, self._asked, self._main)
        self.add_class("gl-stepper")
        self._show()

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
            if self.question is None and self.step < len(self.trace):
                self.go_to(self.step + 1)

    def last(self) -> None:
        """Go to the end."""
        self.go_to(len(self.trace))

    def go_to(self, step: int) -> None:
        """Show the tree after `step` events; ValueError outside 0 to the number of events."""
        with self._lock:
            self.trace.at(step)  # checks it
            self.step = step
            self._feedback.value = ""
            self._show()

    def play(self, seconds: float = 1.0) -> None:
        """Go on by itself, a step each so many seconds, up to the end or the next question."""
        if not 0 <= seconds < 60:
            raise ValueError(f"seconds must be between 0 and 60; got {seconds!r}")

        def work(progress: Any, stop: Callable[[], bool]) -> None:
            while not stop() and self.question is None and self.step < len(self.trace):
                wake = time.monotonic() + seconds
                while time.monotonic() < wake and not stop():
                    time.sleep(min(0.05, seconds))
                if not stop():
                    self.next()

        def end(outcome: Any) -> None:
            self._play.description = "Play"

        self._play.description = "Pause"
        self.runner.start(work, on_progress=lambda share, best: None, on_end=end)

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
        return None if closed or not self.asks else self.questions.get(self.step)

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
            question = self.questions.get(self.step) if self.asks else None
            if question is None:
                raise ValueError("no question waits for an answer at this step")
            first = self.step not in self.answered
            judgement = judge(self.trace, question, answer, tell=not first)
            self.answered.setdefault(self.step, judgement.right)
            said = f"{'Right' if judgement else 'Not so'}. {judgement.why}"
            self._tries_again.discard(self.step)
            if first and not judgement:
                self._tries_again.add(self.step)
                said += " Try once more."
            self._feedback.value = remark("right" if judgement else "wrong", said)
            self._show()
            return Feedback(said)

    def expand(self, *path: Any) -> None:
        """Open a node of a folded tree with all its children: `expand(4, 0)`."""
        self.expanded.add(path)
        self._show()

    def fold(self) -> None:
        """Close all the nodes that were opened."""
        self.expanded.clear()
        self._show()

    def state_text(self) -> str:
        """Return what is searched, and where in it this stands."""
        right, asked = self.score
        score = f", {right} of {asked} right" if asked else ""
        state = repr(self.trace.state)
        if len(state) > 70 or " at 0x" in state:
            state = type(self.trace.state).__name__
        return f"{self.trace.search} on {state}, step {self.step} of {len(self.trace)}{score}"

    # --- the parts ---

    def _make_parts(self, ask: bool) -> None:
        self._make_controls(ask)
        self._said, self._feedback, self._prompt = HTML(), HTML(), HTML()
        self._choices = HBox()
        self._choices.add_class("gl-row")
        self._asked = VBox([self._prompt, self._choices, self._feedback])
        self._asked.add_class("gl-ask")
        self._tree, self._lines, self._table, self._board, self._text = (HTML() for _ in range(5))
        self._tree.add_class("gl-tree")
        self._board.add_class("gl-board")
        self._text.add_class("gl-text")
        self._left, right = VBox([self._tree]), VBox([self._lines, self._table, self._board])
        self._left.add_class("gl-left")
        right.add_class("gl-right-side")
        self._main = VBox([_main(self._left, right), self._text])
        self._shown_question: Question | None = None

    def _make_controls(self, ask: bool) -> None:
        buttons = [
            self._button("First", "Go to the beginning", self.first),
            self._button("Back", "Go one step back", self.back),
            self._button("Next", "Go one step on", self.next, primary=True),
            self._button("Last", "Go to the end", self.last),
        ]
        self._first, self._back, self._next, self._last = buttons
        self._play = self._button("Play", "Play and pause", self._toggle_play)
        # ipywidgets gives a slider's handle no name: the field is its twin for screen readers
        self._number = BoundedIntText(max=len(self.trace), description="Step")
        self._slider = IntSlider(max=len(self.trace), readout=False, tooltip="Drag to a step")
        for control in (self._number, self._slider):
            control.observe(self._chosen, "value")
        self._ask = ToggleButton(
            value=ask, description="Ask me", tooltip="Ask before some steps what comes next"
        )
        self._ask.observe(lambda _: self._show(), "value")
        self._as_text = ToggleButton(description="As text", tooltip="Show the tree as text, too")
        self._as_text.observe(lambda _: self._show(), "value")
        self._open = Dropdown(description="Open", tooltip="Open a folded node")
        self._open.observe(self._opened, "value")
        self._fold = self._button("Fold", "Close the nodes that were opened", self.fold)
        self._score = HTML()
        moving = [*buttons, self._play, self._ask, self._as_text]
        place = HBox([self._number, HTML(f"of {len(self.trace):,}")])
        place.add_class("gl-row")
        showing = [place, self._slider, self._score, self._open, self._fold]
        self._controls = HBox([*moving, *showing])
        self._controls.add_class("gl-row")

    def _button(
        self, name: str, tooltip: str, reaction: Callable[[], object], *, primary: bool = False
    ) -> Button:
        button = Button(description=name, tooltip=tooltip)
        button.button_style = "primary" if primary else ""
        button.on_click(lambda _: self._clicked(reaction))
        return button

    def _clicked(self, reaction: Callable[[], object]) -> None:
        if reaction != self._toggle_play and self.runner.running:
            self.pause()
        reaction()

    def _toggle_play(self) -> None:
        if self.runner.running:
            self.pause()
        else:
            if self.step == len(self.trace):
                self.first()
            self.play()

    def _chosen(self, change: Any) -> None:
        if not self._busy and change["new"] != self.step:
            self.pause()
            self.go_to(change["new"])

    def _opened(self, change: Any) -> None:
        if not self._busy and change["new"] is not None:
            self.expand(*change["new"])

    # --- what is seen ---

    def _show(self) -> None:
        with self._lock:
            self._busy = True
            try:
                self._show_parts()
            finally:
                self._busy = False

    def _show_parts(self) -> None:
        moment = self.trace.at(self.step)
        self._number.value = self._slider.value = self.step
        self._first.disabled = self._back.disabled = self.step == 0
        self._last.disabled = self.step == len(self.trace)
        self._next.disabled = self._last.disabled or self.question is not None
        secret = self._secret()
        said = marked_up(sentence(moment)) if secret is None else "What comes next?"
        self._said.value = f'<div class="gl-sentence" role="status">{said}</div>'
        labels = {} if secret is None else {secret: "?"}
        drawing = tree(moment, labels=labels, **self._folding())
        self._tree.value, width = _scrolled(drawing)
        # A wide tree has the row to itself, unless the page is very wide.
        self._left.layout.flex = "1 1 420px" if width < 600 else "3 1 700px"
        self._lines.value = self._code_html()
        self._table.value = self._ucb_html() if self.trace.is_mcts else self._window_html()
        self._board.value = self._board_html()
        as_text = self._as_text.value and secret is None
        self._text.layout.display = "" if as_text else "none"
        if as_text:
            twin = tree_text(moment, **self._folding())
            self._text.value = f"<pre>{escape(twin)}</pre>"
        self._show_folded()
        self._show_question()

    def _secret(self) -> Path | None:
        """Return the node whose value is asked for, so that it is shown nowhere; None without."""
        asked = self.question
        return self.trace.visit_of(self.step).path if asked and asked.kind == "value" else None

    def _folding(self) -> dict[str, Any]:
        """Return which part of the tree is drawn."""
        return {"expanded": self.expanded, "boards": self._boards, "width": WIDTH}

    def _show_folded(self) -> None:
        """Offer the nodes that are folded."""
        moment = self.trace.at(self.step)
        hidden = folded(moment, **self._folding())
        offered = [
            ("a folded node ...", None),
            *(
                (f"{path_in_words(path)}: {count:,} more", path)
                for path, count in list(hidden.items())[:200]
            ),
        ]
        if list(self._open.options) != offered:
            self._open.options = offered
        self._open.index = 0
        self._open.layout.display = "" if hidden else "none"
        self._fold.layout.display = "" if self.expanded else "none"

    def _show_question(self) -> None:
        question = self.questions.get(self.step) if self.asks else None
        right, asked = self.score
        self._score.value = f"<b>{right} of {asked} right</b>" if self.asks else ""
        self._asked.layout.display = "none" if question is None else ""
        if question is None or question is self._shown_question:
            return
        self._shown_question = question
        self._prompt.value = f'<div class="gl-question">{marked_up(question.prompt)}</div>'
        for widget in self._choices.children:
            widget.close()
        if 0 < len(question.choices) <= ROWS:
            self._choices.children = [self._choice(choice) for choice in question.choices]
        else:
            field = Text(placeholder="your answer", description="Answer", continuous_update=False)
            check = Button(description="Check", tooltip="Check the answer", button_style="primary")
            check.on_click(lambda _: self._given(field.value))
            self._choices.children = [field, check]

    def _choice(self, choice: Any) -> Button:
        button = Button(description=str(choice), tooltip=f"Answer: {choice}")
        button.on_click(lambda _: self._given(choice))
        return button

    def _given(self, answer: Any) -> None:
        try:
            self.answer(answer)
        except ValueError as error:
            self._feedback.value = remark("note", error)

    def _code_html(self) -> str:
        """Return the function that runs, with the line marked that told the last event."""
        if not self.trace.places:
            return ""
        place = self.trace.places[max(0, self.step - 1)]
        code = listing(place.code)
        lines = ""
        for number, line in _part_around(place.line, code):
            text = line.lstrip()
            here = self.step and number == place.line and self._secret() is None
            runs = ' class="gl-runs" aria-current="step"' if here else ""
            # what does not fit into a line goes on further in than the line begins
            indent = f"padding-left: calc(28px + {len(line) - len(text) + 2}ch)"
            lines += f'<div{runs} style="{indent}">{escape(text)}</div>'
        return f'<div class="gl-code" role="group" aria-label="{code.name}">{lines}</div>'

    def _window_html(self) -> str:
        """Return the open nodes, from the root to the current one, with their windows."""
        moment = self.trace.at(self.step)
        windows = bool(self.trace.visits) and len(self.trace.visits[0].window) == 2
        columns = ["open node", "to move", *(["alpha", "beta"] if windows else []), "best so far"]
        rows = []
        for path in moment.stack[-ROWS:]:
            node = moment.node(path)
            who = "" if node.state.is_terminal() else mover(self.trace, node.state)
            window = [in_words(limit) for limit in node.window] if windows else []
            best = "" if node.value is None else bound_in_words(node.value, node.kind)
            if path == self._secret():
                window, best = ["?"] * len(window), "?"
            rows.append([line_in_words(path) or "root", who, *window, best])
        return table(columns, rows) if rows else ""

    def _ucb_html(self) -> str:
        """Return the table by which the search has chosen last, on its way to the current node."""
        moment = self.trace.at(self.step)
        path = moment.focus or ()
        while path and not moment.ucb_table(path[:-1]):
            path = path[:-1]
        rows = moment.ucb_table(path[:-1])
        if not rows:
            return ""
        shown = sorted(rows, key=lambda row: -row.score)[:ROWS] if len(rows) > ROWS else rows
        cells = [
            [
                f"{row.action}{'  (selected)' if path and row.action == path[-1] else ''}",
                row.visits,
                "" if row.mean is None else f"{row.mean:.2f}",
                in_words(round(row.exploration, 2)),
                in_words(round(row.score, 2)) if row.open else "closed",
            ]
            for row in shown
        ]
        more = f"<div>and {len(rows) - len(shown):,} more</div>" if len(shown) < len(rows) else ""
        state = moment.node(path[:-1]).state
        mean = f"mean for {state.player_name(state.current_player)}"
        head = f"<div>Scores at {escape(path_in_words(path[:-1]))}</div>"
        return head + table(["action", "visits n", mean, "exploration", "score"], cells) + more

    def _board_html(self) -> str:
        path = self.trace.at(self.step).focus
        state = self.trace.state if path is None else self.trace.visit_of(self.step - 1).state
        if not state.spots():
            return ""
        return str(position(state, last=path[-1] if path else None))


def _trace(
    search: Callable[..., SearchResult] | Trace, state: GameState | None, options: dict[str, Any]
) -> Trace:
    if isinstance(search, Trace):
        if state is not None or options:
            raise ValueError("a trace has its state and its options already; give it alone")
        return search
    if not callable(search) or not isinstance(state, GameState):
        raise TypeError(
            "SearchStepper takes a search and a state, or a trace: "
            f"SearchStepper(alphabeta, TicTacToe()); got {search!r}, {state!r}"
        )
    return record(search, state, **options)


def _main(*parts: Any) -> HBox:
    box = HBox(parts)
    box.add_class("gl-main")
    return box


def _scrolled(drawing: str) -> tuple[str, float]:
    """Return a drawing that shrinks with its room while it can still be read, and its own width."""
    width = float(drawing.split('width="', 1)[1].split('"', 1)[0])
    room = f"max-width: {width:.0f}px; min-width: {SMALLEST * width:.0f}px"
    return f'<div style="{room}">{drawing}</div>', width


def _part_around(number: int, code: Listing) -> list[tuple[int, str]]:
    """Return the numbers and lines of so much of a program as stands beside a tree on one screen.

    The first line always does.  Without scrolling nobody would see what runs at the end of a long
    one, so a line of dots stands for what is left out.
    """
    numbered = list(zip(code.numbers, code.lines, strict=True))
    runs = next((i for i, (known, _) in enumerate(numbered) if known == number), 0)
    if len(numbered) <= MOST_LINES:
        return numbered
    many = MOST_LINES - 1
    first = 1 if runs <= many else min(runs - many // 2, len(numbered) - many)
    last = first + many
    above, below = [(0, "    ⋮")] * (first > 1), [(0, "    ⋮")] * (last < len(numbered))
    return [numbered[0], *above, *numbered[first:last], *below]
