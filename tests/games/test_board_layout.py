"""Texts, spots and equality of positions, and the defaults of GameState."""

from itertools import combinations

import pytest

from gamelib import ConnectFour, GameTree, Nim, TicTacToe
from gamelib.board_layout import MARKS, Spot, action_spot, last_action_spot
from gamelib.games import EXAMPLES, GAMES
from gamelib.svg.board import describe_board


def test_game_lists_keep_course_order():
    assert list(GAMES)[:4] == ["TicTacToe", "ConnectFour", "Nim", "GameTree"]
    assert [*EXAMPLES][:2] == ["Tic-tac-toe 3 x 3", "Tic-tac-toe 4 x 4"]


@pytest.mark.parametrize(
    ("state", "action", "name"),
    [
        (TicTacToe(), 5, "cell 5"),
        (ConnectFour(), 3, "column 3"),
        (ConnectFour(2, 3, 2).play(0, 0), 0, "column 0"),
        (Nim(), (3, 2), "2 from heap 3"),
        (Nim((1000,), max_take=3), (0, 3), "3 from heap 0"),
        (GameTree([[1, 2], [3, 4]]), 1, "1"),
    ],
)
def test_action_name_is_name_of_spot(state, action, name):
    assert state.action_name(action) == name


T, C, BOOK, TWINS = TicTacToe, ConnectFour, GameTree([[3, 12], [2, 4]]), GameTree([[1, 2], [1, 2]])


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (str(T().play(4, 0)), "O . .\n. X .\n. . ."),
        (repr(T.parse("XX. / .O. / ...")), "TicTacToe(XX./.O./..., O to move)"),
        (repr(T.parse("X.O\n.XO\n..X")), "TicTacToe(X.O/.XO/..X, X won)"),
        (repr(T.parse("XOX/XOO/OXX")), "TicTacToe(XOX/XOO/OXX, draw)"),
        (str(C(2, 3, 2).play(1, 1)), ". O .\n. X ."),
        (repr(C(2, 3, 2).play(1)), "ConnectFour(.../.X., O to move)"),
        (repr(Nim()), "Nim(1 3 5 7, X to move)"),
        (repr(Nim((4,), 3, True)), "Nim(4, take at most 3, misere, X to move)"),
        (str(GameTree([[3, 0.5], (1, 1)])), "[[3 0.5] (1 1)]"),
        (repr(BOOK), "GameTree([[3 12] [2 4]], max to move)"),
        (repr(BOOK.play(0, 1)), "GameTree(12, leaf)"),
    ],
)
def test_repr_shows_board_rules_and_turn(said, text):
    assert said == text


@pytest.mark.parametrize(
    "positions",
    [
        [T(3, 3, 3), T(3, 3, 2), T(3, 3, 3, 3), T(3, 4, 3), C(3, 3, 3)],
        [T.parse("XX./X../...", current_player=player) for player in (0, 1)],
        [C(4, 4, 3), C(4, 4, 4)],
        [Nim(), Nim(misere=True), Nim(max_take=2), Nim(num_players=3)],
        [BOOK, GameTree([[3, 12], [2, 4]], players=[1, 0])],
        [TWINS.play(0), TWINS.play(1)],  # equal subtrees at other places
    ],
)
def test_positions_with_different_rules_are_unequal(positions):
    assert all(one != other for one, other in combinations(positions, 2))


@pytest.mark.parametrize("state", [TicTacToe(4, 5), ConnectFour(), Nim((3, 2), max_take=2)])
def test_every_legal_action_has_an_empty_spot(state):
    places = action_spot(state.spots())
    assert all(places[action].empty for action in state.legal_actions())


def test_connect_four_marks_the_landing_cell():
    spots = ConnectFour().play(3).spots()
    assert (action_spot(spots)[3].y, last_action_spot(spots, 3).y) == (4, 5)


def test_nim_stones_keep_their_position():
    def places(state):
        return {(spot.x, spot.y) for spot in state.spots() if spot.shape == "stone"}

    assert places(Nim((5, 3)).play((0, 2))) < places(Nim((5, 3)))


def test_describe_board_lists_contents():
    assert describe_board(Nim((2, 1)).spots()) == "heap 0 has 2; heap 1 has 1."
    line = Spot(0, 0, "line 7", 7, shape="line", taken=True)
    assert describe_board([Spot(0, 0, "box 0", owner=1), line]) == "row 1: O; line 7 is taken."


class Quiet(TicTacToe):
    """A game that says nothing of itself."""

    __slots__ = ()
    marks = ""


def test_players_without_marks_are_numbered():
    state = Quiet()
    assert (state.status(), state.play(0).status()) == ("player 0 to move", "player 1 to move")
    assert state.play(0, 3, 1, 4, 2).status() == "player 0 won"
    assert Quiet(1, 2, 2).play(0, 1).status() == "draw"


@pytest.mark.parametrize(("payoffs", "status"), [((1, -1, 1), "X and A won"), ((0, 0, 0), "draw")])
def test_status_lists_several_winners(payoffs, status):
    class Marked(GameTree):
        __slots__ = ()
        marks = MARKS

    assert Marked([payoffs]).play(0).status() == status
