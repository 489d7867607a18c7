"""A widget that steps through a search, forwards and backwards, and can ask what comes next."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from functools import partial
from html import escape
from typing import Any

from ipywidgets import (
    HTML,
    BoundedIntText,
    Box,
    Button,
    Checkbox,
    Dropdown,
    IntSlider,
    Text,
    ToggleButton,
)

from course.draw import tree_text
from course.draw.wording import capital, format_value
from course.tracing.visits import Path
from course.widgets.controls import add_css_classes, button, row
from course.widgets.panel import Panel, display, markup_to_html, message_html
from course.widgets.quiz import number_field
from course.widgets.step_questions import StepQuestion, parse_value
from course.widgets.stepper_model import NONE, WIDTH, StepperModel
from course.widgets.tree_pane import TreePane

# The browser stores the state of this checkbox, so the folding also works without a kernel.
FOLD = (
    '<label class="gl-fold" title="Show or hide the program that runs">'
    '<input type="checkbox">Program</label>'
)
SPEEDS = {"slow": 2.5, "normal": 1.0, "fast": 0.3}  # seconds for each step


class SearchStepper(StepperModel, Panel):
    """A widget that steps through a search: `SearchStepper(alphabeta, state)`.

    A recursive program with another board takes its own arguments: `SearchStepper(mm, board,
    True)`.  With `game=TicTacToe`, or with `like`, a function that turns the arguments of a call
    into a position of this library, its values are compared with the exact ones.

    With `ask=True` it stops before some steps and asks what comes next.  From code: `first`,
    `back`, `next`, `last`, `skip`, `go_to(step)`, `play`, `pause`, `answer(...)`, `inspect(*path)`,
    `expand(*path)`, and in a textbook tree `change_leaf(path, value)`.  Other options are passed to
    the search.
    """

    css = "tree_pane.css", "stepper.css"

    def __init__(
        self,
        search: Callable[..., Any],
        state: Any = NONE,
        *arguments: Any,
        ask: bool = False,
        **options: Any,
    ) -> None:
        StepperModel.__init__(self, search, state, *arguments, **options)
        self._busy = True  # until all widgets exist
        self._make_controls()
        self._make_scene()
        Panel.__init__(self, self._controls, self._more, self._scene, self._text)
        self.add_class("gl-stepper")
        self.ask_mode = ask

    def play(self) -> None:
        """Step on automatically to the end or the next question, at the speed that is chosen."""

        def work(progress: Any, stop: Callable[[], bool]) -> None:
            while not stop() and self.question is None and not self.at_end:
                begun = time.monotonic()
                while time.monotonic() < begun + self._speed.value and not stop():
                    time.sleep(0.05)
                if not stop():
                    self.next()

        self._play.description = "Pause"
        self.runner.start(work, on_end=lambda _: self._play.set_trait("description", "Play"))

    def pause(self) -> None:
        """Stop playing."""
        self.runner.discard()
        self._play.description = "Play"

    # --- the child widgets ---

    def _make_controls(self) -> None:
        self._back = self._button("Back", "Go one step back", self.back)
        self._next = self._button("Next", "Go one step on", self.next)
        self._next.button_style = "primary"
        self._play = self._button("Play", "Play and pause", self._toggle_play)
        self._slider = IntSlider(
            max=len(self.timeline) - 1, readout=False, tooltip="Drag to a step"
        )
        self._ask = self._toggle("Ask me", "Ask before some steps what comes next")
        more = self._toggle("More", "Other ways to go, and to look")
        moving = [self._back, self._next, self._play, self._slider]
        self._controls = add_css_classes(row(*moving, self._ask, HTML(FOLD), more), "gl-controls")
        self._first = self._button("First", "Go to the beginning", self.first)
        self._last = self._button("Last", "Go to the end", self.last)
        skip = self._button("Skip", "Go to the end of this simulation", self.skip)
        # ipywidgets gives a slider's handle no name, so this field replaces it for screen readers.
        self._number = BoundedIntText(max=len(self.timeline) - 1, description="Step")
        for control in (self._number, self._slider):
            control.observe(self._chosen, "value")
        self._speed = Dropdown(options=SPEEDS, value=SPEEDS["normal"], description="Speed")
        self._big = self._toggle("Big", "A large tree, for a lecture hall")
        self._as_text = self._toggle("As text", "Show the tree as text, too")
        self._cover = Checkbox(description="Cover the leaves not reached", indent=False)
        self._cover.observe(lambda _: self._toggled(), "value")
        self._fold = self._button("Fold", "Close the nodes that were opened", self.fold)
        going = [self._first, self._last, *([skip] if self.trace.is_mcts else [])]
        if self.trace.first_wrong:
            tip = "Go to the first wrong answer"
            moving.append(self._button("Show me where", tip, self.show_first_wrong))
            self._controls.children = [
                *self._controls.children[:4],
                *moving[-1:],
                *self._controls.children[4:],
            ]
        looks = [self._speed, self._big, self._as_text, self._cover, self._fold]
        self._more = add_css_classes(row(*going, self._number, *looks), "gl-more")
        display(self._more, False)
        more.observe(lambda change: display(self._more, change["new"]), "value")

    def _make_scene(self) -> None:
        self._words, self._text = (
            add_css_classes(HTML(), "gl-words"),
            add_css_classes(HTML(), "gl-text"),
        )
        self._prompt, self._choices = HTML(), add_css_classes(row(), "gl-choices")
        self._asked = add_css_classes(row(self._prompt, self._choices), "gl-asked")
        self._leaf = Text(description="Change the leaf to", continuous_update=False)
        self._leaf.observe(self._leaf_given, "value")
        close = self._button("Close", "Back to the step", self.stop_inspecting)
        self._open = self._button("Open", "Show all that is below this node", self._open_node)
        self._inspector = add_css_classes(row(self._leaf, self._open, close), "gl-asked")
        self._tree = TreePane(self._node_clicked)
        parts = [self._words, self._asked, self._inspector, self._tree]
        self._scene = add_css_classes(Box(parts), "gl-scene")
        self._shown_question: StepQuestion | None = None
        self._last_typed = ""

    def _toggle(self, name: str, tooltip: str) -> ToggleButton:
        toggle = ToggleButton(description=name, tooltip=tooltip)
        toggle.observe(lambda _: self._toggled(), "value")
        return toggle

    def _toggled(self) -> None:
        if not self._busy:
            self.ask_mode, self.covered = self._ask.value, self._cover.value
            self._show()

    def _button(self, name: str, tooltip: str, reaction: Callable[[], object]) -> Button:
        widget = Button(description=name, tooltip=tooltip)
        widget.on_click(partial(self._clicked, reaction))
        return widget

    def _clicked(self, reaction: Callable[[], object], button: Button) -> None:
        if reaction != self._toggle_play and self.runner.running:
            self.pause()
        reaction()
        if button.disabled:  # otherwise the browser would give the focus to the page
            asked = self._choices.children if self.question else ()
            moving = (self._next, self._back)
            next(widget for widget in (*asked, *moving) if not widget.disabled).focus()

    def _toggle_play(self) -> None:
        if self.runner.running:
            self.pause()
        else:
            if self.at_end:
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
        elif path == self.inspected_path and not self.is_leaf(path):
            self.stop_inspecting()
        elif self.timeline[self.step].visits_of(path) or self.is_leaf(path):
            self.inspect(*path)
            if self.is_leaf(path):
                self._leaf.focus()  # so that a number can be typed immediately

    def _open_node(self) -> None:
        if self.inspected_path is not None:
            self.expand(*self.inspected_path)

    def _leaf_given(self, change: Any) -> None:
        if self._busy or self.inspected_path is None or not change["new"].strip():
            return
        try:
            self.change_leaf(self.inspected_path, parse_value(change["new"]))
        except (TypeError, ValueError) as error:
            self.reply = message_html("note", error)
            self._show()

    # --- display ---

    def picture(self) -> str:
        """Return the tree at the present step."""
        return str(self.shown.stage.svg)

    def _show(self) -> None:
        with self._lock:
            self._busy = True
            try:
                self._show_parts()
            finally:
                self._busy = False
            self.update_picture()

    def _show_parts(self) -> None:
        self.shown = view = self.scene
        question = self.question
        wide = self.has_leaves and view.stage.width > WIDTH
        looks = {
            "big": self._big.value,
            "leaves": self.has_leaves,
            "wide": wide,
            "asks": self.ask_mode,
        }
        for name, on in looks.items():
            (self.add_class if on else self.remove_class)(f"gl-{name}")
        self._number.max, self._number.value = len(self.timeline) - 1, self.step
        self._ask.value = self.ask_mode
        self._first.disabled = self._back.disabled = self.step == 0
        self._next.disabled = self._last.disabled = self.at_end or question is not None
        self._show_question()
        self._show_looked_at(view.stage.folded)
        # All texts are one message, sent after the tree and the buttons, so that whoever reads a
        # verdict can already see the numbers that it names.
        self._tree.show(view.stage)
        self._words.value = view.words
        as_text = self._as_text.value and view.hidden_path is None
        text = tree_text(self.timeline[self.step], **self.folding) if as_text else ""
        self._text.value = f"<pre>{escape(text)}</pre>" if as_text else ""
        display(self._text, as_text)
        display(self._cover, self.has_leaves)
        display(self._fold, bool(self.expanded))
        # last, so that everything else is up to date once its number is
        with self._slider.hold_sync():
            self._slider.max, self._slider.value = len(self.timeline) - 1, self.step
            self._slider.description = f"Step {self.step:,} of {len(self.timeline) - 1:,}"

    def _show_looked_at(self, folded: Collection[Path]) -> None:
        path = self.inspected_path
        display(self._inspector, path is not None)
        if path is None:
            return
        display(self._open, path in folded)
        display(self._leaf, self.is_leaf(path))
        self._leaf.value = self._leaf.placeholder = ""
        if self.is_leaf(path):
            self._leaf.placeholder = format_value(self.trace.state.play(*path).utilities()[0])

    def _show_question(self) -> None:
        question = self.step_question
        display(self._asked, question is not None and self.inspected_path is None)
        if question is None or question is self._shown_question:
            return
        self._shown_question = question
        self._prompt.value = f'<div class="gl-question">{markup_to_html(question.prompt)}</div>'
        for widget in self._choices.children:
            widget.close()
        if question.choices:
            self._choices.children = [
                button(str(choice), partial(self._given, choice), f"Answer: {choice}")
                for choice in question.choices
            ]
        else:
            field = number_field("Answer", "your answer", lambda: self._typed(field.value))
            check = button("Check", lambda: self._typed(field.value), "Check the answer", "primary")
            self._choices.children = [field, check]

    def _typed(self, text: str) -> None:
        if self.reply and text == self._last_typed:
            return  # Enter and the button both send the text
        self._last_typed = text
        self._given(text)

    def _given(self, answer: Any) -> None:
        try:
            self.answer(answer)
        except ValueError as error:
            self.reply = message_html("note", capital(str(error)))
            self._show()
