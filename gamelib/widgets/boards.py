"""Boards to click on: squares, columns, heaps of stones, or a list of the actions.

A square is a button without text: its name for screen readers is its tooltip, and what stands on
it comes from the style sheet, so that both can say what suits them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape
from itertools import count
from typing import Any

from ipywidgets import HTML, Button, GridBox, HBox, Layout, VBox

from gamelib.draw.board import (
    Mark,
    board_kind,
    cell_name,
    label_lines,
    lowest_free,
    side_of_cell,
    winning_cells,
)
from gamelib.state import Action, GameState

OnAction = Callable[[Action], object]
_numbers = count()


def make_board(state: GameState, on_action: OnAction) -> Board:
    """Return the board that suits a game; `on_action` is called with the action clicked."""
    kind = board_kind(state)
    if kind == "piles" and sum(getattr(state, "heaps", ())) > 60:
        kind = None
    boards: dict[str | None, type[Board]] = {"grid": Squares, "columns": Columns, "piles": Heaps}
    return boards.get(kind, Actions)(state, on_action)


def action_name(state: GameState, action: Action) -> str:
    """Return an action in words: "row 1, column 2" of a board, "2 from heap 0" in Nim."""
    kind = board_kind(state)
    if kind == "grid" and isinstance(action, int):
        row, col = divmod(action, getattr(state, "cols", 1))
        return f"row {row + 1}, column {col + 1}"
    if kind == "columns":
        return f"column {action}"
    if kind == "piles":
        heap, take = action
        return f"{take} from heap {heap}"
    return str(action)


class Board(VBox):
    """A card with a position on it."""

    def __init__(self, state: GameState, on_action: OnAction) -> None:
        self._on_action = on_action
        self._chosen: Action | None = None
        self._name = f"gl-board-{next(_numbers)}"
        self._style = HTML(layout=Layout(display="none"))
        super().__init__([self._style, *self._parts(state)])
        self.add_class("gl-card")
        self.add_class(self._name)

    def show(
        self,
        state: GameState,
        *,
        last: Action | None = None,
        marks: Mapping[Action, Mark] | None = None,
        chosen: Action | None = None,
        waiting: bool = False,
    ) -> None:
        """Show a position, the action that led to it, and what is known of the actions."""
        marks = marks or {}
        self._chosen = chosen
        self._show(state, last, marks)
        self._style.value = self._css(state, marks)
        (self.add_class if waiting else self.remove_class)("gl-waiting")

    def _parts(self, state: GameState) -> list[Any]:
        raise NotImplementedError

    def _show(self, state: GameState, last: Action | None, marks: Mapping[Action, Mark]) -> None:
        raise NotImplementedError

    def _css(self, state: GameState, marks: Mapping[Action, Mark]) -> str:
        return ""

    def _button(self, side: float, height: float | None = None) -> Button:
        size = Layout(width=f"{side:g}px", height=f"{height or side:g}px")
        return Button(layout=size)

    def _rule(self, cell: str, content: str, size: float) -> str:
        """Return the rule that writes on one button, silently for screen readers."""
        safe = r"\A ".join(label_lines(re.sub(r"[^\w .,=<>%+?~\u00a0-]", "", content)))
        return (
            f'.gl-card.{self._name} .{cell}::before {{ content: "{safe}"; content: "{safe}" / ""; '
            f"font-size: {size:g}px; }}"
        )


class Squares(Board):
    """A board of squares; an action is a cell, row by row."""

    def _parts(self, state: Any) -> list[Any]:
        self._side = side_of_cell(state)
        self._cells = [self._button(self._side) for _ in range(state.rows * state.cols)]
        for action, button in enumerate(self._cells):
            button.on_click(lambda _, action=action: self._on_action(action))
        columns = f"repeat({state.cols}, {self._side:g}px)"
        grid = GridBox(
            self._cells,
            layout=Layout(grid_template_columns=columns, grid_gap="4px", overflow="visible"),
        )
        return [grid]

    def _show(self, state: Any, last: Action | None, marks: Mapping[Action, Mark]) -> None:
        won = winning_cells(state)
        for action, button in enumerate(self._cells):
            row, col = divmod(action, state.cols)
            owner = state.cell(row, col)
            mark = marks.get(action)
            button.tooltip = _title(f"row {row + 1}, column {col + 1}, {cell_name(owner)}", mark)
            button._dom_classes = _classes(
                f"gl-c{action}",
                owner,
                mark,
                **{
                    "gl-last": action == last,
                    "gl-chosen": action == self._chosen,
                    "gl-won": (row, col) in won,
                },
            )

    def _css(self, state: Any, marks: Mapping[Action, Mark]) -> str:
        rules = []
        for action in range(len(self._cells)):
            owner = state.cell(*divmod(action, state.cols))
            if owner is not None:
                content, size = cell_name(owner), 0.68 * self._side
            elif action in marks:
                content = marks[action].text
                size = _fitting(content, self._side)
            else:
                content, size = str(action), max(11, 0.2 * self._side)
            rules.append(self._rule(f"gl-c{action}", content, size))
        return f"<style>{' '.join(rules)}</style>"


class Columns(Board):
    """An upright board; an action is a column, and every cell of it is a button that plays it."""

    def _parts(self, state: Any) -> list[Any]:
        self._side = side_of_cell(state)
        self._cells = {}
        for row in range(state.rows):
            for col in range(state.cols):
                button = self._cells[row, col] = self._button(self._side)
                button.on_click(lambda _, col=col: self._on_action(col))
        template = f"repeat({state.cols}, {self._side:g}px)"
        plate = GridBox(
            list(self._cells.values()),
            layout=Layout(grid_template_columns=template, grid_gap="5px", overflow="visible"),
        )
        plate.add_class("gl-plate")
        labels = "".join(
            f'<span style="display:inline-block;width:{self._side:g}px;margin-right:5px;'
            f'text-align:center">{col}</span>'
            for col in range(state.cols)
        )
        below = f'<div style="white-space:nowrap;padding-left:6px;font-size:16px">{labels}</div>'
        return [plate, HTML(below)]

    def _show(self, state: Any, last: Action | None, marks: Mapping[Action, Mark]) -> None:
        won = winning_cells(state)
        open_columns = set(state.legal_actions())
        for col in range(state.cols):
            landing = lowest_free(state, col)
            for row in range(state.rows):
                owner, here = state.cell(row, col), row == landing
                mark = marks.get(col) if here else None
                button = self._cells[row, col]
                name = f"column {col}, row {row + 1} from the top, {cell_name(owner)}"
                if here and col in open_columns:
                    name = _title(f"column {col}: drop a stone", mark)
                button.tooltip = name
                button.tabbable = here and col in open_columns
                is_last = col == last and row == landing + 1
                chosen = here and col == self._chosen
                button._dom_classes = _classes(
                    f"gl-c{row}-{col}",
                    owner,
                    mark,
                    **{
                        "gl-disc": True,
                        "gl-last": is_last,
                        "gl-chosen": chosen,
                        "gl-won": (row, col) in won,
                    },
                )

    def _css(self, state: Any, marks: Mapping[Action, Mark]) -> str:
        rules = []
        for row, col in self._cells:
            owner = state.cell(row, col)
            if owner is not None:
                rules.append(self._rule(f"gl-c{row}-{col}", cell_name(owner), 0.5 * self._side))
            elif col in marks and row == lowest_free(state, col):
                content = marks[col].text
                size = _fitting(content, 0.85 * self._side)
                rules.append(self._rule(f"gl-c{row}-{col}", content, size))
        return f"<style>{' '.join(rules)}</style>"


class Heaps(Board):
    """Heaps of stones; a stone is a button that takes itself and all above it."""

    def _parts(self, state: Any) -> list[Any]:
        self._heaps = []
        for heap, size in enumerate(state.heaps):
            stones = {take: self._button(76, 32) for take in range(size, 0, -1)}
            self._heaps.append(stones)
            for place, button in stones.items():
                # place counts from the top of the full heap
                button.on_click(lambda _, heap=heap, place=place: self._take(heap, place))
        label = Layout(width="76px", margin="2px 0")
        self._labels = [HTML(layout=label) for _ in state.heaps]
        columns = [
            VBox([*reversed(stones.values()), text], layout=Layout(justify_content="flex-end"))
            for stones, text in zip(self._heaps, self._labels, strict=True)
        ]
        return [HBox(columns, layout=Layout(align_items="stretch", flex_flow="row wrap"))]

    def _take(self, heap: int, place: int) -> None:
        taken = len(self._heaps[heap]) - self._left[heap]
        self._on_action((heap, place - taken))

    def _show(self, state: Any, last: Action | None, marks: Mapping[Action, Mark]) -> None:
        self._left = state.heaps
        legal = set(state.legal_actions())
        for heap, (stones, left) in enumerate(zip(self._heaps, state.heaps, strict=True)):
            self._labels[
                heap
            ].value = f'<div style="text-align:center">heap {heap}<br><b>{left}</b></div>'
            for place, button in stones.items():
                action = (heap, place - len(stones) + left)
                button.layout.visibility = "visible" if action[1] > 0 else "hidden"
                button.tabbable = action in legal
                mark = marks.get(action)
                name = f"take {action[1]} from heap {heap}"
                button.tooltip = _title(name if action in legal else f"stone of heap {heap}", mark)
                button._dom_classes = _classes(
                    f"gl-c{heap}-{place}",
                    None,
                    mark,
                    **{"gl-stone": True, "gl-chosen": action == self._chosen},
                )

    def _css(self, state: Any, marks: Mapping[Action, Mark]) -> str:
        rules = []
        for heap, (stones, left) in enumerate(zip(self._heaps, state.heaps, strict=True)):
            for place in stones:
                action = (heap, place - len(stones) + left)
                content = marks[action].text if action in marks else str(action[1])
                content = content.replace(" ", "\u00a0")  # a stone has room for one line
                size = min(15, _fitting(content, 64))
                rules.append(self._rule(f"gl-c{heap}-{place}", content, size))
        return f"<style>{' '.join(rules)}</style>"


class Actions(Board):
    """A game without a board: its text, and a button for each legal action."""

    def _parts(self, state: GameState) -> list[Any]:
        self._text = HTML()
        self._row = HBox()
        self._row.add_class("gl-row")
        self._legal: list[Action] = []
        return [self._text, self._row]

    def _show(self, state: GameState, last: Action | None, marks: Mapping[Action, Mark]) -> None:
        self._text.value = f"<pre>{escape(str(state))}</pre>"
        self._legal = list(state.legal_actions())
        buttons = list(self._row.children)
        while len(buttons) < len(self._legal):
            index = len(buttons)
            button = Button(layout=Layout(height="36px", width="auto"))
            button.on_click(lambda _, index=index: self._choose(index))
            buttons.append(button)
        for index, button in enumerate(buttons):
            shown = index < len(self._legal)
            button.layout.display = "" if shown else "none"
            if not shown:
                continue
            action = self._legal[index]
            mark = marks.get(action)
            button.description = f"{action}: {mark.text}" if mark else str(action)
            button.tooltip = _title(f"play {action}", mark)
            button._dom_classes = _classes(
                "gl-action", None, mark, **{"gl-chosen": action == self._chosen}
            )
        self._row.children = buttons

    def _choose(self, index: int) -> None:
        if index < len(self._legal):
            self._on_action(self._legal[index])


def _title(name: str, mark: Mark | None) -> str:
    return f"{name}, {mark.text}" if mark else name


def _classes(name: str, owner: int | None, mark: Mark | None, **more: bool) -> tuple[str, ...]:
    """Return a button's classes: its own, what stands on it, and those of `more` that hold."""
    content = f"gl-p{owner}" if owner is not None else f"gl-{mark.kind}" if mark else "gl-number"
    return (name, content, *(other for other, holds in more.items() if holds))


def _fitting(content: str, room: float) -> float:
    """Return the size of letters with which a text fits into a cell."""
    longest = max(1, *map(len, label_lines(content)))
    return round(min(22, 0.4 * room, 1.5 * room / longest), 1)
