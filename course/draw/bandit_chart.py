"""Draw the arms of a bandit: the mean of each arm, with the bonus of UCB1 on top of it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from gamelib.search.mcts_tree import Ucb
from gamelib.svg.primitives import (
    INK,
    MUTED,
    PAPER,
    PLAYER_COLOURS,
    Svg,
    format_number,
    rect,
    svg,
    text,
)

BONUS, MEAN, TRUTH, NEXT = "#DCEBF7", PLAYER_COLOURS[0], "#8F3600", "#FBEBB0"
# in pixels; the last value is the score at the height of TOP
LEFT, COLUMN, TOP, BASE, HIGHEST = 46, 108, 36, 226, 1.75


def bandit(
    rows: Sequence[Ucb], *, chosen: int | None = None, probabilities: Sequence[float] | None = None
) -> Svg:
    """Return an SVG of the arms: a dot at the mean, and a bar from there up to mean + bonus.

    rows           the UCB scores of the arms; without a coin the bar has no end
    chosen         the arm to mark as the one with the highest end
    probabilities  the true probabilities of the arms; None if they are not shown
    """
    width = LEFT + COLUMN * len(rows) + 14
    parts = []
    for value in (0, 0.5, 1, 1.5):
        parts.append(_line(LEFT, _y(value), width - 14, _y(value), 'stroke="#DDDDDD"'))
        parts.append(text(LEFT - 8, _y(value), f"{value:g}", size=13, colour=MUTED, anchor="end"))
    if chosen is not None:
        y = _y(rows[chosen].score)
        parts.append(_line(LEFT, y, width - 14, y, f'stroke="{INK}" stroke-dasharray="3 4"'))
    for row in rows:
        parts += _arm(row, row.action == chosen)
    for arm, chance in enumerate(probabilities or ()):
        x, y = LEFT + COLUMN * arm, _y(chance)
        style = f'stroke="{TRUTH}" stroke-width="3" stroke-dasharray="8 4"'
        parts.append(_line(x + 12, y, x + COLUMN - 6, y, style))
        number_above = x + COLUMN - 4, y - 10, f"{chance:.3g}"
        parts.append(text(*number_above, size=14, colour=TRUTH, anchor="end"))
    legend = "dot: mean · bar: bonus"
    if probabilities:
        legend += " · dashed: true probability"
    parts.append(text(LEFT, BASE + 80, legend, size=13, colour=MUTED, anchor="start"))
    said = "; ".join(_words(row) for row in rows)
    if probabilities:
        said += "; in truth " + ", ".join(f"{chance:.3g}" for chance in probabilities)
    return svg(width, BASE + 98, parts, title="The arms of the bandit", description=said)


def _arm(row: Ucb, chosen: bool) -> list[str]:
    x = LEFT + COLUMN * (row.action + 0.5)
    end = _y(row.score)
    base = BASE if row.mean is None else _y(row.mean)
    edge = f'stroke="{MEAN}" stroke-width="1.5"'
    parts = [f'<g class="arm" data-arm="{row.action}" data-score="{row.score:.4f}">']
    parts.append(rect(x - 15, end, 30, base - end, f'fill="{BONUS}" {edge}'))
    if row.score > HIGHEST:
        parts.append(f'<path d="M{format_number(x - 9)} {TOP + 14}h18l-9 -11z" fill="{MEAN}"/>')
    else:
        parts.append(_line(x - 20, end, x + 20, end, f'stroke="{MEAN}" stroke-width="4"'))
    if row.mean is not None:
        parts.append(
            f'<circle cx="{format_number(x)}" cy="{format_number(base)}" r="6" fill="{INK}"/>'
        )
    score = "∞" if row.score == inf else f"{row.score:.2f}"
    if chosen:
        parts.append(rect(x - 57, end - 29, 114, 22, f'rx="4" fill="{NEXT}" stroke="{INK}"'))
    else:  # so that no line crosses the number
        parts.append(rect(x - 19, end - 26, 38, 18, f'fill="{PAPER}"'))
    parts.append(text(x, end - 17, f"highest: {score}" if chosen else score, size=14, bold=chosen))
    parts.append(text(x, BASE + 17, f"arm {row.action}", size=16, bold=True))
    mean = "" if row.mean is None else f"mean {row.mean:.2f}"
    parts.append(text(x, BASE + 37, f"n = {row.visits}", size=14))
    parts.append(text(x, BASE + 56, mean, size=14))
    return [*parts, "</g>"]


def _words(row: Ucb) -> str:
    if row.mean is None:
        return f"arm {row.action}: no coin yet"
    return f"arm {row.action}: {row.visits} coins, mean {row.mean:.2f}, bar up to {row.score:.2f}"


def _y(value: float) -> float:
    return BASE - (BASE - TOP) * min(value, HIGHEST) / HIGHEST


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    start = f'x1="{format_number(x1)}" y1="{format_number(y1)}"'
    ends = f'{start} x2="{format_number(x2)}" y2="{format_number(y2)}"'
    return f"<line {ends} {style}/>"
