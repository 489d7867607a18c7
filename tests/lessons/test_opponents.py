import random
from functools import cache

import pytest

from course import PlayBoard
from course.lessons.start_here import opponents
from course.lessons.start_here.opponents import mystery_opponents, perfect_opponent
from gamelib import TicTacToe, minimax, play_game

PERFECT = cache(minimax)  # the games begin with the same few positions


@pytest.mark.parametrize("seed", range(4))
def test_only_perfect_opponent_never_loses(seed, monkeypatch):
    monkeypatch.setattr(opponents, "minimax", PERFECT)
    lost = dict.fromkeys("AB", 0)
    rng = random.Random(seed)
    for name, agent in mystery_opponents(seed).items():
        for _ in range(12):
            game = play_game(
                lambda state: rng.choice(state.legal_actions()), agent, state=TicTacToe()
            )
            lost[name] += game.utilities[1] < 0
    assert lost[perfect_opponent(seed)] == 0
    assert max(lost.values()) > 0


def test_seed_decides_which_opponent_is_perfect():
    assert {perfect_opponent(seed) for seed in range(4)} == {"A", "B"}
    assert [agent.name for agent in mystery_opponents(7).values()] == ["opponent A", "opponent B"]


def test_board_hides_which_opponent_is_perfect():
    boards = [PlayBoard(TicTacToe(), agents={1: who}) for who in mystery_opponents(7).values()]
    rows = [board._seats.strengths for board in boards]
    told = [[(one.layout.display, one.options) for one in row] for row in rows]
    assert told[0] == told[1]
