"""The state of a stepper, without widgets: the current step, the questions, and the view of it.

This module does not depend on the layout of the stepper: `StepperModel(alphabeta, state)` creates
no widget.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from course.draw.tree_layout import TreeSource
from course.draw.tree_layout import sentence as node_sentence
from course.draw.wording import capital, format_path, format_value
from course.exercises.activity_log import log_event
from course.exercises.shrinking import as_lists, players_of, with_child
from course.tracing.trace import Timeline, Trace, is_registered, record
from course.tracing.visits import Path
from course.widgets.panel import markup_to_html, message_html
from course.widgets.quiz import PlainText, shorten
from course.widgets.step_questions import StepQuestion, grade_answer, parse_value, questions
from course.widgets.stepper_export import export_timeline, fragment, write_page
from course.widgets.stepper_view import StepView, render_step
from gamelib.conformance import check_state
from gamelib.games.game_tree import GameTree
from gamelib.state import GameState
from gamelib.svg import board_svg

NONE: Any = object()  # stands for a missing argument
WIDTH = 680  # in pixels, to which a tree is folded
LEAF_HINT = "Click a leaf to change its number."
MAX_BOARDS_DRAWN = 24  # larger trees are drawn without boards


def is_state(value: Any) -> bool:
    """Return whether a value is a position of this library."""
    return isinstance(value, GameState)


class StepperModel:
    """A trace and the current step in it; `_show` is called when something changes."""

    def __init__(
        self, program: Callable[..., Any], state: Any, *arguments: Any, **options: Any
    ) -> None:
        self._program, self._arguments, self._options = program, arguments, options
        self._lock = threading.RLock()
        self.step, self._asks, self.covered = 0, False, False
        self.expanded: set[Path] = set()
        self._set_trace(self._record(state))

    def _record(self, state: Any) -> Trace:
        if isinstance(state, type) and issubclass(state, GameState):
            check_state(state)
        arguments = self._arguments if state is NONE else (state, *self._arguments)
        if not callable(self._program) or (is_registered(self._program) and not is_state(state)):
            name = getattr(self._program, "__name__", "alphabeta")
            usage = f"a search and a position: SearchStepper({name}, TicTacToe())"
            given = None if state is NONE else state
            got = f"got {shorten(repr(given))} as the position"
            advice = "Your own program takes its own arguments: SearchStepper(minimax, board, True)"
            raise TypeError(f"SearchStepper takes {usage}; {got}. {advice}")
        return record(self._program, *arguments, **self._options)

    def _set_trace(self, trace: Trace) -> None:
        """Show this trace from now on."""
        self.trace, self.timeline = trace, Timeline(trace)
        # Decided once, because a tree whose look changed while it grows would be hard to follow.
        self._boards = bool(trace.state.spots()) and len(trace.visits) <= MAX_BOARDS_DRAWN
        # Keyed by the number of the frame before which they are asked.
        self.questions = {self.timeline.index_of(step): q for step, q in questions(trace).items()}
        self.answered: dict[int, list[bool]] = {}  # step -> whether each answer was right
        self.step = min(self.step, len(self.timeline) - 1)
        self.inspected_path: Path | None = None  # the node that is shown in detail
        self.reply = ""  # shown instead of the narration, as HTML

    def _show(self) -> None:
        """Update the display; subclasses with a display override it."""

    # --- moving ---

    def first(self) -> None:
        """Go to the beginning, before the first event."""
        self.go_to(0)

    def back(self) -> None:
        """Go one step back."""
        self.go_to(max(0, self.step - 1))

    def next(self) -> None:
        """Go one step forward, unless a question is open in ask mode."""
        with self._lock:
            if self.question is None and not self.at_end:
                self.go_to(self.step + 1)

    def skip(self) -> None:
        """Go to the end of this simulation or of the next one, but not past an open question."""
        with self._lock:
            if self.question is None:
                end = self.timeline.end_of_simulation(self.step)
                open_questions = [
                    step for step in self.questions if self.ask_mode and step not in self.answered
                ]
                self.go_to(min([end, *(step for step in open_questions if step > self.step)]))

    def last(self) -> None:
        """Go to the end."""
        self.go_to(len(self.timeline) - 1)

    def show_first_wrong(self) -> None:
        """Go to the first wrong result of a program; ValueError if none is known."""
        wrong = self.trace.first_wrong
        if wrong is None:
            raise ValueError(
                f"there is no first wrong answer to show, because no result of {self.trace.search} "
                "is known to be wrong here"
            )
        self.go_to(self.timeline.index_of(wrong.step))

    @property
    def at_end(self) -> bool:
        """Whether this is the last step."""
        return self.step == len(self.timeline) - 1

    def go_to(self, step: int) -> None:
        """Show a step from 0 to `len(stepper.timeline) - 1`; ValueError for any other."""
        with self._lock:
            if type(step) is not int or not 0 <= step < len(self.timeline):
                must = f"step must be an int from 0 to {len(self.timeline) - 1}"
                raise ValueError(f"{must}; got {step!r}")
            self.step, self.inspected_path, self.reply = step, None, ""
            self._show()

    # --- questions ---

    @property
    def ask_mode(self) -> bool:
        """Whether the stepper asks questions before it moves."""
        return self._asks

    @ask_mode.setter
    def ask_mode(self, asks: bool) -> None:
        self._asks = asks
        self._show()

    @property
    def question(self) -> StepQuestion | None:
        """The open question of this step, or None; a second attempt closes a question."""
        attempts = self.answered.get(self.step, [])
        return None if any(attempts) or len(attempts) > 1 else self.step_question

    @property
    def step_question(self) -> StepQuestion | None:
        """The question of this step, answered or not."""
        return self.questions.get(self.step) if self.ask_mode else None

    @property
    def score(self) -> tuple[int, int]:
        """The number of questions answered right at the first attempt, and of all answered."""
        return sum(first for first, *_ in self.answered.values()), len(self.answered)

    def answer(self, answer: Any) -> PlainText:
        """Return the reply to an answer; the first answer to each question counts.

        The first wrong answer gets a hint, and only the second one gets the right answer.
        ValueError if there is no question at this step, or if the answer is not one of the choices.
        """
        with self._lock:
            question = self.step_question
            if question is None:
                raise ValueError(
                    f"there is no question to answer at step {self.step}; the steps with questions "
                    f"are {', '.join(map(str, self.questions)) or 'none'}"
                )
            is_first = self.step not in self.answered
            judgement = grade_answer(self.trace, question, answer, reveal=not is_first)
            text = f"{'Right' if judgement else 'Not so'}. {judgement.explanation}"
            self.answered.setdefault(self.step, []).append(judgement.correct)
            if is_first:
                self._note(question, answer, judgement.correct)
                text += "" if judgement else " Try once more."
            scored = "{} ({} of {} right)".format(text, *self.score)
            self.reply = message_html("right" if judgement else "wrong", scored)
            self._show()
            return PlainText(text)

    def _note(self, question: StepQuestion, answer: Any, right: bool) -> None:
        where = f"{self.trace.search}, {shorten(repr(self.trace.state))}, step {self.step}"
        given = str(answer).strip() if question.choices else format_value(parse_value(answer))
        truth = format_value(question.correct)
        log_event("step", f"{where}: {question.prompt}", given=given, right=right, truth=truth)

    # --- nodes ---

    def expand(self, *path: Any) -> None:
        """Open a node of a folded tree with all its children: `expand(4, 0)`."""
        self.expanded.add(path)
        self._show()

    def fold(self) -> None:
        """Close all nodes that were opened."""
        self.expanded.clear()
        self._show()

    def inspect(self, *path: Any) -> None:
        """Show the position and the numbers of a node; a leaf of a textbook tree can be changed.

        ValueError if the search has not visited the node yet and it is not such a leaf.
        """
        with self._lock:
            if not self.is_leaf(path):
                self.timeline[self.step].node(path)  # raises for an unknown node
            self.inspected_path, self.reply = path, ""
            self._show()

    def stop_inspecting(self) -> None:
        """Show the step again."""
        self.inspected_path = None
        self._show()

    @property
    def has_leaves(self) -> bool:
        """Whether the leaves of a textbook tree are visible from the first step on."""
        return isinstance(self.trace.state, GameTree) and not self.trace.is_mcts

    def is_leaf(self, path: Path) -> bool:
        """Return whether a node is a leaf that can be changed."""
        state = self.trace.state
        return isinstance(state, GameTree) and state.play(*path).is_terminal()

    def change_leaf(self, path: Path, value: Any) -> None:
        """Change the value of a leaf of a textbook tree, and search again.

        ValueError if the node is not such a leaf.
        """
        with self._lock:
            tree = self.trace.state
            if not isinstance(tree, GameTree) or not self.is_leaf(path):
                raise ValueError(f"path must lead to a leaf of a GameTree; got {format_path(path)}")
            ended, looked_at = self.at_end, self.inspected_path
            self._set_trace(self._record(with_leaf(tree, path, value)))
            self.inspected_path = looked_at
            self.step = len(self.timeline) - 1 if ended else self.step
            self._show()

    # --- display ---

    @property
    def scene(self) -> StepView:
        """The view of the current step or of the inspected node."""
        view = self.scene_at(self.step, self.step_question, self.question is not None)
        if self.has_leaves:
            view = replace(view, legend=f"<b>{LEAF_HINT}</b> {view.legend}")
        if self.inspected_path is None:
            score = " {} of {} questions right.".format(*self.score)
            score_text = score if self.ask_mode and self.at_end and self.questions else ""
            return replace(view, narration=view.narration + score_text, reply=self.reply)
        state = self.trace.state.play(*self.inspected_path)
        last = self.inspected_path[-1] if self.inspected_path else None
        board = str(board_svg(state, last=last)) if state.spots() else ""
        text = markup_to_html(self._of_node(view.hidden_path))
        return replace(view, narration=text, board=board, reply=self.reply)

    def scene_at(self, step: int, asked: StepQuestion | None, waits: bool) -> StepView:
        """Return the view of a step.

        asked  the question of the step, or None
        waits  whether it is still open
        """
        frame, covered = self.timeline[step], self.covered
        return render_step(frame, asked, waits=waits, covered=covered, **self.folding)

    @property
    def folding(self) -> dict[str, Any]:
        """The options that decide how the tree is drawn."""
        return {"boards": self._boards, "width": WIDTH, "expanded": self.expanded}

    def _of_node(self, secret: Path | None) -> str:
        path, frame = self.inspected_path or (), self.timeline[self.step]
        if frame.visits_of(path) and path != secret:
            source = TreeSource(frame)
            return f"{capital(node_sentence(source, source.item(path)))}."
        return f"{capital(format_path(path))}."

    def state_text(self) -> str:
        """Return the search, its position and the current step."""
        right, asked = self.score
        score = f", {right} of {asked} right" if asked else ""
        state = repr(self.trace.state)
        if len(state) > 70 or " at 0x" in state:
            state = type(self.trace.state).__name__
        return (
            f"{self.trace.search} on {state}, step {self.step} of {len(self.timeline) - 1}{score}"
        )

    def to_html(self, file: str | os.PathLike[str]) -> None:
        """Write an HTML file that steps through this search without Python and without a network.

        It is for slides and learning platforms.  It supports the arrow keys, Home and End, the
        questions, and the step in its address (`#step=17`), and begins at the current step.
        """
        title = f"{self.trace.search} on {type(self.trace.state).__name__}"
        write_page(file, title, fragment("stepper", self.export()))

    def export(self) -> dict[str, Any]:
        """Return all steps as data for a page, see `course.widgets.stepper_export`."""
        shown = export_timeline(self.timeline, self.scene_at, self.questions)
        return shown | {"step": self.step, "asks": self.ask_mode, "leaves": self.has_leaves}


def with_leaf(tree: GameTree, path: Path, value: Any) -> GameTree:
    """Return the tree with another value at the leaf at the end of `path`."""

    def changed(node: Any, path: Path) -> Any:
        if not path:
            return value
        return with_child(node, path[0], changed(node[path[0]], path[1:]))

    return GameTree(changed(as_lists(tree), path), players_of(tree))
