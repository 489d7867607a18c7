"""The picture of a widget that a notebook shows when its kernel has ended."""

import re
from types import SimpleNamespace
from urllib.parse import unquote

import pytest

from course import FillInTree, PlayBoard, Playground, Predict, SearchStepper
from course.widgets import panel, saved_picture
from gamelib import GameTree, TicTacToe, minimax

TREE = GameTree([[3, 12], [2, 4]])
MAKERS = {
    "board": lambda: PlayBoard(TicTacToe()),
    "stepper": lambda: SearchStepper(minimax, TREE),
    "tree": lambda: FillInTree(TREE),
    "playground": lambda: Playground(TicTacToe()),
}


class Page:
    """A shell that keeps the displays that a page would show."""

    def __init__(self) -> None:
        self.shown: dict[str, str] = {}
        self.display_pub = self

    def publish(self, data, *, transient, update):
        assert update == (transient["display_id"] in self.shown)
        self.shown[transient["display_id"]] = data["text/html"]


@pytest.fixture
def page(monkeypatch):
    page = Page()
    message = {
        "header": {"msg_type": "execute_request", "msg_id": "1"},
        "metadata": {"cellId": "a"},
    }
    monkeypatch.setattr(panel, "current_message", lambda: message)
    monkeypatch.setattr(saved_picture, "get_ipython", lambda: page)
    return page


def drawn(html: str) -> str:
    """Return the drawing in the picture of a page."""
    content = re.search('src="data:image/svg[+]xml,([^"]*)"', html)
    assert content, html
    return unquote(content[1])


@pytest.mark.parametrize("kind", MAKERS)
def test_widget_has_a_picture_with_a_text(kind, page) -> None:
    widget = MAKERS[kind]()
    widget._repr_mimebundle_()
    (html,) = page.shown.values()
    assert drawn(html) == widget.picture()
    assert re.search('alt="[^"]{10,}"', html)
    assert saved_picture.RUN_TO_PLAY in html


def test_widget_without_a_picture_shows_its_state(page) -> None:
    widget = Predict("How many?")
    widget._repr_mimebundle_()
    (html,) = page.shown.values()
    assert "<img" not in html
    assert "How many?" in html
    assert saved_picture.RUN_AGAIN in html


def test_picture_follows_the_game(page) -> None:
    board = PlayBoard(TicTacToe())
    board._repr_mimebundle_()
    before, asked = [*page.shown.values()], list[object]()
    loop = SimpleNamespace(call_later=None, call_soon_threadsafe=lambda *call: asked.append(call))
    board._saved_picture._loop = loop
    for cell in (4, 0):
        board.click(cell)
        asked.pop()  # each change asks for a new picture
        board._saved_picture._replace()
        (after,) = page.shown.values()
        assert [after] != before
        assert drawn(after) == board.state._repr_svg_()
        before = [after]


def test_run_without_a_page_has_no_picture(monkeypatch) -> None:
    page = Page()
    monkeypatch.setattr(saved_picture, "get_ipython", lambda: page)
    PlayBoard(TicTacToe())._repr_mimebundle_()
    assert page.shown == {}


def test_state_is_escaped() -> None:
    assert "<script>bad" not in saved_picture.picture_html("", "<script>bad")
