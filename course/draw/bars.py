"""A histogram as a table of bars: it can be read aloud, printed, and read in a narrow window."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

STYLE = """<style>
.gl-bars { margin: 0; container-type: inline-size; }
.gl-bars table { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: 1em; }
.gl-bars th, .gl-bars td { text-align: left; padding: 0.18em 0.4em; border: 0; font-size: 1em;
  vertical-align: middle; line-height: 1.25; font-weight: 400; white-space: normal; }
.gl-bars thead { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); }
.gl-bars tbody th { width: 40%; overflow-wrap: anywhere; }
.gl-bars td div { display: flex; align-items: center; gap: 0.5em; }
.gl-bars i { height: 1.25em; min-width: 2px; background: #0072B2; flex: 0 1 auto;
  print-color-adjust: exact; }
.gl-bars b { flex: none; font-variant-numeric: tabular-nums; }
.gl-bars .gl-truth th { font-weight: 700; }
.gl-bars .gl-truth i { background: repeating-linear-gradient(135deg, #009E73 0 8px,
  #00664B 8px 12px); }
@container (max-width: 560px) { .gl-bars tbody th { width: 54%; } }
</style>"""


def bars(rows: Iterable[tuple[str, int, bool]], *, head: str = "answer") -> str:
    """Return safe HTML of bars: each row is a label, a count, and whether it is the right answer.

    `head` says what the labels are, to who hears the table.
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
