"""Games of a student's own: stored results are loaded with the position they started from."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from arena import MatchUp, RecordsError, match_up
from gamelib import GameState, GameTree, IllegalActionError, Nim, TicTacToe, random_agent

ROOT = Path(__file__).parents[2]
AGENTS = random_agent(), random_agent()


@dataclass(frozen=True)
class Countdown(GameState):
    """Take 1 or 2; who takes the last one wins."""

    left: int = 7
    current_player: int = 0
    num_players = 2

    def legal_actions(self):
        return [take for take in (1, 2) if take <= self.left]

    def successor(self, action):
        if action not in self.legal_actions():
            raise IllegalActionError(f"take 1 or 2; got {action!r}")
        return type(self)(self.left - action, 1 - self.current_player)

    def is_terminal(self):
        return not self.left

    def utilities(self):
        return (-1, 1) if self.current_player == 0 else (1, -1)


class Silent(Countdown):
    """A game whose positions do not say what they are."""

    __repr__ = object.__repr__


class MyNim(Nim):
    """It inherits the data of Nim, under a name of its own."""


class MyTree(GameTree):
    """It inherits the data of GameTree, and its name."""


def same_name(game):
    """Return a game of one's own that is called as one of gamelib's is."""
    return type(game.__name__, (game,), {})


OWN = {
    "without data": Countdown(),
    "with data": MyNim((2, 3)),
    "with the data of gamelib's": MyTree([[3, -12], [2, 4]]),
    "with the name of gamelib's": same_name(Nim)((2, 3)),
    "with that name, without data": type("Nim", (Countdown,), {})(),
}


@pytest.mark.parametrize("state", OWN.values(), ids=OWN)
def test_a_match_up_is_loaded_with_its_position(path, state):
    games = match_up(*AGENTS, state=state, games=4, path=path)
    assert MatchUp.load(path, state=state) == games


@pytest.mark.parametrize("state", OWN.values(), ids=OWN)
def test_without_its_position_it_is_refused_and_told_how(path, state):
    match_up(*AGENTS, state=state, games=2, path=path)
    with pytest.raises(ValueError, match=r"not one of gamelib's: .* load\(path, state=\.\.\.\)"):
        MatchUp.load(path)


@pytest.mark.parametrize("other", [Countdown(8), MyNim((7,)), Nim((2, 3)), TicTacToe()])
def test_another_position_is_refused(path, other):
    match_up(*AGENTS, state=Countdown(), games=2, path=path)
    with pytest.raises(ValueError, match="the stored games started from"):
        MatchUp.load(path, state=other)


def test_a_game_of_gamelib_is_not_taken_for_a_game_of_its_name(path):
    match_up(*AGENTS, state=Nim((2, 3)), games=2, path=path)
    assert type(MatchUp.load(path).state) is Nim
    with pytest.raises(ValueError, match="the stored games started from"):
        MatchUp.load(path, state=same_name(Nim)((2, 3)))


def test_positions_without_words_are_refused_before_the_first_game(path):
    with pytest.raises(RecordsError, match=r"games cannot be kept .* give its class a __repr__"):
        match_up(*AGENTS, state=Silent(), games=2, path=path)
    assert not path.exists()
    assert len(match_up(*AGENTS, state=Silent(), games=2).records) == 2
