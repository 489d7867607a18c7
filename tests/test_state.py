"""The interface, and what `check_game` says of games that break it."""

from __future__ import annotations

import pytest

from gamelib import GameState, IllegalActionError, TicTacToe, check_game


class Countdown(GameState):
    """One heap; a player takes 1 or 2; who takes the last one wins.  A correct game."""

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

    def __eq__(self, other):
        return (self.left, self.current_player) == (other.left, other.current_player)

    def __hash__(self):
        return hash((self.left, self.current_player))

    def __str__(self):
        return f"{self.left} left"


def test_a_correct_game_is_reported_as_such():
    report = check_game(Countdown(), games=10)
    assert report
    assert repr(report).startswith("Countdown keeps the rules of the interface (10 random games, ")


def test_the_report_counts_what_it_played():
    report = check_game(Countdown(1), games=7)  # two positions a game
    assert (report.games, report.positions) == (7, 14)


class SharesItsHeap(Countdown):
    def __init__(self, heap=None, player=0):
        self.num_players = 2
        self.heap, self.current_player = heap or [5], player

    @property
    def left(self):
        return self.heap[0]

    def successor(self, action):
        if action not in self.legal_actions():
            raise IllegalActionError(action)
        self.heap[0] -= action
        return SharesItsHeap(self.heap, 1 - self.current_player)


class ReturnsItself(Countdown):
    def successor(self, action):
        super().successor(action)
        self.left -= action
        return self


class ReturnsNothing(Countdown):
    def successor(self, action):
        super().successor(action)


class NamesAnActionTwice(Countdown):
    def legal_actions(self):
        return [1, 2, 1] if self.left > 1 else super().legal_actions()


class ChangesTheOrder(Countdown):
    asked = 0

    def legal_actions(self):
        type(self).asked += 1
        return super().legal_actions()[:: 1 if self.asked % 2 else -1]


class ForgetsActions(Countdown):
    def legal_actions(self):
        return [] if self.left == 3 else super().legal_actions()


class EndsTooEarly(Countdown):
    def is_terminal(self):
        return self.left <= 1


class EndsWithANumber(Countdown):
    def is_terminal(self):
        return 0 if self.left else 1


class GivesASet(Countdown):
    def legal_actions(self):
        return set(super().legal_actions())


class GivesListsAsActions(Countdown):
    def legal_actions(self):
        return [[take] for take in super().legal_actions()]


class PaysBeforeTheEnd(Countdown):
    def utilities(self):
        return super().utilities() if self.is_terminal() else (0, 0)


class RaisesAnotherErrorBeforeTheEnd(Countdown):
    def utilities(self):
        return {0: (1, -1)}[self.left]


class PaysOnePlayerOnly(Countdown):
    def utilities(self):
        return super().utilities()[:1]


class PaysWithAWord(Countdown):
    def utilities(self):
        super().utilities()
        return ("win", "loss")


class AcceptsTooMuch(Countdown):
    def successor(self, action):
        if action not in (1, 2):
            raise IllegalActionError(action)
        return type(self)(max(0, self.left - action), 1 - self.current_player)


class AcceptsMinusOne(Countdown):
    def successor(self, action):
        return Countdown.successor(self, [1, 2][action] if action == -1 else action)


class RaisesKeyError(Countdown):
    def successor(self, action):
        return type(self)(self.left - {1: 1, 2: 2}[action], 1 - self.current_player)


class LosesAPlayer(Countdown):
    def __init__(self, left=5, player=0):
        super().__init__(left, player)
        self.num_players = 2 if left > 2 else 1


class CountsPlayersFromOne(Countdown):
    def __init__(self, left=5, player=1):
        super().__init__(left, player)

    def successor(self, action):
        child = super().successor(action)
        child.current_player = 3 - self.current_player
        return child


class HasNobodyToMoveAtTheEnd(Countdown):
    def __init__(self, left=5, player=0):
        super().__init__(left, player)
        if left == 0:
            del self.current_player


class IsNotHashable(Countdown):
    __hash__ = None


class HasNoEquality(Countdown):
    __eq__ = object.__eq__
    __hash__ = object.__hash__


class IgnoresThePlayer(Countdown):
    def __eq__(self, other):
        return self.left == other.left

    def __hash__(self):
        return hash(self.left)


class NeverEnds(Countdown):
    def successor(self, action):
        super().successor(action)
        return type(self)(self.left + 1, 1 - self.current_player)


class GoesRound(Countdown):
    def successor(self, action):
        super().successor(action)
        return type(self)(self.left, 1 - self.current_player)


class HasNoPlayers(Countdown):
    def __init__(self, left=5, player=0):
        super().__init__(left, player)
        self.num_players = None


class SaysAllAreAlike(Countdown):
    def symmetry_key(self):
        return 7


class ListsItsSymmetry(Countdown):
    def symmetry_key(self):
        return [self.left]


BROKEN = {
    SharesItsHeap: "changed the old state: its text was\n5 left\nand is now\n",
    ReturnsItself: "returned the state itself",
    ReturnsNothing: "returned None; it must return a new state",
    NamesAnActionTwice: "names an action twice: [1, 2, 1]",
    ChangesTheOrder: "gives another order when it is asked again",
    ForgetsActions: "`is_terminal` is False and there are 0 legal actions",
    EndsTooEarly: "`is_terminal` is True and there are 1 legal actions",
    EndsWithANumber: "`is_terminal` is 0 and",
    GivesASet: "it must be a list, a tuple or a range",
    GivesListsAsActions: "an action must be hashable",
    PaysBeforeTheEnd: "before the end of the game: it returns (0, 0); it must raise ValueError",
    RaisesAnotherErrorBeforeTheEnd: "it raises KeyError (5); it must raise ValueError",
    PaysOnePlayerOnly: "it must be a tuple of 2 numbers, one per player",
    PaysWithAWord: "`utilities` is ('win', 'loss')",
    AcceptsTooMuch: "is called, which is not among the legal actions",
    AcceptsMinusOne: "`successor(-1)` is called, which is not among the legal actions",
    RaisesKeyError: "it raises KeyError",
    LosesAPlayer: "`num_players` changed from 2 to 1 during a game",
    CountsPlayersFromOne: "`current_player` is 2 before the end; players are 0 to 1",
    HasNobodyToMoveAtTheEnd: "`current_player` is None when the game is over",
    IsNotHashable: "a state must be hashable",
    HasNoEquality: "give states that are not equal; define `__eq__` and `__hash__`",
    IgnoresThePlayer: "two positions are equal, but `current_player` is",
    GoesRound: "a position comes again, 2 actions after it was there: a search without a depth",
    NeverEnds: "a game does not end: 50 actions were played",
    SaysAllAreAlike: "`symmetry_key` is equal for two positions that are no mirror images",
    ListsItsSymmetry: "a symmetry key must be hashable: unhashable type: 'list'",
    HasNoPlayers: "`num_players` is None; it must be an int, 1 or more",
}


@pytest.mark.parametrize("game", BROKEN, ids=lambda game: game.__name__)
def test_check_game_names_the_broken_rule(game):
    report = check_game(game(), max_plies=50)
    assert not report
    assert BROKEN[game] in report.broken_rule


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
def test_a_symmetry_that_the_board_has_not_is_found(key):
    class Odd(TicTacToe):
        symmetry_key = key

    assert "`symmetry_key` is equal for two positions" in repr(check_game(Odd()))


def test_a_symmetry_may_be_unknown_for_some_positions():
    class Half(TicTacToe):
        def symmetry_key(self):
            return None if len(self.legal_actions()) < 5 else super().symmetry_key()

    assert check_game(Half())


def test_a_class_that_lacks_methods_is_told_which():
    class Half(GameState):
        def legal_actions(self):
            return []

    report = check_game(Half)
    assert "does not define `is_terminal`, `successor`, `utilities`" in repr(report)


def test_a_class_is_not_a_position():
    assert "needs a position, Countdown(...), not the class" in repr(check_game(Countdown))


def test_an_object_that_is_no_game_is_named():
    assert "str is not" in repr(check_game("XOX"))


def test_an_exception_of_the_game_itself_is_not_hidden():
    class Raises(Countdown):
        def successor(self, action):
            super().successor(action)
            raise ZeroDivisionError("a mistake of the learner's")

    with pytest.raises(ZeroDivisionError, match="learner's"):
        check_game(Raises())


def test_a_method_that_is_still_to_be_written_says_so():
    class Unwritten(Countdown):
        def successor(self, action):
            raise NotImplementedError("your turn")

    with pytest.raises(NotImplementedError, match="your turn"):
        check_game(Unwritten())


def test_the_same_seed_gives_the_same_report():
    assert check_game(TicTacToe(), seed=3, games=20) == check_game(TicTacToe(), seed=3, games=20)


def test_play_applies_the_actions_in_turn():
    assert Countdown().play(2, 1).left == 2


def test_utility_is_one_entry_of_utilities():
    over = Countdown(0, player=0)
    assert (over.utility(0), over.utility(1)) == (-1, 1)


def test_a_game_without_a_drawing_shows_none():
    assert Countdown()._repr_svg_() is None
