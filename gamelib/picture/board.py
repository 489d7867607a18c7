"""A position as a picture: one loop over its spots."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import groupby
from typing import Literal

from gamelib.picture.svg import INK, LINE, MUTED, PAPER, PLAYER_COLOURS, number, rect, svg, text
from gamelib.spots import MARKS, Spot, spot_of_action, spot_of_last
from gamelib.state import Action, GameState

Kind = Literal["win", "draw", "loss", "plain"]

# Pale, so that dark text is read on them; the text says what the colour says.
TINTS: dict[Kind, str] = {
    "win": "#BFE8DA",
    "draw": "#FBEBB0",
    "loss": "#F6CDBB",
    "plain": "#E3E9EF",
}
PLATE = "#33475B"  # behind discs: the upright board of Connect Four
STONE = "#B9C3CD"
PAD = 16


@dataclass(frozen=True)
class Mark:
    """What is written over one action: a short text, on a tint that says the same."""

    text: str
    kind: Kind = "plain"


Marks = Mapping[Action, "Mark | str"]


@singledispatch
def picture(state: GameState) -> str | None:
    """Return what Jupyter shows of a state: an SVG, or None for a game that has no board.

    A package that draws a kind of game in a way of its own registers here: `picture.register`.
    """
    return position(state) if state.spots() else None


def position(
    state: GameState,
    *,
    last: Action | None = None,
    marks: Marks | None = None,
    best: Collection[Action] = (),
    numbers: bool = True,
    caption: str | None = None,
) -> str:
    """Return an SVG of a position.

    last      the action that led here, outlined
    marks     a text or a `Mark` to write over each of some actions
    best      actions to frame
    numbers   write the action's number into each empty cell, and the labels of the board
    caption   the line below the board; without it, whose turn it is or how the game ended
    ValueError for a game that has no board.
    """
    every = state.spots()
    spots = [spot for spot in every if numbers or spot.shape != "label"]
    if not spots:
        raise ValueError(
            f"{type(state).__name__} has no board to draw; a board answers spots(), or rows, cols "
            "and cell(row, col)"
        )
    below = state.status() if caption is None else caption
    shown = {a: m if isinstance(m, Mark) else Mark(m) for a, m in (marks or {}).items()}
    places, latest = spot_of_action(spots), spot_of_last(spots, last)
    frame = _Frame.around(spots)
    drawn = []
    for spot in spots:
        here = places.get(spot.action) is spot
        mark = shown.get(spot.action) if here else None
        knows = mark, here and spot.action in best, spot is latest, numbers
        drawn.append(_Place(spot, *frame.box(spot), *knows))
    title = f"{type(state).__name__}, {below}"
    return _card(frame, drawn, below, title=title, description=in_words(every))


def _card(
    frame: _Frame, drawn: Sequence[_Place], below: str, *, title: str, description: str
) -> str:
    width, height = frame.width, frame.height
    parts = []
    if any(place.spot.shape == "disc" for place in drawn):
        parts = [rect(PAD, PAD, width - 2 * PAD, height - 2 * PAD, f'rx="6" fill="{PLATE}"')]
    parts += [part for place in drawn for part in _PAINTERS[place.spot.shape](place)]
    parts += _strike([p.middle for p in drawn if p.spot.won and p.spot.shape == "square"])
    height += max((_room(place) for place in drawn if place.spot.shape == "label"), default=0)
    if below:
        size = min(18, 1.7 * width / len(below))
        parts.append(text(width / 2, height + 2, below, size=size, bold=True))
        height += 24
    return svg(width, height, parts, title=title, description=description)


def in_words(spots: Sequence[Spot]) -> str:
    """Return a board as a sentence, for those who do not see it."""
    cells = sorted((s for s in spots if s.shape in ("square", "disc")), key=lambda s: s.y)
    rows = [
        f"row {row}: {' '.join(spot.content for spot in of_row)}"
        for row, (_, of_row) in enumerate(groupby(cells, key=lambda s: s.y), start=1)
    ]
    labels = [spot.name for spot in spots if spot.shape == "label" and spot.name]
    taken = [f"{spot.name} is taken" for spot in spots if spot.taken]
    return "; ".join([*rows, *labels, *taken]) + "."


@dataclass(frozen=True)
class _Frame:
    """Where a board lies on its card: its upper left corner in units, its scale, its pixels."""

    left: float
    top: float
    across: float
    down: float
    width: float
    height: float  # without the labels below

    @classmethod
    def around(cls, spots: Iterable[Spot]) -> _Frame:
        drawn = [spot for spot in spots if spot.shape != "label"]
        left, top = min(s.x for s in drawn), min(s.y for s in drawn)
        cols = max(s.x + s.width for s in drawn) - left
        rows = max(s.y + s.height for s in drawn) - top
        # Large on a small board, so that it can be read from far away; tall heaps are flattened.
        across = down = float(min(76, max(18, 440 // max(rows, cols))))
        if all(spot.shape in ("stone", "line") for spot in drawn):
            across, down = 76, min(76, 360 / rows)
        return cls(left, top, across, down, 2 * PAD + cols * across, 2 * PAD + rows * down)

    def box(self, spot: Spot) -> tuple[float, float, float, float]:
        """Return left, top, width and height of a spot, in pixels."""
        x, y = PAD + (spot.x - self.left) * self.across, PAD + (spot.y - self.top) * self.down
        high = self.across if spot.shape == "label" else self.down  # letters are not flattened
        return x, y, spot.width * self.across, spot.height * high


def side_of_cell(spots: Iterable[Spot]) -> float:
    """Return the pixels of a unit across: many on a small board, few on a large one."""
    return _Frame.around(spots).across


@dataclass(frozen=True)
class _Place:
    """A spot on the card, in pixels, and what is drawn there."""

    spot: Spot
    x: float
    y: float
    width: float
    height: float
    mark: Mark | None
    framed: bool
    latest: bool
    numbers: bool

    @property
    def side(self) -> float:
        return min(self.width, self.height)

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    def fill(self, plain: str) -> str:
        return TINTS[self.mark.kind] if self.mark else plain

    def rect(self, inset: float, style: str) -> str:
        width, height = self.width - 2 * inset, self.height - 2 * inset
        return rect(self.x + inset, self.y + inset, width, height, style)


def _square(place: _Place) -> list[str]:
    spot, side, (x, y) = place.spot, place.side, place.middle
    fill = place.fill(TINTS["draw"] if spot.won else PAPER)
    parts = [place.rect(0, f'fill="{fill}" stroke="{LINE}" stroke-width="1.5"')]
    if spot.owner is not None:
        parts.append(stone(spot.owner, x, y, 0.3 * side))
    elif place.numbers and spot.text and side >= 22:
        size = max(11, 0.2 * side)
        corner = place.x + 0.95 * size, place.y + 0.8 * size
        parts.append(text(*corner, spot.text, size=size, colour=MUTED))
    if place.mark:
        parts += _label(place.mark.text, x, place.y + 0.58 * side, side)
    if place.latest:
        dashes = f'fill="none" stroke="{MUTED}" stroke-width="2" stroke-dasharray="5 4"'
        parts.append(place.rect(4, dashes))
    if place.framed:
        parts.append(place.rect(3, f'fill="none" stroke="{INK}" stroke-width="4"'))
    return parts


def _disc(place: _Place) -> list[str]:
    spot, side, (x, y) = place.spot, place.side, place.middle
    radius = 0.42 * side
    parts = [_circle(x, y, radius, place.fill(PAPER), INK, 1)]
    if spot.owner is not None:
        parts.append(disc(spot.owner, x, y, radius))
    if place.mark:
        parts += _label(place.mark.text, x, y, 1.6 * radius)
    if place.framed:
        parts.append(_circle(x, y, radius - 2, "none", INK, 4))
    if spot.won:
        parts.append(_circle(x, y, 0.45 * side, "none", TINTS["draw"], 0.09 * side))
    elif place.latest:
        parts.append(_circle(x, y, 0.46 * side, "none", PAPER, 2.5))
    return parts


def _stone(place: _Place) -> list[str]:
    (x, y), height, mark = place.middle, place.height, place.mark
    parts = [
        f'<ellipse cx="{number(x)}" cy="{number(y)}" rx="{number(0.4 * place.width)}" '
        f'ry="{number(0.44 * height)}" fill="{place.fill(STONE)}" stroke="{INK}" '
        f'stroke-width="{3 if place.framed else 1}"/>'
    ]
    if mark and height >= 14:
        size = min(0.6 * height, 90 / max(1, len(mark.text)))
        parts.append(text(x, y, mark.text, size=size, bold=True))
    return parts


def _line(place: _Place) -> list[str]:
    drawn = place.spot.action is None or not place.spot.empty
    stroke = f' stroke="{INK}" stroke-width="3"' if place.framed else ""
    parts = [place.rect(0, f'rx="2" fill="{INK if drawn else place.fill(TINTS["plain"])}"{stroke}')]
    if place.latest:
        parts.append(place.rect(-3, f'fill="none" stroke="{MUTED}" stroke-dasharray="5 4"'))
    if place.mark:
        parts += _label(place.mark.text, *place.middle, max(place.width, place.height) / 2)
    return parts


def _text(place: _Place) -> list[str]:
    size, (x, _) = max(11, place.height), place.middle
    y = place.y + 0.7 * size
    first, *more = place.spot.text.split("\n")
    below = enumerate(more, start=1)
    return [text(x, y, first, size=size, colour=MUTED)] + [
        text(x, y + 1.4 * size * n, line, size=1.3 * size, bold=True) for n, line in below
    ]


def _room(label: _Place) -> float:
    """Return the pixels that a label needs below the board."""
    return max(11, label.height) * (1 + 1.6 * label.spot.text.count("\n"))


_PAINTERS = {"square": _square, "disc": _disc, "stone": _stone, "line": _line, "label": _text}


def stone(player: int, x: float, y: float, radius: float) -> str:
    """Return a player's mark, drawn by strokes: a cross, a ring, or a letter in a disc."""
    colour, width = PLAYER_COLOURS[player], number(max(2.0, 0.3 * radius))
    if player == 0:
        a, b, c, d = (number(v) for v in (x - radius, x + radius, y - radius, y + radius))
        return (
            f'<path d="M{a} {c}L{b} {d}M{b} {c}L{a} {d}" stroke="{colour}" '
            f'stroke-width="{width}" stroke-linecap="round"/>'
        )
    if player == 1:
        return _circle(x, y, radius, "none", colour, float(width))
    return disc(player, x, y, 1.1 * radius)


def disc(player: int, x: float, y: float, radius: float) -> str:
    """Return a disc in a player's colour, with the player's letter on it."""
    ink = PAPER if player < 2 else INK
    return _circle(x, y, radius, PLAYER_COLOURS[player], INK, 1.5) + text(
        x, y, MARKS[player], size=1.1 * radius, colour=ink, bold=True
    )


def _strike(points: list[tuple[float, float]]) -> list[str]:
    if len(points) < 2:
        return []
    (x1, y1), (x2, y2) = min(points), max(points)
    ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
    return [f'<line {ends} stroke="{INK}" stroke-width="5" stroke-linecap="round" opacity="0.75"/>']


def label_lines(content: str) -> list[str]:
    """Return the lines of a label: "win 3" has two, ">= -1" has one."""
    return content.split(" ", 1) if content[:1].isalpha() else [content]


def _label(content: str, x: float, y: float, room: float) -> list[str]:
    """Return a short text in a cell; "win 3" stands on two lines, so that it can be large."""
    lines = label_lines(content)
    size = min(22, 0.42 * room, 1.45 * room / max(map(len, lines)))
    top = y - 0.55 * size * (len(lines) - 1)
    return [
        text(x, top + 1.1 * size * i, line, size=size, bold=True) for i, line in enumerate(lines)
    ]


def _circle(x: float, y: float, radius: float, fill: str, stroke: str, width: float) -> str:
    return (
        f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}" '
        f'stroke="{stroke}" stroke-width="{number(width)}"/>'
    )
