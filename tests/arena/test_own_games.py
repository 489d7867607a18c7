"""Games of a student's own: stored results belong to the position they started from."""

import pytest
from hexapawn import Hexapawn

from arena import RecordsError, match_up
from gamelib import GameTree, Nim, TicTacToe, random_agent

AGENTS = random_agent(), random_agent()


class Silent(Hexapawn):
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
    "without data": Hexapawn(),
    "with data": MyNim((2, 3)),
    "with the data of gamelib's": MyTree([[3, -12], [2, 4]]),
    "with the name of gamelib's": same_name(Nim)((2, 3)),
    "with that name, without data": type("Nim", (Hexapawn,), {})(),
}


@pytest.mark.parametrize("state", OWN.values(), ids=OWN)
def test_a_match_up_goes_on_from_its_position_only(path, state):
    games = match_up(*AGENTS, state=state, games=4, path=path)
    assert match_up(*AGENTS, state=state, games=4, path=path) == games
    for other in (Hexapawn(current_player=1), MyNim((7,)), Nim((2, 3)), TicTacToe()):
        with pytest.raises(RecordsError, match="another configuration: start"):
            match_up(*AGENTS, state=other, games=4, path=path)


def test_positions_without_words_are_refused_before_the_first_game(path):
    with pytest.raises(RecordsError, match=r"games cannot be kept .* give its class a __repr__"):
        match_up(*AGENTS, state=Silent(), games=2, path=path)
    assert not path.exists()
    assert len(match_up(*AGENTS, state=Silent(), games=2).records) == 2
