"""The picture of a position, drawn from its spots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from itertools import groupby
from typing import Literal

from gamelib.board_layout import MARKS, Spot, last_action_spot
from gamelib.state import Action, GameState
from gamelib.svg.primitives import (
    INK,
    LINE,
    MUTED,
    PAPER,
    PLAYER_COLOURS,
    format_number,
    rect,
    svg,
    text,
)

OutcomeColour = Literal["win", "draw", "loss", "plain"]
# These colours are pale, so that dark text on them can be read; the text repeats their meaning.
TINTS = {"win": "#BFE8DA", "draw": "#FBEBB0", "loss": "#F6CDBB", "plain": "#E3E9EF"}
PLATE = "#33475B"  # behind discs: the upright board of Connect Four
STONE = "#B9C3CD"
PAD = 16


@singledispatch
def state_svg(state: GameState) -> str | None:
    """Return the SVG that Jupyter shows for a state; None if the game has no board.

    A package with its own drawing of a kind of game registers it with `state_svg.register`.
    """
    return board_svg(state) if state.spots() else None


def board_svg(state: GameState, *, last: Action | None = None, plain: bool = False) -> str:
    """Return an SVG of a position, with whose turn it is or how the game ended below it.

    last   the action that led to the position; its spot is outlined
    plain  leave out the text below, the labels of the board and the numbers of the actions
    ValueError for a game that has no board.
    """
    all_spots = state.spots()
    spots = [spot for spot in all_spots if not plain or spot.shape != "label"]
    if not spots:
        must = "define spots(), or rows, cols and cell(row, col)"
        raise ValueError(f"{type(state).__name__} has no board to draw; {must}")
    latest, frame = last_action_spot(spots, last), Viewport.around(spots)
    drawn = [frame.to_pixels(spot, "" if plain else spot.text) for spot in spots]
    width, height = frame.width, frame.height
    parts = []
    if any(spot.shape == "disc" for spot in spots):
        parts = [rect(PAD, PAD, width - 2 * PAD, height - 2 * PAD, f'rx="6" fill="{PLATE}"')]
    for spot, place in zip(spots, drawn, strict=True):
        parts += _SHAPE_DRAWERS[spot.shape](place, spot is latest)
    parts += _winning_line_svg(
        [_middle(spot) for spot in drawn if spot.won and spot.shape == "square"]
    )
    labels = [spot for spot in drawn if spot.shape == "label"]  # they need space below the board
    height += max((max(11, s.height) * (1 + 1.6 * s.text.count("\n")) for s in labels), default=0)
    status = state.status()
    if not plain:
        size = min(18, 1.7 * width / len(status))
        parts.append(text(width / 2, height + 2, status, size=size, bold=True))
        height += 24
    title = f"{type(state).__name__}, {status}"
    return svg(width, height, parts, title=title, description=describe_board(all_spots))


def describe_board(spots: Sequence[Spot]) -> str:
    """Return a description of a board in one sentence, for screen readers."""
    cells = sorted((s for s in spots if s.shape in ("square", "disc")), key=lambda s: s.y)
    rows = [
        f"row {row}: {' '.join(spot.content for spot in of_row)}"
        for row, (_, of_row) in enumerate(groupby(cells, key=lambda s: s.y), start=1)
    ]
    labels = [spot.name for spot in spots if spot.shape == "label" and spot.name]
    taken = [f"{spot.name} is taken" for spot in spots if spot.taken]
    return "; ".join([*rows, *labels, *taken]) + "."


@dataclass(frozen=True)
class Viewport:
    """The place of a board in its picture: corner in units, scale, and size in pixels."""

    left: float
    top: float
    across: float
    down: float
    width: float
    height: float  # without the labels below

    @classmethod
    def around(cls, spots: Iterable[Spot]) -> Viewport:
        """Return the viewport of a board; the smaller the board, the larger its units."""
        drawn = [spot for spot in spots if spot.shape != "label"]
        left, top = min(s.x for s in drawn), min(s.y for s in drawn)
        cols = max(s.x + s.width for s in drawn) - left
        rows = max(s.y + s.height for s in drawn) - top
        # The units are large, so that a board can be read from far away; tall heaps are flattened.
        across = down = float(min(76, max(18, 440 // max(rows, cols))))
        if all(spot.shape in ("stone", "line") for spot in drawn):
            across, down = 76, min(76, 360 / rows)
        return cls(left, top, across, down, 2 * PAD + cols * across, 2 * PAD + rows * down)

    def to_pixels(self, spot: Spot, text: str) -> Spot:
        """Return a copy of a spot in pixels, with another text."""
        x, y = PAD + (spot.x - self.left) * self.across, PAD + (spot.y - self.top) * self.down
        high = self.across if spot.shape == "label" else self.down  # letters are not flattened
        width, height = spot.width * self.across, spot.height * high
        return replace(spot, x=x, y=y, width=width, height=height, text=text)


def _middle(spot: Spot) -> tuple[float, float]:
    return spot.x + spot.width / 2, spot.y + spot.height / 2


def _rect(spot: Spot, inset: float, style: str) -> str:
    width, height = spot.width - 2 * inset, spot.height - 2 * inset
    return rect(spot.x + inset, spot.y + inset, width, height, style)


def _square(spot: Spot, latest: bool) -> list[str]:
    side, (x, y) = min(spot.width, spot.height), _middle(spot)
    fill = TINTS["draw"] if spot.won else PAPER
    parts = [_rect(spot, 0, f'fill="{fill}" stroke="{LINE}" stroke-width="1.5"')]
    if spot.owner is not None and spot.number:
        parts.append(disc(spot.owner, x, y, 0.4 * side, spot.content))
    elif spot.owner is not None:
        parts.append(stone(spot.owner, x, y, 0.3 * side))
    elif spot.text and side >= 22:
        size = max(11, 0.2 * side)
        corner = spot.x + 0.95 * size, spot.y + 0.8 * size
        parts.append(text(*corner, spot.text, size=size, colour=MUTED))
    if latest:
        dashes = f'fill="none" stroke="{MUTED}" stroke-width="2" stroke-dasharray="5 4"'
        parts.append(_rect(spot, 4, dashes))
    return parts


def _disc(spot: Spot, latest: bool) -> list[str]:
    side, (x, y) = min(spot.width, spot.height), _middle(spot)
    radius = 0.42 * side
    parts = [_circle(x, y, radius, PAPER, INK, 1)]
    if spot.owner is not None:
        parts.append(disc(spot.owner, x, y, radius))
    if spot.won:
        parts.append(_circle(x, y, 0.45 * side, "none", TINTS["draw"], 0.09 * side))
    elif latest:
        parts.append(_circle(x, y, 0.46 * side, "none", PAPER, 2.5))
    return parts


def _stone(spot: Spot, latest: bool) -> list[str]:
    x, y = _middle(spot)
    size = f'rx="{format_number(0.4 * spot.width)}" ry="{format_number(0.44 * spot.height)}"'
    place = f'cx="{format_number(x)}" cy="{format_number(y)}" {size}'
    return [f'<ellipse {place} fill="{STONE}" stroke="{INK}" stroke-width="1"/>']


def _line(spot: Spot, latest: bool) -> list[str]:
    drawn = spot.action is None or not spot.empty
    parts = [_rect(spot, 0, f'rx="2" fill="{INK if drawn else TINTS["plain"]}"')]
    if latest:
        parts.append(_rect(spot, -3, f'fill="none" stroke="{MUTED}" stroke-dasharray="5 4"'))
    return parts


def _text(spot: Spot, latest: bool) -> list[str]:
    size, (x, _) = max(11, spot.height), _middle(spot)
    y = spot.y + 0.7 * size
    first, *more = spot.text.split("\n")
    below = enumerate(more, start=1)
    return [text(x, y, first, size=size, colour=MUTED)] + [
        text(x, y + 1.4 * size * n, line, size=1.3 * size, bold=True) for n, line in below
    ]


_SHAPE_DRAWERS = {"square": _square, "disc": _disc, "stone": _stone, "line": _line, "label": _text}


def stone(player: int, x: float, y: float, radius: float) -> str:
    """Return a player's mark, which is a cross, a ring, or a letter in a disc."""
    colour, width = PLAYER_COLOURS[player], format_number(max(2.0, 0.3 * radius))
    if player == 0:
        a, b, c, d = (format_number(v) for v in (x - radius, x + radius, y - radius, y + radius))
        stroke = f'stroke="{colour}" stroke-width="{width}" stroke-linecap="round"'
        return f'<path d="M{a} {c}L{b} {d}M{b} {c}L{a} {d}" {stroke}/>'
    if player == 1:
        return _circle(x, y, radius, "none", colour, float(width))
    return disc(player, x, y, 1.1 * radius)


def disc(player: int, x: float, y: float, radius: float, letters: str = "") -> str:
    """Return a disc in a player's colour, with `letters`, or else the player's mark, on it."""
    ink = PAPER if player < 2 else INK
    size = 0.95 * radius if letters else 1.1 * radius
    content = text(x, y, letters or MARKS[player], size=size, colour=ink, bold=True)
    return _circle(x, y, radius, PLAYER_COLOURS[player], INK, 1.5) + content


def _winning_line_svg(points: list[tuple[float, float]]) -> list[str]:
    if len(points) < 2:
        return []
    (x1, y1), (x2, y2) = min(points), max(points)
    start = f'x1="{format_number(x1)}" y1="{format_number(y1)}"'
    ends = f'{start} x2="{format_number(x2)}" y2="{format_number(y2)}"'
    return [f'<line {ends} stroke="{INK}" stroke-width="5" stroke-linecap="round" opacity="0.75"/>']


def _circle(x: float, y: float, radius: float, fill: str, stroke: str, width: float) -> str:
    style = f'fill="{fill}" stroke="{stroke}" stroke-width="{format_number(width)}"'
    centre = f'cx="{format_number(x)}" cy="{format_number(y)}"'
    return f'<circle {centre} r="{format_number(radius)}" {style}/>'
