"""Games of a student's own: stored results belong to the position they started from."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from arena import RecordsError, match_up
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
def test_a_match_up_goes_on_from_its_position_only(path, state):
    games = match_up(*AGENTS, state=state, games=4, path=path)
    assert match_up(*AGENTS, state=state, games=4, path=path) == games
    for other in (Countdown(8), MyNim((7,)), Nim((2, 3)), TicTacToe()):
        with pytest.raises(RecordsError, match="another configuration: start"):
            match_up(*AGENTS, state=other, games=4, path=path)


def test_positions_without_words_are_refused_before_the_first_game(path):
    with pytest.raises(RecordsError, match=r"games cannot be kept .* give its class a __repr__"):
        match_up(*AGENTS, state=Silent(), games=2, path=path)
    assert not path.exists()
    assert len(match_up(*AGENTS, state=Silent(), games=2).records) == 2
