"""A tree to fill in: values at its nodes, or the branches that alpha-beta cuts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ipywidgets import HTML, Button, HBox, Text, ToggleButton, VBox

from course.draw import tree as draw_tree
from course.draw.words import capital, in_words, line_in_words, path_in_words
from course.kit.feedback import Feedback
from course.kit.trees import check_cuts, check_values, inner_nodes
from course.kit.visits import Path
from course.widgets.panel import Panel, remark
from course.widgets.questions import parse_value
from gamelib.state import GameState

STYLE = """<style>
.gl-fill .gl-tree svg { max-width: 100%; height: auto; }
.gl-fill .gl-inputs { gap: 8px; overflow: visible; }
.gl-fill .widget-text, .gl-fill .widget-text .widget-label { width: auto; }
.gl-fill .widget-text .widget-label { min-width: 34px; font-weight: 700; }
.gl-fill .widget-text input { width: 80px; flex: none; }
.gl-fill .jupyter-button.mod-active { text-decoration: line-through; font-weight: 700; }
</style>"""


class FillInTree(Panel):
    """A tree to fill in, of a textbook or below a position of any game with few actions left.

    The learner enters the value of every inner node for max (a vector for more than two players),
    or with `cuts=True` marks the nodes that alpha-beta does not visit.  A node is called by the
    actions that lead to it.  From code: `fill({(): 3, (0,): 2})`, `mark((1, 1))`, `check()`.
    ValueError for a tree with too many inner nodes, and for cuts with more than two players.
    """

    def __init__(self, tree: GameState, *, cuts: bool = False) -> None:
        if not isinstance(tree, GameState):
            raise TypeError(f"tree must be a GameTree or another game; got {tree!r}")
        if cuts and tree.num_players != 2:
            raise ValueError(f"cuts need a tree of two players; this has {tree.num_players}")
        self.tree, self.cuts = tree, cuts
        self.paths = inner_nodes(tree)
        self.tries = 0
        self._drawing, self._feedback = HTML(), HTML()
        self._drawing.add_class("gl-tree")
        self._fields = {} if cuts else {path: self._field(path) for path in self.paths}
        self._toggles = dict(self._branches()) if cuts else {}
        check = Button(description="Check", button_style="primary", tooltip="Check the tree")
        check.on_click(lambda _: self.check())
        task = (
            "Alpha-beta goes from left to right. Which nodes does it not visit?"
            if cuts
            else "Which value does each node have?"
        )
        inputs = VBox([*self._rows(), _row([check])])
        inputs.add_class("gl-inputs")
        heading = HTML(f'<div class="gl-question">{task}</div>')
        super().__init__(HTML(STYLE), heading, self._drawing, inputs, self._feedback)
        self.add_class("gl-fill")
        self._show()

    @property
    def values(self) -> dict[Path, Any]:
        """The values entered so far, by path; ValueError if one is no number."""
        return {
            path: self._parsed(path, field.value)
            for path, field in self._fields.items()
            if field.value.strip()
        }

    @property
    def marked(self) -> tuple[Path, ...]:
        """The paths of the nodes marked as not visited."""
        return tuple(path for path, toggle in self._toggles.items() if toggle.value)

    def fill(self, values: Mapping[Path, Any]) -> None:
        """Enter values: `fill({(): 3, (0,): "2"})`; ValueError for a node that is not there."""
        for path, value in values.items():
            _check_known("nodes to fill in", self._fields, path)
            self._fields[path].value = str(value)

    def mark(self, *paths: Path) -> None:
        """Mark nodes as not visited: `mark((1, 1))`; ValueError for one that is not there."""
        for path in paths:
            _check_known("nodes to mark", self._toggles, path)
            self._toggles[path].value = True

    def check(self) -> Feedback:
        """Return whether all is right; else the first node that is wrong, and why."""
        try:
            found = (
                check_cuts(self.tree, self.marked)
                if self.cuts
                else check_values(self.tree, self.values)
            )
        except ValueError as error:
            found = Feedback(False, str(error))
        self.tries += 1
        word = "Right" if found else "Not yet"
        self._feedback.value = remark(
            "right" if found else "wrong", f"{word}. {capital(found.message)}"
        )
        self._show()
        return found

    def state_text(self) -> str:
        """Return the tree and how much of it is filled in."""
        if self.cuts:
            return f"{self.tree!r}, {len(self.marked)} nodes marked"
        filled = sum(bool(field.value.strip()) for field in self._fields.values())
        return f"{self.tree!r}, {filled} of {len(self._fields)} values"

    def _field(self, path: Path) -> Text:
        name = line_in_words(path) or "root"
        said = f"The value of {path_in_words(path)}"
        field = Text(description=name, placeholder="value", tooltip=said)
        field.observe(lambda _: self._show(), "value")
        return field

    def _branches(self) -> list[tuple[Path, ToggleButton]]:
        """Return a button for every node but the root."""
        buttons = []
        for path in self.paths:
            for action in self.tree.play(*path).legal_actions():
                child = (*path, action)
                said = f"{capital(path_in_words(child))} is not visited"
                button = ToggleButton(description=line_in_words(child), tooltip=said)
                button.observe(lambda _: self._show(), "value")
                buttons.append((child, button))
        return buttons

    def _rows(self) -> list[HBox]:
        """Return the inputs, a row for each level of the tree."""
        inputs = self._toggles or self._fields
        depths = sorted({len(path) for path in inputs})
        return [_row([w for path, w in inputs.items() if len(path) == depth]) for depth in depths]

    def _parsed(self, path: Path, text: str) -> Any:
        try:
            return parse_value(text)
        except ValueError:
            raise ValueError(
                f"{capital(path_in_words(path))}: {text!r} is no value; enter a number"
                + (" for each player, like 0, 8, 9." if self.tree.num_players > 2 else ".")
            ) from None

    def _show(self) -> None:
        labels = {path: self._label(path) for path in self.paths}
        self._drawing.value = draw_tree(
            self.tree,
            labels=labels,
            cut_edges=self.marked,
            title="The tree to fill in",
        )

    def _label(self, path: Path) -> str:
        """Return the value entered for a node, or a question mark."""
        if self.cuts:
            return ""
        try:
            return in_words(parse_value(self._fields[path].value))
        except ValueError:
            return "?"


def _check_known(what: str, known: Collection[Path], path: Path) -> None:
    if path not in known:
        raise ValueError(f"the {what} are {', '.join(map(str, known))}; got {path!r}")


def _row(widgets: list[Any]) -> HBox:
    row = HBox(widgets)
    row.add_class("gl-row")
    return row
