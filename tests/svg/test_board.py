import xml.etree.ElementTree as ElementTree

import pytest

from gamelib import ConnectFour, GameTree, Nim, TicTacToe
from gamelib.svg import board_svg
from gamelib.svg.primitives import PLAYER_COLOURS

SVG = "{http://www.w3.org/2000/svg}"

POSITIONS = [
    TicTacToe(),
    TicTacToe.parse("XXX/OO./..."),
    TicTacToe(20, 20, 5),
    TicTacToe(3, 5, 3, 6).play(0, 1, 2, 3, 4, 5),
    ConnectFour().play(3, 3, 2, 4),
    ConnectFour().play(3, 0, 3, 0, 3, 0, 3),
    Nim(),
    Nim((0, 40)),
    Nim((1, 0)).play((0, 1)),
]


def drawn(state, **options) -> ElementTree.Element:
    return ElementTree.fromstring(board_svg(state, **options))


def texts(picture: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in picture.iter(f"{SVG}text")]


@pytest.mark.parametrize("state", POSITIONS)
def test_svg_has_title_and_is_reproducible(state) -> None:
    picture = drawn(state)
    assert picture.find(f"{SVG}title").text.startswith(type(state).__name__)
    assert picture.find(f"{SVG}desc").text
    assert board_svg(state) == board_svg(state)


@pytest.mark.parametrize("state", POSITIONS)
def test_all_shapes_are_inside_the_card(state) -> None:
    picture = drawn(state)
    width, height = float(picture.get("width")), float(picture.get("height"))
    for element in picture.iter():
        for x in ("x", "x1", "x2", "cx"):
            assert 0 <= float(element.get(x, 0)) <= width
        for y in ("y", "y1", "y2", "cy"):
            assert 0 <= float(element.get(y, 0)) <= height


class Bare(GameTree):
    """A game without a board."""


def test_game_without_board_raises() -> None:
    assert not Bare([[1, 2], [3, 4]]).spots()
    with pytest.raises(ValueError, match="Bare has no board"):
        board_svg(Bare([[1, 2], [3, 4]]))


def test_description_lists_the_contents_of_cells() -> None:
    picture = drawn(TicTacToe.parse("X../.O./..."))
    expected = "row 1: X empty empty; row 2: empty O empty; row 3: empty empty empty."
    assert picture.find(f"{SVG}desc").text == expected


def test_empty_cells_show_their_numbers() -> None:
    shown = texts(drawn(TicTacToe().play(4)))
    assert [text for text in shown if text.isdigit()] == ["0", "1", "2", "3", "5", "6", "7", "8"]
    assert not [t for t in texts(drawn(TicTacToe(), plain=True)) if t.isdigit()]


@pytest.mark.parametrize("start", [ConnectFour(), TicTacToe()])
def test_stones_have_colour_of_owner(start) -> None:
    picture = board_svg(start.play(3), plain=True)
    assert [colour in picture for colour in PLAYER_COLOURS[:2]] == [True, False]


@pytest.mark.parametrize(("state", "action"), [(TicTacToe(), 4), (ConnectFour(), 3)])
def test_last_action_is_outlined(state, action) -> None:
    after = state.successor(action)
    assert board_svg(after, last=action) != board_svg(after)


def test_text_is_escaped() -> None:
    class Named(TicTacToe):
        def status(self) -> str:
            return "<b>"

    assert "<b>" not in board_svg(Named())


def test_plain_picture_has_no_text() -> None:
    assert texts(drawn(ConnectFour(), plain=True)) == []
    assert len(texts(drawn(ConnectFour()))) > 7


def test_winning_line_is_drawn() -> None:
    lines = list(drawn(TicTacToe.parse("XXX/OO./...")).iter(f"{SVG}line"))
    assert len(lines) == 1
    assert lines[0].get("y1") == lines[0].get("y2")
