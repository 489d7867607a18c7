"""Boards to click on: squares, columns, heaps of stones, or a list of the actions.

A square is a button without text: its name for screen readers is its tooltip, and what stands on
it comes from the style sheet, so that both can say what suits them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from itertools import count
from typing import Any

from ipywidgets import HTML, Button, GridBox, HBox, Layout, VBox

from course.widgets.looks import Look, sheet
from gamelib.picture.board import (
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
Marks = Mapping[Action, Mark]
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
    """A card with a position on it; `looks` says how each square looks, by its class."""

    def __init__(self, state: GameState, on_action: OnAction) -> None:
        self._on_action = on_action
        self._name = f"gl-board-{next(_numbers)}"
        self.looks: dict[str, Look] = {}
        self._style = HTML(layout=Layout(display="none"))
        super().__init__([*self._parts(state), self._style])  # the last style sheet wins
        self.add_class("gl-card")
        self.add_class(self._name)

    def show(
        self,
        state: GameState,
        *,
        last: Action | None = None,
        marks: Marks | None = None,
        chosen: Action | None = None,
        waiting: bool = False,
    ) -> None:
        """Show a position, the action that led to it, and what is known of the actions."""
        marks = marks or {}
        self.looks = self._looks(state, last, marks, chosen)
        self._style.value = sheet(self._name, self.looks, waiting=waiting)  # first what is seen
        self._name_squares(state, marks)

    def _parts(self, state: GameState) -> list[Any]:
        raise NotImplementedError

    def _looks(
        self, state: GameState, last: Action | None, marks: Marks, chosen: Action | None
    ) -> dict[str, Look]:
        raise NotImplementedError

    def _name_squares(self, state: GameState, marks: Marks) -> None:
        """Give every button the name by which screen readers call it."""
        raise NotImplementedError

    def _button(self, cell: str, side: float, height: float, *classes: str) -> Button:
        button = Button(layout=Layout(width=f"{side:g}px", height=f"{height:g}px"))
        button._dom_classes = (cell, *classes)
        return button


class Squares(Board):
    """A board of squares; an action is a cell, row by row."""

    def _parts(self, state: Any) -> list[Any]:
        self._side = side = side_of_cell(state)
        actions = range(state.rows * state.cols)
        self._cells = [self._button(f"gl-c{action}", side, side) for action in actions]
        for action, button in enumerate(self._cells):
            button.on_click(lambda _, action=action: self._on_action(action))
        columns = f"repeat({state.cols}, {side:g}px)"
        grid = GridBox(
            self._cells,
            layout=Layout(grid_template_columns=columns, grid_gap="4px", overflow="visible"),
        )
        numbers = {f"gl-c{n}": Look((), str(n), max(11, 0.2 * side)) for n in actions}
        return [HTML(sheet(self._name, numbers), layout=Layout(display="none")), grid]

    def _looks(
        self, state: Any, last: Action | None, marks: Marks, chosen: Action | None
    ) -> dict[str, Look]:
        won, looks = winning_cells(state), {}
        for action in range(len(self._cells)):
            cell = divmod(action, state.cols)
            owner, mark = state.cell(*cell), marks.get(action)
            names = _holding(last=action == last, won=cell in won, chosen=action == chosen)
            if owner is not None:
                looks[f"gl-c{action}"] = Look(
                    (f"p{owner}", *names), cell_name(owner), 0.68 * self._side
                )
            elif mark:
                looks[f"gl-c{action}"] = _marked(mark, names, self._side)
        return looks

    def _name_squares(self, state: Any, marks: Marks) -> None:
        for action, button in enumerate(self._cells):
            row, col = divmod(action, state.cols)
            name = f"row {row + 1}, column {col + 1}, {cell_name(state.cell(row, col))}"
            button.tooltip = _title(name, marks.get(action))


class Columns(Board):
    """An upright board; an action is a column, and every cell of it is a button that plays it."""

    def _parts(self, state: Any) -> list[Any]:
        self._side = side = side_of_cell(state)
        self._cells = {}
        for row in range(state.rows):
            for col in range(state.cols):
                button = self._button(f"gl-c{row}-{col}", side, side, "gl-disc")
                button.on_click(lambda _, col=col: self._on_action(col))
                self._cells[row, col] = button
        template = f"repeat({state.cols}, {side:g}px)"
        plate = GridBox(
            list(self._cells.values()),
            layout=Layout(grid_template_columns=template, grid_gap="5px", overflow="visible"),
        )
        plate.add_class("gl-plate")
        labels = "".join(
            f'<span style="display:inline-block;width:{side:g}px;margin-right:5px;'
            f'text-align:center">{col}</span>'
            for col in range(state.cols)
        )
        below = f'<div style="white-space:nowrap;padding-left:6px;font-size:16px">{labels}</div>'
        return [plate, HTML(below)]

    def _looks(
        self, state: Any, last: Action | None, marks: Marks, chosen: Action | None
    ) -> dict[str, Look]:
        won, looks = winning_cells(state), {}
        landing = [lowest_free(state, col) for col in range(state.cols)]
        for row, col in self._cells:
            owner, here = state.cell(row, col), row == landing[col]
            mark = marks.get(col) if here else None
            if owner is not None:
                is_last = col == last and row == landing[col] + 1
                names = _holding(disc_last=is_last, disc_won=(row, col) in won)
                look = Look((f"disc-p{owner}", *names), cell_name(owner), 0.5 * self._side)
                looks[f"gl-c{row}-{col}"] = look
            elif mark:
                names = _holding(chosen=col == chosen)
                looks[f"gl-c{row}-{col}"] = _marked(mark, names, 0.85 * self._side)
            elif here and col == chosen:
                looks[f"gl-c{row}-{col}"] = Look(("chosen",))
        return looks

    def _name_squares(self, state: Any, marks: Marks) -> None:
        legal = set(state.legal_actions())
        landing = [lowest_free(state, col) for col in range(state.cols)]
        for (row, col), button in self._cells.items():
            plays = row == landing[col] and col in legal
            name = f"column {col}, row {row + 1} from the top, {cell_name(state.cell(row, col))}"
            if plays:
                name = _title(f"column {col}: drop a stone", marks.get(col))
            _change(button, tooltip=name, tabbable=plays)


class Heaps(Board):
    """Heaps of stones; a stone is a button that takes itself and all above it."""

    def _parts(self, state: Any) -> list[Any]:
        self._heaps = []
        for heap, size in enumerate(state.heaps):
            stones = {
                take: self._button(f"gl-c{heap}-{take}", 76, 32, "gl-stone")
                for take in range(size, 0, -1)
            }
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
        row = Layout(align_items="stretch", flex_flow="row wrap", grid_gap="4px 12px")
        return [HBox(columns, layout=row)]

    def _take(self, heap: int, place: int) -> None:
        taken = len(self._heaps[heap]) - self._left[heap]
        self._on_action((heap, place - taken))

    def _looks(
        self, state: Any, last: Action | None, marks: Marks, chosen: Action | None
    ) -> dict[str, Look]:
        self._left, looks = state.heaps, {}
        for heap, (stones, left) in enumerate(zip(self._heaps, state.heaps, strict=True)):
            for place in stones:
                take = place - len(stones) + left
                mark = marks.get((heap, take), Mark(str(take)))
                text = mark.text.replace(" ", "\u00a0")  # a stone has room for one line
                names = _holding(chosen=(heap, take) == chosen, taken=take <= 0)
                tint = (mark.kind,) if (heap, take) in marks else ()
                size = min(15, _fitting(text, 64))
                looks[f"gl-c{heap}-{place}"] = Look((*tint, *names), text, size)
        return looks

    def _name_squares(self, state: Any, marks: Marks) -> None:
        legal = set(state.legal_actions())
        for heap, (stones, left) in enumerate(zip(self._heaps, state.heaps, strict=True)):
            label = f'<div style="text-align:center">heap {heap}<br><b>{left}</b></div>'
            self._labels[heap].value = label
            for place, button in stones.items():
                action = (heap, place - len(stones) + left)
                name = f"stone {action[1]} of heap {heap}"
                if action in legal:
                    name = _title(f"take {action[1]} from heap {heap}", marks.get(action))
                elif action[1] <= 0:
                    name = f"stone of heap {heap}, taken"
                _change(button, tooltip=name, tabbable=action in legal)


class Actions(Board):
    """A game without a board: its text, and a button for each legal action."""

    def _parts(self, state: GameState) -> list[Any]:
        self._text = HTML()
        self._row = HBox()
        self._row.add_class("gl-row")
        self._legal: list[Action] = []
        return [self._text, self._row]

    def _looks(
        self, state: GameState, last: Action | None, marks: Marks, chosen: Action | None
    ) -> dict[str, Look]:
        return {
            f"gl-c{index}": Look(
                ((marks[action].kind,) if action in marks else ())
                + _holding(chosen=action == chosen)
            )
            for index, action in enumerate(state.legal_actions())
        }

    def _name_squares(self, state: GameState, marks: Marks) -> None:
        self._text.value = f"<pre>{escape(str(state))}</pre>"
        self._legal = list(state.legal_actions())
        buttons = list(self._row.children)
        while len(buttons) < len(self._legal):
            index = len(buttons)
            button = Button(layout=Layout(height="36px", width="auto"))
            button._dom_classes = (f"gl-c{index}", "gl-action")
            button.on_click(lambda _, index=index: self._choose(index))
            buttons.append(button)
        for index, button in enumerate(buttons):
            shown = index < len(self._legal)
            button.layout.display = "" if shown else "none"
            if not shown:
                continue
            action = self._legal[index]
            mark = marks.get(action)
            label = f"{action}: {mark.text.removeprefix('= ')}" if mark else str(action)
            _change(button, description=label, tooltip=_title(f"play {action}", mark))
        self._row.children = buttons

    def _choose(self, index: int) -> None:
        if index < len(self._legal):
            self._on_action(self._legal[index])


def _title(name: str, mark: Mark | None) -> str:
    return f"{name}, {mark.text}" if mark else name


def _change(button: Button, **values: Any) -> None:
    """Set several traits of a button with one message."""
    with button.hold_sync():
        for name, value in values.items():
            setattr(button, name, value)


def _holding(**looks: bool) -> tuple[str, ...]:
    """Return the names of the looks that hold."""
    return tuple(name.replace("_", "-") for name, holds in looks.items() if holds)


def _marked(mark: Mark, names: tuple[str, ...], room: float) -> Look:
    return Look((mark.kind, *names), mark.text, _fitting(mark.text, room))


def _fitting(content: str, room: float) -> float:
    """Return the size of letters with which a text fits into a cell."""
    longest = max(1, *map(len, label_lines(content)))
    return round(min(22, 0.4 * room, 1.5 * room / longest), 1)
