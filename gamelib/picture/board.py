"""Positions as pictures: a grid, discs in columns, or heaps of stones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from gamelib.games.boards import MARKS, Board
from gamelib.games.connect_four import ConnectFour
from gamelib.picture.svg import INK, LINE, MUTED, PAPER, PLAYER_COLOURS, number, svg, text
from gamelib.state import Action, GameState

Cell = tuple[int, int]  # row, column; row 0 is on top
Kind = Literal["win", "draw", "loss", "plain"]

# Pale, so that dark text is read on them; the text says what the colour says.
TINTS: dict[Kind, str] = {
    "win": "#BFE8DA",
    "draw": "#FBEBB0",
    "loss": "#F6CDBB",
    "plain": "#E3E9EF",
}
PLATE = "#33475B"  # the upright board of Connect Four
PAD = 16


@dataclass(frozen=True)
class Mark:
    """What is written over one action: a short text, on a tint that says the same."""

    text: str
    kind: Kind = "plain"


Marks = Mapping[Action, "Mark | str"]


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
    numbers   write the action's number into each empty cell, or below each column
    caption   the line below the board; without it, whose turn it is or how the game ended
    ValueError for a game that has no board.
    """
    shown = {a: m if isinstance(m, Mark) else Mark(m) for a, m in (marks or {}).items()}
    drawing = _Drawing(state, last, shown, best, numbers)
    kind = board_kind(state)
    if kind is None:
        raise ValueError(
            f"{type(state).__name__} has no board to draw; a board answers rows, cols and "
            "cell(row, col), and Nim heaps"
        )
    draw = {"grid": _grid, "columns": _columns, "piles": _piles}[kind]
    width, height, parts = draw(drawing)
    below = status(state) if caption is None else caption
    if below:
        size = min(18, 1.7 * width / len(below))
        parts.append(text(width / 2, height + 2, below, size=size, bold=True))
        height += 24
    return svg(
        width, height, parts, title=f"{type(state).__name__}, {below}", description=in_words(state)
    )


def position_or_none(state: GameState) -> str | None:
    """Return an SVG of a position, or None for a game that has no board."""
    return position(state) if board_kind(state) else None


def board_kind(state: GameState) -> Literal["grid", "columns", "piles"] | None:
    """Return how a game is drawn; None for a game without a board."""
    if hasattr(state, "heaps"):
        return "piles"
    if not all(hasattr(state, name) for name in ("rows", "cols", "cell")):
        return None
    return "columns" if isinstance(state, ConnectFour) else "grid"


def player_name(state: GameState, player: int) -> str:
    """Return what a player is called: X, O, A, B in a game that has marks, else "player 0"."""
    has_marks = callable(getattr(state, "status", None)) and player < len(MARKS)
    return MARKS[player] if has_marks else f"player {player}"


def status(state: GameState) -> str:
    """Return whose turn it is or how the game ended, in the words of the game if it has some."""
    own = getattr(state, "status", None)
    if callable(own):
        return str(own())
    if not state.is_terminal():
        return f"{player_name(state, state.current_player)} to move"
    payoffs = state.utilities()
    if not any(payoffs):
        return "draw"
    winners = [str(player) for player, payoff in enumerate(payoffs) if payoff == max(payoffs)]
    return f"player {' and '.join(winners)} won"


def in_words(state: GameState) -> str:
    """Return the board as a sentence, for those who do not see it."""
    if board_kind(state) == "piles":
        sizes = [f"heap {i} has {n}" for i, n in enumerate(cast(Any, state).heaps)]
        return "; ".join(sizes) + "."
    board = cast(Board, state)
    rows = [
        f"row {row + 1}: " + " ".join(cell_name(board.cell(row, col)) for col in range(board.cols))
        for row in range(board.rows)
    ]
    return "; ".join(rows) + "."


def cell_name(player: int | None) -> str:
    """Return what stands in a cell: a player's mark, or "empty"."""
    return "empty" if player is None else MARKS[player]


@dataclass(frozen=True)
class _Drawing:
    state: Any
    last: Action | None
    marks: Mapping[Action, Mark]
    best: Collection[Action]
    numbers: bool


def _grid(drawing: _Drawing) -> tuple[float, float, list[str]]:
    """Return width, height and parts of a board of squares; an action is a cell, row by row."""
    state = drawing.state
    side = side_of_cell(state)
    won = winning_cells(state)
    parts = []
    for row in range(state.rows):
        for col in range(state.cols):
            action = row * state.cols + col
            x, y = PAD + col * side, PAD + row * side
            mark = drawing.marks.get(action)
            fill = TINTS[mark.kind] if mark else TINTS["draw"] if (row, col) in won else PAPER
            parts.append(_square(x, y, side, fill, LINE, 1.5))
            owner = state.cell(row, col)
            if owner is not None:
                parts.append(stone(owner, x + side / 2, y + side / 2, 0.3 * side))
            elif drawing.numbers and side >= 22:
                size = max(11, 0.2 * side)
                parts.append(text(x + 0.95 * size, y + 0.8 * size, action, size=size, colour=MUTED))
            if mark:
                parts += _label(mark.text, x + side / 2, y + 0.58 * side, side)
            if action == drawing.last:
                parts.append(_square(x + 4, y + 4, side - 8, "none", MUTED, 2, dashed=True))
            if action in drawing.best:
                parts.append(_square(x + 3, y + 3, side - 6, "none", INK, 4))
    parts += _strike([(PAD + (c + 0.5) * side, PAD + (r + 0.5) * side) for r, c in won])
    return 2 * PAD + state.cols * side, 2 * PAD + state.rows * side, parts


def _columns(drawing: _Drawing) -> tuple[float, float, list[str]]:
    """Return width, height and parts of an upright board; an action is a column."""
    state = drawing.state
    side = side_of_cell(state)
    width, height = state.cols * side, state.rows * side
    won = winning_cells(state)
    landing = {(lowest_free(state, col), col): col for col in range(state.cols)}
    last_cell = None
    if drawing.last is not None:
        last_cell = (lowest_free(state, drawing.last) + 1, drawing.last)
    parts = [
        f'<rect x="{PAD}" y="{PAD}" width="{number(width)}" height="{number(height)}" rx="6" '
        f'fill="{PLATE}"/>'
    ]
    for row in range(state.rows):
        for col in range(state.cols):
            x, y, radius = PAD + (col + 0.5) * side, PAD + (row + 0.5) * side, 0.42 * side
            owner = state.cell(row, col)
            action = landing.get((row, col))
            mark = drawing.marks.get(action) if action is not None else None
            parts.append(_disc(x, y, radius, TINTS[mark.kind] if mark else PAPER, INK, 1))
            if owner is not None:
                parts.append(disc(owner, x, y, radius))
            if mark:
                parts += _label(mark.text, x, y, 1.6 * radius)
            if action is not None and action in drawing.best:
                parts.append(_disc(x, y, radius - 2, "none", INK, 4))
            if (row, col) in won:
                parts.append(_disc(x, y, 0.45 * side, "none", TINTS["draw"], 0.09 * side))
            elif (row, col) == last_cell:
                parts.append(_disc(x, y, 0.46 * side, "none", PAPER, 2.5))
    if drawing.numbers:
        size = max(11, 0.3 * side)
        for col in range(state.cols):
            x, y = PAD + (col + 0.5) * side, PAD + height + 0.7 * size
            parts.append(text(x, y, col, size=size, colour=MUTED))
        height += size
    return 2 * PAD + width, 2 * PAD + height, parts


def _piles(drawing: _Drawing) -> tuple[float, float, list[str]]:
    """Return width, height and parts of piles; (heap, take) is the lowest stone that it takes."""
    heaps = drawing.state.heaps
    tallest = max([*heaps, 3])
    step = min(34, max(4, 360 / tallest))
    pile = 76
    base = PAD + tallest * step
    parts = [
        f'<line x1="{PAD}" y1="{number(base + 2)}" x2="{PAD + pile * len(heaps)}" '
        f'y2="{number(base + 2)}" stroke="{INK}" stroke-width="3"/>'
    ]
    for heap, size in enumerate(heaps):
        x = PAD + (heap + 0.5) * pile
        for take in range(1, size + 1):
            y = base - (size - take + 0.5) * step
            parts += _pebble(drawing, (heap, take), x, y, step)
        if drawing.numbers:
            parts.append(text(x, base + 16, f"heap {heap}", size=14, colour=MUTED))
            parts.append(text(x, base + 36, size, size=18, bold=True))
    return max(180, 2 * PAD + pile * len(heaps)), base + PAD + 38 * drawing.numbers, parts


def _pebble(
    drawing: _Drawing, action: tuple[int, int], x: float, y: float, step: float
) -> list[str]:
    mark = drawing.marks.get(action)
    fill = TINTS[mark.kind] if mark else "#B9C3CD"
    width = 3 if action in drawing.best else 1
    parts = [
        f'<ellipse cx="{number(x)}" cy="{number(y)}" rx="30" ry="{number(0.44 * step)}" '
        f'fill="{fill}" stroke="{INK}" stroke-width="{width}"/>'
    ]
    if mark and step >= 14:
        size = min(0.6 * step, 90 / max(1, len(mark.text)))
        parts.append(text(x, y, mark.text, size=size, bold=True))
    return parts


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
        return _disc(x, y, radius, "none", colour, float(width))
    return disc(player, x, y, 1.1 * radius)


def disc(player: int, x: float, y: float, radius: float) -> str:
    """Return a disc in a player's colour, with the player's letter on it."""
    ink = PAPER if player < 2 else INK
    return _disc(x, y, radius, PLAYER_COLOURS[player], INK, 1.5) + text(
        x, y, MARKS[player], size=1.1 * radius, colour=ink, bold=True
    )


def side_of_cell(state: Board) -> float:
    """Return the side of a cell: large on a small board, so that it can be read from far away."""
    return float(min(76, max(18, 440 // max(state.rows, state.cols))))


def winning_cells(state: Any) -> list[Cell]:
    """Return the winning line as (row, column); a game may answer cells counted row by row."""
    line = state.winning_line() if hasattr(state, "winning_line") else ()
    return [divmod(c, state.cols) if isinstance(c, int) else (c[0], c[1]) for c in line]


def lowest_free(state: Board, col: int) -> int:
    """Return the row where a disc dropped into a column comes to rest; -1 in a full column."""
    return max((r for r in range(state.rows) if state.cell(r, col) is None), default=-1)


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


def _square(
    x: float, y: float, side: float, fill: str, stroke: str, width: float, *, dashed: bool = False
) -> str:
    dashes = ' stroke-dasharray="5 4"' if dashed else ""
    return (
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(side)}" height="{number(side)}" '
        f'fill="{fill}" stroke="{stroke}" stroke-width="{number(width)}"{dashes}/>'
    )


def _disc(x: float, y: float, radius: float, fill: str, stroke: str, width: float) -> str:
    return (
        f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}" '
        f'stroke="{stroke}" stroke-width="{number(width)}"/>'
    )
