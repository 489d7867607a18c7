"""Games with dice: the rolls of a game come from its seed, and from nobody's play."""

from dataclasses import replace

import pytest
from contestants import first, last

from arena import match_up
from arena.results.records import check_played
from gamelib import EinStein, SearchAgent, mcts, random_agent, star1


def rolls(actions) -> tuple:
    return tuple(actions[::2])


def test_who_plays_changes_no_roll_of_a_game() -> None:
    start = EinStein()
    games = [
        match_up(*pair, state=start, games=4, seed=3) for pair in ((first, last), (last, last))
    ]
    for one, other in zip(*(result.records for result in games), strict=True):
        common = min(len(rolls(one.actions)), len(rolls(other.actions)))
        assert common > 5
        assert rolls(one.actions)[:common] == rolls(other.actions)[:common]


def test_searches_play_and_moves_are_those_of_the_players() -> None:
    agents = SearchAgent(star1, depth=3), SearchAgent(mcts, simulations=20)
    result = match_up(*agents, state=EinStein(3, 3), games=4, seed=1)
    for record in result.records:
        assert record.forfeit is None
        assert sum(count["moves"] for count in record.counts) == len(record.actions) // 2
        check_played(record, EinStein(3, 3))


def test_a_roll_that_is_not_the_seeds_is_found() -> None:
    start = EinStein(3, 3)
    record = match_up(random_agent(), random_agent(), state=start, games=2, seed=1).records[0]
    with pytest.raises(ValueError, match="its seed does not roll"):
        check_played(replace(record, seed=record.seed + 1), start)
