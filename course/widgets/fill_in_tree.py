"""A widget with a tree to fill in: values of its nodes, or the branches that alpha-beta cuts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from html import escape
from itertools import count
from math import atan2, hypot
from typing import Any

from ipywidgets import HTML, Box, Text, ToggleButton, VBox

from course.draw.tree import TreeDrawing, tree_drawing
from course.draw.wording import capital, format_path
from course.exercises.feedback import Feedback
from course.exercises.tree_exercises import check_cuts, check_values, children_first, inner_nodes
from course.exercises.visit_counter import Path
from course.widgets.controls import add_css_classes, button, side_by_side
from course.widgets.panel import Notice, Panel, message_html
from course.widgets.step_questions import parse_value
from gamelib.state import GameState

VALUE_TASK = "Which value does each node have? Type it into the tree."
CUT_TASK = "Which nodes can be skipped, from left to right? Click the edges above them."
LETTER = 18 * 0.58  # width of a letter in the drawing, in pixels
THICK = 20  # width of the area around an edge that can be clicked, in pixels
MIN_SCALE = 0.5  # of its full size; the text must stay readable
BESIDE = 0.8  # of its full size; if it were smaller, the verdict goes below it
_numbers = count()


class FillInTree(Panel):
    """A tree to fill in, from a textbook or of the positions of a game near its end.

    The learner types the value of every inner node for max, or a vector if there are more than two
    players.  With `cuts=True` the learner clicks the edges that alpha-beta does not follow.  The
    first check gives a hint about the first error; if the next attempt at this node is wrong, too,
    the check gives the answer.  From code: `fill({(): 3, (0,): 2})`, `mark((1, 1))`, `check()`; a
    node is identified by the actions that lead to it.

    TypeError if `tree` is not a game; ValueError for a tree with too many inner nodes, and for cuts
    with more than two players.
    """

    css = ("fill_in_tree.css",)

    def __init__(self, tree: GameState, *, cuts: bool = False) -> None:
        if not isinstance(tree, GameState):
            raise TypeError(f"tree must be a GameTree or another game; got {tree!r}")
        if cuts and tree.num_players != 2:
            raise ValueError(f"tree must have two players if cuts=True; it has {tree.num_players}")
        self.tree, self.cuts = tree, cuts
        self.paths = inner_nodes(tree)
        self.tries = 0
        self._tried: dict[Path, set[Hashable]] = {}  # node -> the wrong answers for it
        self._drawing = add_css_classes(HTML(), "gl-drawn")
        self._legend, self._feedback = Notice(), Notice()
        # In the order of the Tab key: branches level by level, value fields from the leaves up.
        inner = [(path, tree.play(*path)) for path in self.paths]
        below = [(*path, action) for path, state in inner for action in state.legal_actions()]
        parts = below if cuts else children_first(self.paths)
        self._class = {path: f"gl-part-{number}" for number, path in enumerate(parts)}
        self._fields = {} if cuts else {path: self._field(path) for path in parts}
        self._toggles = {path: self._branch(path) for path in parts} if cuts else {}
        self._over = Box([self._drawing, *self._fields.values(), *self._toggles.values()])
        style = HTML(self._sheet(self._draw()))
        check = button("Check", self.check, "Check the tree", "primary")
        beside = add_css_classes(VBox([check, self._feedback]), "gl-beside")
        heading = HTML(f'<div class="gl-question">{CUT_TASK if cuts else VALUE_TASK}</div>')
        super().__init__(style, heading, side_by_side(self._over, beside), self._legend)
        self.add_class("gl-fill")

    @property
    def marked(self) -> tuple[Path, ...]:
        """The paths of the nodes marked as not visited."""
        return tuple(path for path, toggle in self._toggles.items() if toggle.value)

    def fill(self, values: Mapping[Path, Any]) -> None:
        """Enter values: `fill({(): 3, (0,): "2"})`; KeyError for an unknown node."""
        for path, value in values.items():
            self._fields[path].value = str(value)

    def mark(self, *paths: Path) -> None:
        """Mark nodes as not visited: `mark((1, 1))`; KeyError for an unknown node."""
        for path in paths:
            self._toggles[path].value = True

    def check(self) -> Feedback:
        """Return feedback with a hint about the first error, or at the second attempt the answer.

        The error is marked in the tree.
        """
        feedback = self._judged()
        self.tries += feedback.attempted
        word = "Right" if feedback else "Not yet"
        kind = "right" if feedback else "wrong" if feedback.attempted else "note"
        self._feedback.show(message_html(kind, f"{word}. {capital(feedback.message)}"))
        return feedback

    def state_text(self) -> str:
        """Return the tree and how much of it is filled in."""
        if self.cuts:
            return f"{self.tree!r}, {len(self.marked)} nodes marked"
        filled = sum(bool(field.value.strip()) for field in self._fields.values())
        return f"{self.tree!r}, {filled} of {len(self._fields)} values"

    def picture(self) -> str:
        """Return the tree, with the marked edges cut."""
        return str(self._drawing.value)

    def _judged(self) -> Feedback:
        """Return feedback on the entries, and mark the first error in the tree."""
        self._mark_wrong(None)
        values: dict[Path, Any] = {}
        for path, field in self._fields.items():
            try:
                if field.value.strip():
                    values[path] = parse_value(field.value)
            except ValueError:
                self._mark_wrong(path)
                more = " for each player, like 0, 8, 9." if self.tree.num_players > 2 else "."
                text = f"{field.value!r} is no value; enter a number{more}"
                return Feedback(False, f"{capital(format_path(path))}: {text}")
        entered: Any = self.marked if self.cuts else values
        feedback = (check_cuts if self.cuts else check_values)(self.tree, entered)
        if feedback.path is None:
            return feedback
        entry = entered if self.cuts else str(entered[feedback.path])
        attempts = self._tried.setdefault(feedback.path, set())
        attempts.add(entry)
        reveal = len(attempts) > 1
        if reveal or feedback.path in (self.marked if self.cuts else self._fields):
            self._mark_wrong(feedback.path)
        return feedback if reveal else Feedback(False, feedback.hint)

    def _mark_wrong(self, wrong: Path | None) -> None:
        for path, part in (self._fields | self._toggles).items():
            (part.add_class if path == wrong else part.remove_class)("gl-wrong-one")

    def _field(self, path: Path) -> Text:
        said = f"Value of {format_path(path)}"
        # With an update for each key, an answer from a busy kernel could undo the next key.
        field = Text(description=said, placeholder="?", tooltip=said, continuous_update=False)
        field._dom_classes = ("gl-at", "gl-field", self._class[path])
        field.observe(lambda _: field.remove_class("gl-wrong-one"), "value")
        return field

    def _branch(self, path: Path) -> ToggleButton:
        named = format_path(path)
        cut, join = f"Cut the edge to {named}", f"The edge to {named} is cut: join it again"
        button = ToggleButton(tooltip=cut)
        button._dom_classes = ("gl-at", "gl-branch", self._class[path])

        def toggle(_: Any) -> None:
            button.tooltip = join if button.value else cut
            button.remove_class("gl-wrong-one")
            self._draw()

        button.observe(toggle, "value")
        return button

    def _draw(self) -> TreeDrawing:
        """Draw the tree with the marked edges cut, and return the drawing."""
        wide = " " * (field_width(self.tree) + 1)  # so that the node is wider than its field
        blanks = {} if self.cuts else dict.fromkeys(self.paths, wide)
        drawing = tree_drawing(self.tree, expanded=self.paths, labels=blanks, cut_edges=self.marked)
        self._drawing.value = drawing.svg
        self._legend.show(f'<div class="gl-small-print">{escape(drawing.legend)}</div>')
        self.update_picture()
        return drawing

    def _sheet(self, drawn: TreeDrawing) -> str:
        """Return the style sheet that puts each field on its node, and each button on its edge."""
        name = f"gl-over-{next(_numbers)}"
        self._over._dom_classes = ("gl-over", name)
        wide, high = drawn.width, drawn.height
        # As wide as fits next to the verdict, and low enough for the question to be on the same
        # screen.
        low = f"max({MIN_SCALE * wide:g}px, {wide / high:.3f} * (100vh - 250px))"
        narrow = f"max({BESIDE * wide:g}px, 100% - 170px)"
        rules = [
            f".{name} {{ width: min(100%, {wide:g}px, {low}, {narrow}); }}",
            f".{name} > .gl-at {{ font-size: {1800 / wide:.3f}cqw; }}",
        ]
        field = f"width: {100 * (LETTER * field_width(self.tree) + 12) / wide:.3f}%; "
        field += f"height: {2600 / high:.3f}%;"
        for path in self._fields:
            x, y = drawn.heads[path]
            rules.append(f".{name} > .{self._class[path]} {{ {at(x / wide, y / high)} {field} }}")
        for path in self._toggles:
            style, angle = edge_css(drawn, path)
            rules.append(
                f".{name} > .{self._class[path]} {{ {style} }} "
                f".{name} > .{self._class[path]}::after {{ transform: rotate({-angle:.4f}rad); }}"
            )
        return f"<style>{' '.join(rules)}</style>"


def field_width(tree: GameState) -> int:
    """Return the number of letters for which a field of a tree has space."""
    return 3 + tree.has_chance if tree.num_players == 2 else 3 * tree.num_players


def edge_css(drawn: TreeDrawing, path: Path) -> tuple[str, float]:
    """Return the CSS that puts a button over the edge to a node, and its angle in radians."""
    x1, y1, x2, y2 = drawn.edges[path]
    # where the edges of siblings no longer overlap
    x1, y1 = x1 + 0.15 * (x2 - x1), y1 + 0.15 * (y2 - y1)
    angle, long = atan2(y2 - y1, x2 - x1), hypot(x2 - x1, y2 - y1) / drawn.width
    size = f"width: {100 * long:.3f}%; height: {100 * THICK / drawn.height:.3f}%;"
    turned = f"transform: translateY(-50%) rotate({angle:.4f}rad);"
    return f"{at(x1 / drawn.width, y1 / drawn.height)} {size} {turned}", angle


def at(x: float, y: float) -> str:
    """Return the CSS of a position, given as fractions of the drawing's width and height."""
    return f"left: {100 * x:.3f}%; top: {100 * y:.3f}%;"
