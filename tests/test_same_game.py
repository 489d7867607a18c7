"""Two games that should be one are played in step, and the first difference is told in words."""

from dataclasses import dataclass

import pytest

from gamelib import ConnectFour, GameState, Nim, TicTacToe, check_game, minimax, same_game

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@dataclass(frozen=True)
class Own(GameState):
    """Tic-tac-toe as a learner writes it, with cells named (row, column)."""

    board: str = "." * 9
    num_players = 2

    @property
    def current_player(self):
        return self.board.count("X") - self.board.count("O")

    def won(self, mark):
        return any(all(self.board[cell] == mark for cell in line) for line in LINES)

    def legal_actions(self):
        if self.is_terminal():
            return ()
        return tuple(divmod(cell, 3) for cell in range(9) if self.board[cell] == ".")

    def successor(self, action):
        cell = 3 * action[0] + action[1]
        return type(self)(self.board[:cell] + "XO"[self.current_player] + self.board[cell + 1 :])

    def is_terminal(self):
        return self.won("X") or self.won("O") or "." not in self.board

    def utilities(self):
        mine = self.won("X") - self.won("O")
        return (mine, -mine)


class DrawsFirst(Own):
    def utilities(self):
        return (0, 0) if "." not in self.board else super().utilities()


class Misses(Own):
    def won(self, mark):
        return any(all(self.board[c] == mark for c in line) for line in LINES if line != (2, 5, 8))


class Starts(Own):
    @property
    def current_player(self):
        return 1 - super().current_player

    def successor(self, action):
        cell = 3 * action[0] + action[1]
        mark = "XO"[1 - self.current_player]
        return type(self)(self.board[:cell] + mark + self.board[cell + 1 :])


class FullAtEight(Own):
    def legal_actions(self):
        return tuple(action for action in super().legal_actions() if action != (2, 2))

    def is_terminal(self):
        return super().is_terminal() or self.board[:8].count(".") == 0


class LastColumn(ConnectFour):
    """Connect Four in which no column is the last one of a win."""

    __slots__ = ()

    def is_terminal(self):
        last = {self.cell(row, self.cols - 1) for row in range(self.rows)}
        return super().is_terminal() and (self.winner is None or last == {None})


@pytest.mark.parametrize(
    ("mine", "ours"),
    [(Own(), TicTacToe()), (ConnectFour(4, 4), ConnectFour(4, 4)), (Nim((2, 3)), Nim((2, 3)))],
)
def test_equal_games_have_no_difference(mine, ours) -> None:
    found = same_game(mine, ours)
    assert found
    assert "No difference" in str(found)


@pytest.mark.parametrize(
    ("mine", "ours", "said"),
    [
        (DrawsFirst(), TicTacToe(), "yours says a draw, and ours X has won"),
        (Misses(), TicTacToe(), "ours says that the game is over (X has won), and yours that it"),
        (Starts(), TicTacToe(), "In the first position, player 1 moves in yours, player 0 in ours"),
        (FullAtEight(), TicTacToe(), "8"),
        (LastColumn(), ConnectFour(), "ours says that the game is over"),
        (TicTacToe(num_players=3), TicTacToe(), "3 players in yours, 2 in ours"),
        (Nim((2, 3), misere=True), Nim((2, 3)), "yours says X has won, and ours O has won"),
        (Nim((2, 3), max_take=2), Nim((2, 3)), "ours alone allows (1, 3)"),
    ],
)
def test_first_difference_is_reported(mine, ours, said) -> None:
    found = same_game(mine, ours)
    assert not found
    assert said in str(found)


class Duck:
    num_players, current_player = 2, 0

    def legal_actions(self):
        return (0,)

    def successor(self, action):
        return self

    def is_terminal(self):
        return False

    def utilities(self):
        return (0, 0)


def test_class_without_base_must_derive_from_gamestate() -> None:
    said = "class Duck(GameState):"
    for search in (minimax, same_game):
        with pytest.raises(TypeError) as caught:
            search(*[Duck()] * (2 if search is same_game else 1))
        assert said in str(caught.value)
    assert said in str(check_game(Duck()))
