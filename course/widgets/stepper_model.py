"""A walk through a search: where it stands, what was asked and answered, and what is shown of it.

Nothing here knows how a stepper is laid out: `StepperModel(alphabeta, state)` makes no widget.
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

NONE: Any = object()  # no argument was given
WIDTH = 680  # pixels that a tree is folded to
LEAF_HINT = "Click a leaf to change its number."
MAX_BOARDS_DRAWN = 24  # nodes of a tree that are drawn as boards


def is_state(value: Any) -> bool:
    """Return whether a value is a position of ours."""
    return isinstance(value, GameState)


class StepperModel:
    """Where one stands in a search, and what is said there; `_show` is called when that changes."""

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
            like = f"a search and a position: SearchStepper({name}, TicTacToe())"
            given = None if state is NONE else state
            got = f"got {shorten(repr(given))} as the position"
            yours = "Your own program takes its own arguments: SearchStepper(minimax, board, True)"
            raise TypeError(f"SearchStepper takes {like}; {got}. {yours}")
        return record(self._program, *arguments, **self._options)

    def _set_trace(self, trace: Trace) -> None:
        """Show this trace from now on."""
        self.trace, self.timeline = trace, Timeline(trace)
        # Decided once: a tree that changed its look while it grows would be hard to follow.
        self._boards = bool(trace.state.spots()) and len(trace.visits) <= MAX_BOARDS_DRAWN
        # By the number of the moment at which they are asked.
        self.questions = {self.timeline.index_of(step): q for step, q in questions(trace).items()}
        self.answered: dict[int, list[bool]] = {}  # by step: which answers were right
        self.step = min(self.step, len(self.timeline) - 1)
        self.inspected_path: Path | None = None  # the node whose facts are shown
        self.reply = ""  # what stands in the place of the sentence, as HTML

    def _show(self) -> None:
        """Let whoever shows this know that it has changed."""

    # --- moving ---

    def first(self) -> None:
        """Go to the beginning, before the first event."""
        self.go_to(0)

    def back(self) -> None:
        """Go one step back."""
        self.go_to(max(0, self.step - 1))

    def next(self) -> None:
        """Go one step on; in ask mode a question that waits for its answer holds it up."""
        with self._lock:
            if self.question is None and not self.at_end:
                self.go_to(self.step + 1)

    def skip(self) -> None:
        """Go to the end of this simulation, or of the next one; a question holds it up."""
        with self._lock:
            if self.question is None:
                end = self.timeline.end_of_simulation(self.step)
                waiting = [at for at in self.questions if self.ask_mode and at not in self.answered]
                self.go_to(min([end, *(at for at in waiting if at > self.step)]))

    def last(self) -> None:
        """Go to the end."""
        self.go_to(len(self.timeline) - 1)

    def show_first_wrong(self) -> None:
        """Go to the first wrong answer of a program; ValueError if none is known."""
        wrong = self.trace.first_wrong
        if wrong is None:
            raise ValueError(f"nothing that {self.trace.search} returns here is known to be wrong")
        self.go_to(self.timeline.index_of(wrong.step))

    @property
    def at_end(self) -> bool:
        """Whether nothing comes after this step."""
        return self.step == len(self.timeline) - 1

    def go_to(self, step: int) -> None:
        """Show a moment, 0 to `len(stepper.timeline) - 1`; ValueError for another."""
        with self._lock:
            if type(step) is not int or not 0 <= step < len(self.timeline):
                must = f"step must be an int from 0 to {len(self.timeline) - 1}"
                raise ValueError(f"{must}; got {step!r}")
            self.step, self.inspected_path, self.reply = step, None, ""
            self._show()

    # --- questions ---

    @property
    def ask_mode(self) -> bool:
        """Whether it asks before it moves."""
        return self._asks

    @ask_mode.setter
    def ask_mode(self, asks: bool) -> None:
        self._asks = asks
        self._show()

    @property
    def question(self) -> StepQuestion | None:
        """The question that waits for an answer; None if there is none.  A second try closes it."""
        tried = self.answered.get(self.step, [])
        return None if any(tried) or len(tried) > 1 else self.step_question

    @property
    def step_question(self) -> StepQuestion | None:
        """The question of this step, answered or not."""
        return self.questions.get(self.step) if self.ask_mode else None

    @property
    def score(self) -> tuple[int, int]:
        """How many questions were answered right at first, and how many were answered."""
        return sum(first for first, *_ in self.answered.values()), len(self.answered)

    def answer(self, answer: Any) -> PlainText:
        """Return what is said to an answer; the first one to each question counts.

        A wrong one is answered with a hint, and only the second wrong one with the truth.
        ValueError where nothing is asked, or the answer is not one of the choices.
        """
        with self._lock:
            question = self.step_question
            if question is None:
                raise ValueError("no question waits for an answer at this step")
            first = self.step not in self.answered
            judgement = grade_answer(self.trace, question, answer, reveal=not first)
            said = f"{'Right' if judgement else 'Not so'}. {judgement.explanation}"
            self.answered.setdefault(self.step, []).append(judgement.correct)
            if first:
                self._note(question, answer, judgement.correct)
                said += "" if judgement else " Try once more."
            scored = "{} ({} of {} right)".format(said, *self.score)
            self.reply = message_html("right" if judgement else "wrong", scored)
            self._show()
            return PlainText(said)

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
        """Close all the nodes that were opened."""
        self.expanded.clear()
        self._show()

    def inspect(self, *path: Any) -> None:
        """Show the position and the numbers of a node; a leaf of a textbook tree can be changed.

        ValueError if the search has not been there yet, and it is no such leaf.
        """
        with self._lock:
            if not self.is_leaf(path):
                self.timeline[self.step].node(path)  # checks it
            self.inspected_path, self.reply = path, ""
            self._show()

    def stop_inspecting(self) -> None:
        """Show the step again."""
        self.inspected_path = None
        self._show()

    @property
    def has_leaves(self) -> bool:
        """Whether the leaves of a textbook tree are there from the first step on."""
        return isinstance(self.trace.state, GameTree) and not self.trace.is_mcts

    def is_leaf(self, path: Path) -> bool:
        """Return whether a node is a leaf that can be changed."""
        state = self.trace.state
        return isinstance(state, GameTree) and state.play(*path).is_terminal()

    def change_leaf(self, path: Path, value: Any) -> None:
        """Give a leaf of a textbook tree another value, and search again.

        ValueError where there is no such leaf.
        """
        with self._lock:
            tree = self.trace.state
            if not isinstance(tree, GameTree) or not self.is_leaf(path):
                raise ValueError(f"{format_path(path)} is no leaf of a GameTree")
            ended, looked_at = self.at_end, self.inspected_path
            self._set_trace(self._record(with_leaf(tree, path, value)))
            self.inspected_path = looked_at
            self.step = len(self.timeline) - 1 if ended else self.step
            self._show()

    # --- what is shown ---

    @property
    def scene(self) -> StepView:
        """All that is shown now."""
        found = self.scene_at(self.step, self.step_question, self.question is not None)
        if self.has_leaves:
            found = replace(found, legend=f"<b>{LEAF_HINT}</b> {found.legend}")
        if self.inspected_path is None:
            score = " {} of {} questions right.".format(*self.score)
            more = score if self.ask_mode and self.at_end and self.questions else ""
            return replace(found, narration=found.narration + more, reply=self.reply)
        state = self.trace.state.play(*self.inspected_path)
        last = self.inspected_path[-1] if self.inspected_path else None
        board = str(board_svg(state, last=last)) if state.spots() else ""
        said = markup_to_html(self._of_node(found.hidden_path))
        return replace(found, narration=said, board=board, reply=self.reply)

    def scene_at(self, step: int, asked: StepQuestion | None, waits: bool) -> StepView:
        """Return what is shown at a step while something is asked, or was, or is not."""
        frame, covered = self.timeline[step], self.covered
        return render_step(frame, asked, waits=waits, covered=covered, **self.folding)

    @property
    def folding(self) -> dict[str, Any]:
        """How the tree is drawn."""
        return {"boards": self._boards, "width": WIDTH, "expanded": self.expanded}

    def _of_node(self, secret: Path | None) -> str:
        path, frame = self.inspected_path or (), self.timeline[self.step]
        if frame.visits_of(path) and path != secret:
            source = TreeSource(frame)
            return f"{capital(node_sentence(source, source.item(path)))}."
        return f"{capital(format_path(path))}."

    def state_text(self) -> str:
        """Return what is searched, and where in it this stands."""
        right, asked = self.score
        score = f", {right} of {asked} right" if asked else ""
        state = repr(self.trace.state)
        if len(state) > 70 or " at 0x" in state:
            state = type(self.trace.state).__name__
        return (
            f"{self.trace.search} on {state}, step {self.step} of {len(self.timeline) - 1}{score}"
        )

    def to_html(self, file: str | os.PathLike[str]) -> None:
        """Write one HTML file that steps through this search without Python and without a network.

        For slides and learning platforms.  It has the arrow keys, Home and End, the questions, and
        the step in its address (`#step=17`), and begins where this stands.
        """
        title = f"{self.trace.search} on {type(self.trace.state).__name__}"
        write_page(file, title, fragment("stepper", self.export()))

    def export(self) -> dict[str, Any]:
        """Return all that can be shown, as data for a page: see `course.widgets.stepper_export`."""
        shown = export_timeline(self.timeline, self.scene_at, self.questions)
        return shown | {"step": self.step, "asks": self.ask_mode, "leaves": self.has_leaves}


def with_leaf(tree: GameTree, path: Path, value: Any) -> GameTree:
    """Return the tree with another value at the leaf at the end of `path`."""

    def changed(node: Any, path: Path) -> Any:
        if not path:
            return value
        return with_child(node, path[0], changed(node[path[0]], path[1:]))

    return GameTree(changed(as_lists(tree), path), players_of(tree))
