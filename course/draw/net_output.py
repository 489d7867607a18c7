"""Draw the predictions of a net: priors as colours of cells, and values next to the exact ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from gamelib.games import TicTacToe
from gamelib.state import Action
from gamelib.svg.board import stone
from gamelib.svg.primitives import INK, LINE, MUTED, PAPER, Svg, rect, svg, text

CELL, PAD, ROOM = 66, 16, 62  # in pixels: a cell, the margin of a board, the text below it
BLUE = (156, 199, 228)  # the colour of a prior of 1, pale enough for dark text


class NetPrediction(NamedTuple):
    """A position, and what a net predicts for it.

    priors   action -> probability
    value    the net's value for the player to move
    exact    the same by minimax
    best     the optimal actions
    """

    state: TicTacToe
    priors: Mapping[Action, float]
    value: float
    exact: float
    best: Collection[Action]


def net_boards(said: Sequence[NetPrediction]) -> Svg:
    """Return a row of boards: the bluer an empty cell, the higher its prior.

    An optimal action has a thick frame and a tick.  The two values are written below each board.
    """
    parts, left = [], 0.0
    for prediction in said:
        parts += _board(prediction, left)
        left += 2 * PAD + CELL * prediction.state.cols
    high = max((2 * PAD + CELL * prediction.state.rows + ROOM for prediction in said), default=0.0)
    words = " ".join(map(_in_words, said))
    return svg(left, high, parts, title="What the net says", description=words)


def _board(said: NetPrediction, left: float) -> list[str]:
    """Return the SVG parts of one board, whose card begins at `left`."""
    state, parts, framed = said.state, [], []
    for row in range(state.rows):
        for col in range(state.cols):
            x, y = left + PAD + col * CELL, PAD + row * CELL
            middle, owner, action = x + CELL / 2, state.cell(row, col), row * state.cols + col
            fill = _tint(said.priors.get(action, 0.0)) if owner is None else PAPER
            parts.append(rect(x, y, CELL, CELL, f'fill="{fill}" stroke="{LINE}"'))
            if owner is not None:
                parts.append(stone(owner, middle, y + CELL / 2, 0.3 * CELL))
                continue
            parts.append(text(middle, y + CELL / 2, f"{said.priors[action]:.0%}", size=16))
            if action in said.best:
                frame = f'fill="none" stroke="{INK}" stroke-width="3"'
                framed.append(rect(x + 3, y + 3, CELL - 6, CELL - 6, frame))
                framed.append(text(x + CELL - 14, y + 15, "✓", size=15, bold=True))
    middle, below = left + PAD + CELL * state.cols / 2, PAD + CELL * state.rows
    net = f"{state.player_name(state.current_player)} to move, net: {said.value:+.2f}"
    parts.append(text(middle, below + 22, net, size=16, bold=True))
    parts.append(text(middle, below + 46, f"exact: {_exact(said)}", size=16, colour=MUTED))
    return [*parts, *framed]


def _tint(prior: float) -> str:
    """Return the colour of a prior: white for 0, blue for 1."""
    return "#" + "".join(f"{round(255 - prior * (255 - part)):02X}" for part in BLUE)


def _exact(said: NetPrediction) -> str:
    return f"{said.exact:+g}" if said.exact else "0"


def _in_words(said: NetPrediction) -> str:
    mover = said.state.player_name(said.state.current_player)
    cells = ", ".join(
        f"cell {action} {prior:.0%}{' (optimal)' if action in said.best else ''}"
        for action, prior in said.priors.items()
    )
    return f"{mover} to move, net {said.value:+.2f}, exact {_exact(said)}: {cells}."
