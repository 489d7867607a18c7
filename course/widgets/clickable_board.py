"""A clickable board, built from the spots of a position.

A spot is a button without a label.  Its name for screen readers is its tooltip, and its visible
text comes from the style sheet, so that the two can differ.  All that is visible of a position is
one style sheet, because then it reaches the browser in one message.  A CSS class for each square
would need a message each, and a connection may delay the second one: JupyterLab's does so by 0.04
s.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count
from typing import Any

from ipywidgets import HTML, Box, Button, ButtonStyle, Layout, VBox

from course.draw.wording import action_names
from course.widgets.controls import add_css_classes, row
from course.widgets.oracle import Mark
from course.widgets.panel import display
from gamelib.board_layout import Spot, action_spot, last_action_spot
from gamelib.state import Action, GameState
from gamelib.svg.board import TINTS, Viewport

ActionMarks = Mapping[Action, Mark]
GAP = 4  # in pixels, between two spots
RIM = 6  # in pixels, of the plate around discs
WIDEST_ON_PHONE = 390  # in pixels; a wider board is drawn smaller there
MAX_STONES = 60  # larger heaps are not drawn, and their actions are a list
_numbers = count()

# The colours of the players, dark enough for white letters on them.
INKS = ("#0072B2", "#D55E00", "#007A59", "#A8477F", "#8A5F00", "#1B74A8")

SQUARE_STYLES: dict[str, str] = {
    **{f"p{player}": f"color: {ink}; font-weight: 700;" for player, ink in enumerate(INKS)},
    **{f"disc-p{n}": f"background: {ink}; color: #ffffff;" for n, ink in enumerate(INKS)},
    "drawn": "background: #1a1a1a;",
    **{k: f"background: {tint}; color: #1a1a1a; font-weight: 700;" for k, tint in TINTS.items()},
    # After the tints, because a piece that can be captured has one as its background.
    **{
        f"piece-p{n}": f"background-image: radial-gradient(circle closest-side, {ink} 82%, "
        "#1a1a1a 83%, #1a1a1a 86%, transparent 87%); color: #ffffff; font-weight: 700;"
        for n, ink in enumerate(INKS)
    },
    "last": "outline: 2px dashed #5c5c5c; outline-offset: -5px;",
    "disc-last": "outline: 3px solid #ffffff; outline-offset: 0;",
    "won": "background: #FBEBB0; border: 3px solid #1a1a1a;",
    "disc-won": "outline: 4px solid #FBEBB0; outline-offset: 0; border: 3px solid #1a1a1a;",
    "chosen": "border: 4px solid #1a1a1a;",
    "taken": "visibility: hidden;",
}
WAITING = "opacity: 0.75; pointer-events: none;"


@dataclass(frozen=True)
class SquareStyle:
    """The look of a square: names from `SQUARE_STYLES`, its text, and the font size in pixels."""

    names: tuple[str, ...] = ()
    text: str = ""
    size: float = 14

    @property
    def style(self) -> str:
        """The CSS of the square itself."""
        return " ".join(SQUARE_STYLES[name] for name in self.names)

    @property
    def writing(self) -> str:
        """The CSS of the text on it, which screen readers skip."""
        # a plain slash could end the style sheet
        text = self.text.replace("/", "\N{FRACTION SLASH}")
        lines = label_lines(re.sub(r"[^\w .,=<>%+?~\u00a0\u2044-]", "", text))
        content = r"\A ".join(lines)
        return f'content: "{content}"; content: "{content}" / ""; font-size: {self.size:g}px;'


class ClickableBoard(VBox):
    """A card with a position: a button for every spot, and for every action that has no spot.

    `on_action` is called with the action that was clicked.
    """

    def __init__(self, state: GameState, on_action: Callable[[Action], object]) -> None:
        self._on_action = on_action
        self._name = f"gl-board-{next(_numbers)}"
        self._is_list = False
        self._cells: list[Button] = []
        # the number of a spot, by its coordinates
        self._number_at: dict[tuple[float, float], int] = {}
        self._plays: dict[Button, Action] = {}
        self.square_styles: dict[str, SquareStyle] = {}
        self._labels = HTML(layout=Layout(overflow="visible"))
        self._board = add_css_classes(Box([self._labels]), "gl-spots")
        self._text, self._row = HTML(), row()
        self._style = HTML(layout=Layout(display="none"))
        self._lay_out(self._spots(state))
        super().__init__([self._board, self._text, self._row, self._style])
        add_css_classes(self, "gl-card", self._name)

    def show(
        self,
        state: GameState,
        *,
        last: Action | None = None,
        marks: ActionMarks | None = None,
        chosen: Action | None = None,
        waiting: bool = False,
    ) -> None:
        """Show a position and its `last` action; clicks are ignored while it is `waiting`."""
        spots, legal, marks = self._spots(state), state.legal_actions(), marks or {}
        if any(_place(spot) not in self._number_at for spot in filter(_is_button, spots)):
            self._lay_out(spots)
        marked, latest = action_spot(spots), last_action_spot(spots, last)
        unplaced = {action: marks.get(action) for action in legal if action not in marked}
        new_traits: dict[Button, dict[str, Any]] = {
            cell: {"tabbable": False} for cell in self._cells
        }
        self._plays, self.square_styles = {}, self._other_styles(unplaced, chosen)
        for spot in filter(_is_button, spots):
            number, is_marked = self._number_at[_place(spot)], marked.get(spot.action) is spot
            mark = marks.get(spot.action) if is_marked else None
            more = _more(spot, latest=spot is latest, chosen=is_marked and spot.action == chosen)
            self.square_styles[f"gl-c{number}"] = _style_of(spot, mark, self._side, more)
            # All squares can be reached with the keyboard, as in a table, so that their contents
            # can be read.
            reached = None if spot.shape == "square" else is_marked and spot.action in legal
            title = _title(spot.in_words, mark)
            new_traits[self._cells[number]] = {"tooltip": title, "tabbable": reached}
            if spot.action is not None:
                self._plays[self._cells[number]] = spot.action
        # The style sheet comes first, because it is what users see.
        self._style.value = sheet(self._name, self.square_styles, waiting=waiting)
        for cell, traits in new_traits.items():
            _change(cell, **traits)
        self._show_others(unplaced, action_names(state, unplaced))
        self._labels.value = "".join(self._label(spot) for spot in spots if spot.shape == "label")
        self._text.value = "" if spots else f"<pre>{escape(str(state))}</pre>"

    def _spots(self, state: GameState) -> Sequence[Spot]:
        """Return the spots of a position; () from the moment when a heap was too large."""
        spots = () if self._is_list else state.spots()
        self._is_list |= sum(spot.shape == "stone" for spot in spots) > MAX_STONES
        return () if self._is_list else spots

    def _lay_out(self, spots: Sequence[Spot]) -> None:
        """Create a button for each spot, and set the size of the board."""
        self._side = 0.0
        display(self._board, bool(spots))
        display(self._text, not spots)
        if not spots:
            return
        drawn_spots = [spot for spot in spots if spot.shape != "label"]
        self._side = Viewport.around(drawn_spots).across
        self._left, self._top = min(s.x for s in drawn_spots), min(s.y for s in drawn_spots)
        self._rim = RIM if any(spot.shape == "disc" for spot in drawn_spots) else 0
        if self._rim:
            self._board.add_class("gl-plate")
        boxes = [self._box(spot) for spot in drawn_spots]
        lines = max((1 + s.text.count("\n") for s in spots if s.shape == "label"), default=0)
        layout = self._board.layout
        full_width = max(x + width for x, _, width, _ in boxes) + self._rim
        layout.width = f"{full_width:g}px"
        is_wide = full_width > WIDEST_ON_PHONE
        (self._board.add_class if is_wide else self._board.remove_class)("gl-wide-board")
        layout.height = f"{max(y + height for _, y, _, height in boxes) + self._rim:g}px"
        layout.margin = f"0 0 {24 * lines}px 0"  # space for the labels
        for button in self._cells:
            button.close()
        buttons = list(filter(_is_button, spots))
        self._number_at = {_place(spot): number for number, spot in enumerate(buttons)}
        style = ButtonStyle()  # one for all, because a board has many buttons
        self._cells = [self._button(number, spot, style) for number, spot in enumerate(buttons)]
        self._board.children = [self._labels, *self._cells]

    def _box(self, spot: Spot) -> tuple[float, float, float, float]:
        """Return left, top, width and height of a spot in pixels."""
        step = self._side + GAP
        x, y = (spot.x - self._left) * step, (spot.y - self._top) * step
        return x + self._rim, y + self._rim, spot.width * step - GAP, spot.height * step - GAP

    def _button(self, number: int, spot: Spot, style: ButtonStyle) -> Button:
        names = "left", "top", "width", "height"
        box = {name: f"{length:g}px" for name, length in zip(names, self._box(spot), strict=True)}
        classes = (f"gl-c{number}", f"gl-{spot.shape}")
        button = Button(layout=Layout(**box), style=style, _dom_classes=classes)
        button.on_click(self._on_click)
        return button

    def _label(self, spot: Spot) -> str:
        """Return a label as HTML: its first line, and the lines below it in bold."""
        left, top, width, _ = self._box(spot)
        first, *rest = escape(spot.text).split("\n")
        text = "<br>".join([first, *(f"<b>{line}</b>" for line in rest)])
        return f'<div style="left: {left:g}px; top: {top:g}px; width: {width:g}px">{text}</div>'

    def _on_click(self, button: Button) -> None:
        if button in self._plays:
            self._on_action(self._plays[button])

    def _other_styles(
        self, others: Mapping[Action, Mark | None], chosen: Action
    ) -> dict[str, SquareStyle]:
        """Return the styles of removed spots and of the buttons below the board."""
        looks = {f"gl-c{number}": SquareStyle(("taken",)) for number in range(len(self._cells))}
        for number, (action, mark) in enumerate(others.items()):
            tint = (mark.kind,) if mark else ()
            looks[f"gl-a{number}"] = SquareStyle((*tint, "chosen") if action == chosen else tint)
        return looks

    def _show_others(self, others: Mapping[Action, Mark | None], names: Sequence[str]) -> None:
        """Show a button below the board for each legal action that has no spot."""
        buttons = list(self._row.children)
        for number in range(len(buttons), len(others)):
            button = Button(layout=Layout(height="36px", width="auto"))
            button._dom_classes = (f"gl-a{number}", "gl-action")
            button.on_click(self._on_click)
            buttons.append(button)
        for button in buttons[len(others) :]:
            display(button, False)
        for button, name, (action, mark) in zip(buttons, names, others.items(), strict=False):
            self._plays[button] = action
            display(button, True)
            label = f"{name}: {mark.text.removeprefix('= ')}" if mark else name
            _change(button, description=label, tooltip=_title(f"play {name}", mark))
        self._row.children = buttons
        display(self._row, bool(others))


def _is_button(spot: Spot) -> bool:
    """Return whether a spot can be clicked or read out; labels and lines are only drawn."""
    return spot.shape != "label" and (spot.shape != "line" or spot.action is not None)


def _place(spot: Spot) -> tuple[float, float]:
    return spot.x, spot.y


def _more(spot: Spot, *, latest: bool, chosen: bool) -> tuple[str, ...]:
    """Return the names of the styles that do not depend on the contents of a spot."""
    kind = "disc-" if spot.shape == "disc" else ""
    looks = {f"{kind}last": latest, f"{kind}won": spot.won, "chosen": chosen and spot.empty}
    return tuple(name for name, holds in {**looks, "drawn": spot.taken}.items() if holds)


def _style_of(spot: Spot, mark: Mark | None, side: float, more: tuple[str, ...]) -> SquareStyle:
    """Return the style of a spot, with its contents or the mark of its action."""
    disc, stone = spot.shape == "disc", spot.shape == "stone"
    if spot.owner is not None and mark is not None:  # a piece that can be captured
        text = f"{spot.content} {mark.text}"
        return SquareStyle(
            (mark.kind, f"piece-p{spot.owner}", *more), text, _fitting(text, 0.72 * side)
        )
    if spot.owner is not None:
        kind, size = ("disc-", 0.5) if disc else ("piece-", 0.38) if spot.number else ("", 0.68)
        return SquareStyle((f"{kind}p{spot.owner}", *more), spot.content, size * side)
    text = mark.text if mark else spot.text
    if stone:
        text = text.replace(" ", "\u00a0")  # a stone has space for one line
    room = side * min(spot.width, spot.height) * (0.85 if disc else 1)
    size = min(15, _fitting(text, 64)) if stone else _fitting(text, room)
    if mark is None and not stone:
        size = max(11, 0.2 * side)
    return SquareStyle(
        (*((mark.kind,) if mark else ()), *more), text, size if text else SquareStyle.size
    )


def _title(name: str, mark: Mark | None) -> str:
    return f"{name}, {mark.text}" if mark else name


def _change(button: Button, **values: Any) -> None:
    """Set several traits of a button with one message."""
    with button.hold_sync():
        for name, value in values.items():
            setattr(button, name, value)


def _fitting(content: str, room: float) -> float:
    """Return the font size at which a text fits into a cell of this size."""
    max_chars = max(1, *map(len, label_lines(content)))
    return round(min(22, 0.4 * room, 1.5 * room / max_chars), 1)


def label_lines(content: str) -> list[str]:
    """Return the lines of a label: "win 3" has two, ">= -1" has one."""
    return content.split(" ", 1) if content[:1].isalpha() else [content]


def sheet(board: str, looks: Mapping[str, SquareStyle], *, waiting: bool = False) -> str:
    """Return the style sheet of a board as HTML.

    board    the CSS class of the board
    looks    the CSS class of a square -> its style
    waiting  whether clicks are ignored for the moment
    """
    squares_by_style: dict[SquareStyle, list[str]] = {}
    for square, look in looks.items():
        squares_by_style.setdefault(look, []).append(f".{square}")
    rules = [f".gl-card.{board} {{ {WAITING} }}"] if waiting else []
    for look, squares in squares_by_style.items():
        selector = f".gl-card.{board} .jupyter-button:is({', '.join(squares)})"
        rules += [f"{selector} {{ {look.style} }}"] if look.names else []
        rules += [f"{selector}::before {{ {look.writing} }}"] if look.text else []
    return f"<style>{' '.join(rules)}</style>"
