"""Draw a histogram as a table of bars, which can be read aloud, printed, and shown when narrow."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

_SHEET = Path(__file__).with_suffix(".css")
STYLE = f"<style>{_SHEET.read_text(encoding='utf-8')}</style>"


def bars(rows: Iterable[tuple[str, int, bool]], *, head: str = "answer") -> str:
    """Return safe HTML of bars: each row is a label, a count, and whether it is the right answer.

    `head` is the heading of the labels for screen readers.
    """
    shown = [*rows]
    most = max((count for _, count, _ in shown), default=0) or 1
    return (
        '<div class="gl-bars"><table>'
        f'<thead><tr><th scope="col">{escape(head)}</th><th scope="col">how many</th></tr></thead>'
        f"<tbody>{''.join(_row(*row, most) for row in shown)}</tbody></table></div>"
    )


def _row(label: str, count: int, right: bool, most: int) -> str:
    name = f"✓ {label} (right)" if right else label
    bar = f'<i style="width: {78 * count / most:.1f}%"></i><b>{count:,}</b>'
    kind = ' class="gl-truth"' if right else ""
    return f'<tr{kind}><th scope="row">{escape(name)}</th><td><div>{bar}</div></td></tr>'
