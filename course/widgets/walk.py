"""A walk through a search: where it stands, what was asked and answered, and what is shown of it.

Nothing here knows how a stepper is laid out: `Walk(alphabeta, state)` makes no widget.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from course.draw.tree_items import Source
from course.draw.tree_items import sentence as node_sentence
from course.draw.words import capital, in_words, path_in_words
from course.kit.record import note
from course.kit.smallest import plain, players_of, with_child
from course.watch.trace import Film, Trace, is_described, record
from course.watch.visits import Path
from course.widgets.panel import marked_up, remark
from course.widgets.questions import Question, judge, parse_value, questions
from course.widgets.quiz import Feedback, shortened
from course.widgets.reel import fragment, reel, write_page
from course.widgets.scene import Scene, scene
from gamelib.check import check_state
from gamelib.games.game_tree import GameTree
from gamelib.picture import position
from gamelib.state import GameState

NONE: Any = object()  # no argument was given
WIDTH = 680  # pixels that a tree is folded to
INVITES = "Click a leaf to change its number."
SMALL = 24  # nodes of a tree that are drawn as boards


def is_state(value: Any) -> bool:
    """Return whether a value is a position of ours."""
    return isinstance(value, GameState)


class Walk:
    """Where one stands in a search, and what is said there; `_show` is called when that changes."""

    def __init__(
        self, program: Callable[..., Any], state: Any, *arguments: Any, **options: Any
    ) -> None:
        self._program, self._arguments, self._options = program, arguments, options
        self._lock = threading.RLock()
        self.step, self._asks, self.covered = 0, False, False
        self.expanded: set[Path] = set()
        self._take(self._record(state))

    def _record(self, state: Any) -> Trace:
        if isinstance(state, type) and issubclass(state, GameState):
            check_state(state)
        arguments = self._arguments if state is NONE else (state, *self._arguments)
        if not callable(self._program) or (is_described(self._program) and not is_state(state)):
            name = getattr(self._program, "__name__", "alphabeta")
            like = f"a search and a position: SearchStepper({name}, TicTacToe())"
            given = None if state is NONE else state
            got = f"got {shortened(repr(given))} as the position"
            yours = "Your own program takes its own arguments: SearchStepper(minimax, board, True)"
            raise TypeError(f"SearchStepper takes {like}; {got}. {yours}")
        return record(self._program, *arguments, **self._options)

    def _take(self, trace: Trace) -> None:
        """Show this trace from now on."""
        self.trace, self.film = trace, Film(trace)
        # Decided once: a tree that changed its look while it grows would be hard to follow.
        self._boards = bool(trace.state.spots()) and len(trace.visits) <= SMALL
        # By the number of the moment at which they are asked.
        self.questions = {self.film.of(step): q for step, q in questions(trace).items()}
        self.answered: dict[int, list[bool]] = {}  # by step: which answers were right
        self.step = min(self.step, len(self.film) - 1)
        self.looked_at: Path | None = None  # the node whose facts are shown
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
                end = self.film.end_of_simulation(self.step)
                waiting = [at for at in self.questions if self.asks and at not in self.answered]
                self.go_to(min([end, *(at for at in waiting if at > self.step)]))

    def last(self) -> None:
        """Go to the end."""
        self.go_to(len(self.film) - 1)

    def show_first_wrong(self) -> None:
        """Go to the first wrong answer of a program; ValueError if none is known."""
        wrong = self.trace.first_wrong
        if wrong is None:
            raise ValueError(f"nothing that {self.trace.search} returns here is known to be wrong")
        self.go_to(self.film.of(wrong.step))

    @property
    def at_end(self) -> bool:
        """Whether nothing comes after this step."""
        return self.step == len(self.film) - 1

    def go_to(self, step: int) -> None:
        """Show a moment, 0 to `len(stepper.film) - 1`; ValueError for another."""
        with self._lock:
            if type(step) is not int or not 0 <= step < len(self.film):
                must = f"step must be an int from 0 to {len(self.film) - 1}"
                raise ValueError(f"{must}; got {step!r}")
            self.step, self.looked_at, self.reply = step, None, ""
            self._show()

    # --- questions ---

    @property
    def asks(self) -> bool:
        """Whether it asks before it moves."""
        return self._asks

    @asks.setter
    def asks(self, asks: bool) -> None:
        self._asks = asks
        self._show()

    @property
    def question(self) -> Question | None:
        """The question that waits for an answer; None if there is none.  A second try closes it."""
        tried = self.answered.get(self.step, [])
        return None if any(tried) or len(tried) > 1 else self.asked_here

    @property
    def asked_here(self) -> Question | None:
        """The question of this step, answered or not."""
        return self.questions.get(self.step) if self.asks else None

    @property
    def score(self) -> tuple[int, int]:
        """How many questions were answered right at first, and how many were answered."""
        return sum(first for first, *_ in self.answered.values()), len(self.answered)

    def answer(self, answer: Any) -> Feedback:
        """Return what is said to an answer; the first one to each question counts.

        A wrong one is answered with a hint, and only the second wrong one with the truth.
        ValueError where nothing is asked, or the answer is not one of the choices.
        """
        with self._lock:
            question = self.asked_here
            if question is None:
                raise ValueError("no question waits for an answer at this step")
            first = self.step not in self.answered
            judgement = judge(self.trace, question, answer, tell=not first)
            said = f"{'Right' if judgement else 'Not so'}. {judgement.why}"
            self.answered.setdefault(self.step, []).append(judgement.right)
            if first:
                self._note(question, answer, judgement.right)
                said += "" if judgement else " Try once more."
            scored = "{} ({} of {} right)".format(said, *self.score)
            self.reply = remark("right" if judgement else "wrong", scored)
            self._show()
            return Feedback(said)

    def _note(self, question: Question, answer: Any, right: bool) -> None:
        where = f"{self.trace.search}, {shortened(repr(self.trace.state))}, step {self.step}"
        given = str(answer).strip() if question.choices else in_words(parse_value(answer))
        truth = in_words(question.right)
        note("step", f"{where}: {question.prompt}", given=given, right=right, truth=truth)

    # --- nodes ---

    def expand(self, *path: Any) -> None:
        """Open a node of a folded tree with all its children: `expand(4, 0)`."""
        self.expanded.add(path)
        self._show()

    def fold(self) -> None:
        """Close all the nodes that were opened."""
        self.expanded.clear()
        self._show()

    def look_at(self, *path: Any) -> None:
        """Show the position and the numbers of a node; a leaf of a textbook tree can be changed.

        ValueError if the search has not been there yet, and it is no such leaf.
        """
        with self._lock:
            if not self.is_leaf(path):
                self.film[self.step].node(path)  # checks it
            self.looked_at, self.reply = path, ""
            self._show()

    def look_away(self) -> None:
        """Show the step again."""
        self.looked_at = None
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
                raise ValueError(f"{path_in_words(path)} is no leaf of a GameTree")
            ended, looked_at = self.at_end, self.looked_at
            self._take(self._record(with_leaf(tree, path, value)))
            self.looked_at = looked_at
            self.step = len(self.film) - 1 if ended else self.step
            self._show()

    # --- what is shown ---

    @property
    def scene(self) -> Scene:
        """All that is shown now."""
        found = self.scene_at(self.step, self.asked_here, self.question is not None)
        if self.has_leaves:
            found = replace(found, legend=f"<b>{INVITES}</b> {found.legend}")
        if self.looked_at is None:
            score = " {} of {} questions right.".format(*self.score)
            more = score if self.asks and self.at_end and self.questions else ""
            return replace(found, said=found.said + more, reply=self.reply)
        state = self.trace.state.play(*self.looked_at)
        last = self.looked_at[-1] if self.looked_at else None
        board = str(position(state, last=last)) if state.spots() else ""
        said = marked_up(self._of_node(found.secret))
        return replace(found, said=said, board=board, reply=self.reply)

    def scene_at(self, step: int, asked: Question | None, waits: bool) -> Scene:
        """Return what is shown at a step while something is asked, or was, or is not."""
        frame, covered = self.film[step], self.covered
        return scene(frame, asked, waits=waits, covered=covered, **self.folding)

    @property
    def folding(self) -> dict[str, Any]:
        """How the tree is drawn."""
        return {"boards": self._boards, "width": WIDTH, "expanded": self.expanded}

    def _of_node(self, secret: Path | None) -> str:
        path, frame = self.looked_at or (), self.film[self.step]
        if frame.visits_of(path) and path != secret:
            source = Source(frame)
            return f"{capital(node_sentence(source, source.item(path)))}."
        return f"{capital(path_in_words(path))}."

    def state_text(self) -> str:
        """Return what is searched, and where in it this stands."""
        right, asked = self.score
        score = f", {right} of {asked} right" if asked else ""
        state = repr(self.trace.state)
        if len(state) > 70 or " at 0x" in state:
            state = type(self.trace.state).__name__
        return f"{self.trace.search} on {state}, step {self.step} of {len(self.film) - 1}{score}"

    def to_html(self, file: str | os.PathLike[str]) -> None:
        """Write one HTML file that steps through this search without Python and without a network.

        For slides and learning platforms.  It has the arrow keys, Home and End, the questions, and
        the step in its address (`#step=17`), and begins where this stands.
        """
        title = f"{self.trace.search} on {type(self.trace.state).__name__}"
        write_page(file, title, fragment("stepper", self.reel()))

    def reel(self) -> dict[str, Any]:
        """Return all that can be shown, as data for a page: see `course.widgets.reel`."""
        shown = reel(self.film, self.scene_at, self.questions)
        return shown | {"step": self.step, "asks": self.asks, "leaves": self.has_leaves}


def with_leaf(tree: GameTree, path: Path, value: Any) -> GameTree:
    """Return the tree with another value at the leaf at the end of `path`."""

    def changed(node: Any, path: Path) -> Any:
        if not path:
            return value
        return with_child(node, path[0], changed(node[path[0]], path[1:]))

    return GameTree(changed(plain(tree), path), players_of(tree))
