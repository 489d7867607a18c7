"""The interface, and what `check_game` says of games that break it."""

import re

import pytest

from gamelib import GameState, IllegalActionError, TicTacToe, check_game
from tests.messages import names


class Countdown(GameState):
    """A correct game: players take 1 or 2 from a heap, and whoever takes the last one wins."""

    def __init__(self, left=5, player=0):
        self.num_players = 2
        self.left, self.current_player = left, player

    def legal_actions(self):
        return [take for take in (1, 2) if take <= self.left]

    def successor(self, action):
        if action not in self.legal_actions():
            raise IllegalActionError(f"{action!r} is not one of {self.legal_actions()}")
        return type(self)(self.left - action, 1 - self.current_player)

    def is_terminal(self):
        return self.left == 0

    def utilities(self):
        if not self.is_terminal():
            raise ValueError("the game is not over")
        return (-1, 1) if self.current_player == 0 else (1, -1)

    def key(self):
        return self.left, self.current_player

    def __eq__(self, other):
        return self.key() == other.key()

    def __hash__(self):
        return hash(self.key())

    def __str__(self):
        return f"{self.left} left"


def test_check_game_accepts_correct_game():
    report = check_game(Countdown(), games=10)
    assert report
    assert repr(report).startswith("Countdown keeps the rules of the interface (10 random games, ")


def test_report_counts_games_and_positions():
    report = check_game(Countdown(1), games=7)  # two positions a game
    assert (report.games, report.positions) == (7, 14)


def legally(then):
    """Return a `successor` that refuses what is not legal, and does `then` with the rest."""

    def successor(game, action):
        Countdown.successor(game, action)
        return then(game, action)

    return successor


def takes_from_itself(game, action):
    game.left -= action
    return game


def takes_from_both(game, action):
    child = Countdown.successor(game, action)
    game.left -= action
    return child


def answers_in_another_order(game):
    game.asked = getattr(game, "asked", 0) + 1
    return Countdown.legal_actions(game)[:: 1 if game.asked % 2 else -1]


def takes_too_much(game, action):
    if action not in (1, 2):
        raise IllegalActionError(action)
    return type(game)(max(0, game.left - action), 1 - game.current_player)


def with_its(name, value, most_left=5):
    """Return a constructor that sets an attribute wrongly where so many are left."""

    def constructor(game, left=5, player=0):
        Countdown.__init__(game, left, player)
        if left <= most_left:
            setattr(game, name, value)

    return constructor


# What a game does otherwise than Countdown, and what is said of it.
BROKEN = [
    ("successor", legally(takes_from_itself), "returned the state itself"),
    ("successor", legally(lambda *_: None), "returned None; it must return a new state"),
    ("successor", takes_from_both, "changed the old state: its text was\n5 left\nand is now\n"),
    ("successor", takes_too_much, "is called, but the legal actions are"),
    (
        *("successor", lambda self, take: Countdown.successor(self, 2 if take == -1 else take)),
        "`successor(-1)` is called, but the legal actions are",
    ),
    (
        *("successor", legally(lambda self, _: type(self)(self.left, 1 - self.current_player))),
        "a position comes again after 2 actions, so a search without a depth limit",
    ),
    (
        *("successor", legally(lambda self, _: type(self)(self.left + 1, 1 - self.current_player))),
        "a game is not over after 50 actions",
    ),
    ("legal_actions", lambda self: [1, 1] if self.left else [], "lists an action twice: [1, 1]"),
    ("legal_actions", answers_in_another_order, "returns another order at its second call"),
    ("legal_actions", lambda self: [], "`is_terminal` is False, but there are 0 legal actions"),
    ("legal_actions", lambda self: {1}, "it must be a list, a tuple or a range"),
    ("legal_actions", lambda self: [[1]], "an action must be hashable"),
    (
        "is_terminal",
        lambda self: self.left < 2,
        "`is_terminal` is True, but there are 1 legal",
    ),
    ("is_terminal", lambda self: 0 if self.left else 1, "`is_terminal` is 0, but"),
    ("utilities", lambda self: (0, 0), "it returns (0, 0); it must raise ValueError"),
    ("utilities", lambda self: {}[self.left], "it raises KeyError (5); it must raise ValueError"),
    ("utilities", lambda self: Countdown.utilities(self)[:1], "a tuple of 2 finite numbers"),
    ("utilities", lambda self: Countdown.utilities(self) and ("a", "b"), "is ('a', 'b')"),
    ("utilities", lambda self: tuple(10 * n for n in Countdown.utilities(self)), "`max_utility`"),
    ("__init__", with_its("num_players", 1, most_left=2), "`num_players` changed from 2 to 1 dur"),
    ("__init__", with_its("num_players", None), "`num_players` is None; it must be an int, 1 or"),
    ("__init__", with_its("current_player", 2), "`current_player` is 2 before the end"),
    ("__init__", with_its("current_player", None, 0), "`current_player` is None when the ga"),
    ("__hash__", None, "a state must be hashable"),
    (
        "key",
        lambda self: id(self),
        "return states that are not equal; define `__eq__` and `__hash__`",
    ),
    ("key", lambda self: self.left, "two positions are equal, but `current_player` is"),
    ("symmetry_key", lambda self: 7, "is equal for two positions that are not mirror"),
    ("symmetry_key", lambda self: [5], "a symmetry key must be hashable, but"),
]


@pytest.mark.parametrize(("method", "instead", "said"), BROKEN, ids=[said for *_, said in BROKEN])
def test_check_game_names_the_broken_rule(method, instead, said):
    report = check_game(type("Broken", (Countdown,), {method: instead})(), max_plies=50)
    assert not report
    assert re.search(names(said), report.broken_rule)


BOARDS = [
    ({"cell": lambda self, row, col: "X"}, "`cell(0, 0)` is 'X'; it must be the player", "0 to 1"),
    ({"cell": lambda self, row, col: (0, -1, 1)[col]}, "`cell(0, 1)` is -1", "0 to 1"),
    ({"cell": lambda self, row, col: 0 if self.left > 4 else 2}, "`cell(0, 0)` is 2", "0 to 1"),
    ({"cell": lambda self, row, col: True}, "`cell(0, 0)` is True", "0 to 1"),
    ({"cols": None}, "`cols` is None", "an int, 1 or more"),
    ({"rows": 0}, "`rows` is 0", "an int, 1 or more"),
]


@pytest.mark.parametrize(("wrong", "said", "allowed"), BOARDS, ids=[said for _, said, _ in BOARDS])
def test_check_game_names_a_wrong_board(wrong, said, allowed):
    board = {"rows": 1, "cols": 3, "cell": lambda self, row, col: (0, 1, None)[col]}
    assert check_game(type("Right", (Countdown,), board)())
    report = check_game(type("Broken", (Countdown,), board | wrong)())
    assert said in report.broken_rule
    assert allowed in report.broken_rule


def turned_round(state: TicTacToe) -> str:
    """Return a board that a piece of wood would show, without the diagonals: no symmetry."""
    rows = [[state.cell(row, col) for col in range(3)] for row in range(3)]
    shifts = [[row[k:] + row[:k] for row in rows] for k in range(3)]
    return str(min(shifts, key=str))


KEYS = {
    "each player's stones turned by themselves": lambda state: tuple(
        min(state._rules.images(state.stones(player))) for player in range(2)
    ),
    "the stones, whoever owns them": lambda state: state.stones(0) | state.stones(1),
    "columns in another order": turned_round,
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_wrong_symmetry_key_is_reported(key):
    class Odd(TicTacToe):
        symmetry_key = key

    assert "`symmetry_key` is equal for two positions" in repr(check_game(Odd()))


def test_symmetry_key_may_be_none():
    class Half(TicTacToe):
        def symmetry_key(self):
            return None if len(self.legal_actions()) < 5 else super().symmetry_key()

    assert check_game(Half())


def test_missing_methods_are_named():
    class Half(GameState):
        def legal_actions(self):
            return []

    report = check_game(Half)
    assert "does not define `is_terminal`, `successor`, `utilities`" in repr(report)


def test_object_without_game_interface_is_named():
    assert "needs a position of a game; str is not one" in repr(check_game("XOX"))


def test_exception_of_the_game_propagates():
    class Raises(Countdown):
        def successor(self, action):
            super().successor(action)
            raise ZeroDivisionError("a mistake of the learner's")

    with pytest.raises(ZeroDivisionError, match="learner's"):
        check_game(Raises())


def test_not_implemented_error_propagates():
    class Unwritten(Countdown):
        def successor(self, action):
            raise NotImplementedError("your turn")

    with pytest.raises(NotImplementedError, match="your turn"):
        check_game(Unwritten())


def test_game_without_drawing_has_no_svg():
    assert Countdown()._repr_svg_() is Countdown()._repr_html_() is None
