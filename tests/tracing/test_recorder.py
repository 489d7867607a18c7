"""Recording changes nothing of what is recorded, and leaves everything as it was."""

import sys
from functools import wraps

import programs
import pytest

from course.tracing import record
from course.tracing import trace as trace_module
from gamelib import SEARCHES, GameTree, Nim
from gamelib.search.registry import supported_options


@pytest.mark.parametrize("name", ["minimax", "alphabeta", "maxn", "mcts", "expectiminimax"])
def test_a_recorded_search_asks_the_game_the_same_questions(name, monkeypatch) -> None:
    asked, plain = [], Nim.successor

    @wraps(plain)
    def asking(self, action):
        asked.append((str(self), action))
        return plain(self, action)

    monkeypatch.setattr(Nim, "successor", asking)
    search, state = SEARCHES[name], Nim([2, 1, 1])
    options = supported_options(search, simulations=30, rng=1)
    search(state, **options)
    alone, asked[:] = asked[:], []
    record(search, state, **options)
    assert asked == alone


@pytest.mark.parametrize("name", ["minimax", "divides", "loops_and_catches", "same_position"])
def test_who_traced_before_is_given_the_place_back(name, monkeypatch) -> None:
    monkeypatch.setattr(trace_module, "MAX_SECONDS", 0.3)
    seen = []

    def other(frame, event, arg):
        seen.append(frame.f_code.co_name)

    before, limit, out = sys.gettrace(), sys.getrecursionlimit(), sys.stdout
    sys.settrace(other)
    try:
        record(getattr(programs, name), GameTree([[3, 8], [2]]))
        after = sys.gettrace()
    finally:
        sys.settrace(before)
    assert after is other
    assert name not in seen
    assert (sys.getrecursionlimit(), sys.stdout, sys.getprofile()) == (limit, out, None)
