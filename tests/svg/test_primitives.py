"""The parts of all drawings."""

import re
from html import unescape
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from course.draw.tree import embed_svg
from gamelib.svg.primitives import format_number, svg, text
from tests.messages import names


def test_svg_repr_is_its_title() -> None:
    assert repr(svg(1, 1, [], title="One < two", description="")) == "<drawing: One < two>"


def test_text_is_escaped() -> None:
    drawing = svg(9, 9, [text(1, 1, "<b>&", size=9)], title="<t>", description="<d>")
    root = ElementTree.fromstring(drawing)
    assert [element.text for element in root if element.text] == ["<t>", "<d>", "<b>&"]


def test_nested_drawing_has_no_card() -> None:
    inner = svg(10, 20, ["<g/>"], title="t", description="d")
    assert embed_svg(inner, 1, 2, 3, 4) == (
        '<svg x="1" y="2" width="3" height="4" viewBox="0 0 10 20">\n<g/>\n</svg>'
    )


def test_nesting_without_viewbox_raises() -> None:
    with pytest.raises(ValueError, match=names("drawing must be an SVG with a viewBox")):
        embed_svg("<p>", 0, 0, 1, 1)


def test_numbers_have_no_trailing_zeros() -> None:
    values = (1.0, 2.5, 100, 0.126, -3.10)
    assert list(map(format_number, values)) == ["1", "2.5", "100", "0.13", "-3.1"]


def test_svg_image_has_its_texts() -> None:
    html = svg(1, 1, [], title='"One" < two', description="Three.")._repr_html_()
    image = re.fullmatch('<img alt="([^"]*)" src="data:image/svg[+]xml,([^"]*)">', html)
    alt, source = image.groups()
    assert unescape(alt) == '"One" < two. Three.'
    assert ElementTree.fromstring(unquote(source)).attrib["role"] == "img"
