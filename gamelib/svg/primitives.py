"""The parts of all drawings: colours, numbers, text and the frame of an SVG.

The same call returns the same bytes.  Every drawing has a white card as its background and fixed
colours, because JupyterLab shows an SVG as an image, which the colours of the theme do not change.
"""

from __future__ import annotations

import re
from html import escape, unescape
from urllib.parse import quote

# Okabe and Ito (2008), "Color Universal Design": colour-blind readers can tell them apart, too.
PLAYER_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
PAPER, INK, MUTED, LINE = "#FFFFFF", "#1A1A1A", "#5C5C5C", "#8C8C8C"
FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"


class Svg(str):
    """A string of SVG that Jupyter shows as a picture."""

    __slots__ = ()

    def __repr__(self) -> str:
        title = re.search("<title>(.*?)</title>", self)
        return f"<drawing: {unescape(title[1]) if title else 'no title'}>"

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return image_html(self)


def image_html(svg: str) -> str:
    """Return an HTML image of an SVG, with the title and the description of the SVG as its text.

    JupyterLab shows an SVG as an image that has no text, so screen readers say nothing.  It prefers
    this HTML, which it also shows in a notebook that is not trusted.
    """
    said = re.findall("<(?:title|desc)>(.*?)</(?:title|desc)>", svg, re.DOTALL)[:2]
    data = quote(svg, safe=" /:=,;()'")
    return f'<img alt="{". ".join(said)}" src="data:image/svg+xml,{data}">'


def format_number(value: float) -> str:
    """Return a coordinate with at most two decimals, and without zeros at its end."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text(
    x: float,
    y: float,
    content: object,
    *,
    size: float,
    colour: str = INK,
    bold: bool = False,
    anchor: str = "middle",
) -> str:
    """Return an escaped SVG text; y is the middle of its height, x the position of its `anchor`."""
    weight = ' font-weight="700"' if bold else ""
    # Not every viewer obeys dominant-baseline; a third of the size centres digits and capitals.
    place = f'x="{format_number(x)}" y="{format_number(y + 0.35 * size)}"'
    place += f' font-size="{format_number(size)}"'
    style = f'fill="{colour}" text-anchor="{anchor}"{weight}'
    return f"<text {place} {style}>{escape(str(content))}</text>"


def rect(x: float, y: float, width: float, height: float, style: str) -> str:
    """Return an SVG rectangle; `style` has its other attributes."""
    size = f'width="{format_number(width)}" height="{format_number(height)}"'
    return f'<rect x="{format_number(x)}" y="{format_number(y)}" {size} {style}/>'


def svg(width: float, height: float, parts: list[str], *, title: str, description: str) -> Svg:
    """Return a complete SVG: a white card with `parts` on it, and texts for screen readers."""
    w, h = format_number(width), format_number(height)
    size = f'width="{w}" height="{h}" viewBox="0 0 {w} {h}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{escape(FONT)}">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(description)}</desc>",
        rect(0.5, 0.5, width - 1, height - 1, f'rx="8" fill="{PAPER}" stroke="{LINE}"'),
    ]
    return Svg("\n".join([*lines, *parts, "</svg>"]))
