"""What a game says of its places, and what GameState answers where a game says nothing."""

import pytest

from gamelib import ConnectFour, GameTree, Nim, TicTacToe
from gamelib.games import EXAMPLES, GAMES
from gamelib.picture.board import in_words
from gamelib.spots import MARKS, Spot, spot_of_action, spot_of_last


def test_the_lists_keep_the_order_of_the_course():
    assert list(GAMES)[:4] == ["TicTacToe", "ConnectFour", "Nim", "GameTree"]
    assert [*EXAMPLES][:2] == ["Tic-tac-toe 3 x 3", "Tic-tac-toe 4 x 4"]


@pytest.mark.parametrize(
    ("state", "action", "name"),
    [
        (TicTacToe(), 5, "cell 5"),
        (ConnectFour(), 3, "column 3"),
        (ConnectFour(2, 3, 2).play(0, 0), 0, "column 0"),
        (Nim(), (3, 2), "2 from heap 3"),
        (GameTree([[1, 2], [3, 4]]), 1, "1"),
    ],
)
def test_an_action_is_named_by_its_spot(state, action, name):
    assert state.action_name(action) == name


@pytest.mark.parametrize("state", [TicTacToe(4, 5), ConnectFour(), Nim((3, 2), max_take=2)])
def test_every_legal_action_has_an_empty_spot(state):
    places = spot_of_action(state.spots())
    assert all(places[action].empty for action in state.legal_actions())


def test_a_stone_is_marked_where_it_lands_and_outlined_where_it_landed():
    spots = ConnectFour().play(3).spots()
    assert (spot_of_action(spots)[3].y, spot_of_last(spots, 3).y) == (4, 5)


def test_a_stone_of_nim_keeps_its_place_when_those_above_it_are_taken():
    def places(state):
        return {(spot.x, spot.y) for spot in state.spots() if spot.shape == "stone"}

    assert places(Nim((5, 3)).play((0, 2))) < places(Nim((5, 3)))


def test_a_board_in_words():
    assert in_words(Nim((2, 1)).spots()) == "heap 0 has 2; heap 1 has 1."
    line = Spot(0, 0, "line 7", 7, shape="line", taken=True)
    assert in_words([Spot(0, 0, "box 0", owner=1), line]) == "row 1: O; line 7 is taken."


class Quiet(TicTacToe):
    """A game that says nothing of itself."""

    __slots__ = ()
    marks = ""


def test_a_game_without_marks_numbers_its_players():
    state = Quiet()
    assert (state.status(), state.play(0).status()) == ("player 0 to move", "player 1 to move")
    assert state.play(0, 3, 1, 4, 2).status() == "player 0 won"
    assert Quiet(1, 2, 2).play(0, 1).status() == "draw"


@pytest.mark.parametrize(("payoffs", "status"), [((1, -1, 1), "X and A won"), ((0, 0, 0), "draw")])
def test_several_players_win(payoffs, status):
    class Marked(GameTree):
        __slots__ = ()
        marks = MARKS

    assert Marked([payoffs]).play(0).status() == status
