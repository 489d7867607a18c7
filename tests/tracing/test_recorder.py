"""Recording changes nothing of what is recorded, and leaves everything as it was."""

import gc
import sys
from functools import cache, cached_property, wraps

import odd_programs
import programs
import pytest

from course.tracing import record
from course.tracing import trace as trace_module
from gamelib import SEARCHES, GameTree, Nim
from gamelib.search.registry import supported_options


@pytest.mark.parametrize("name", ["minimax", "alphabeta", "maxn", "mcts", "expectiminimax"])
def test_recorded_search_calls_same_game_methods(name, monkeypatch) -> None:
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


def height(state):
    """Return the number of plies to the end of the longest line."""
    below = [state.successor(action) for action in state.legal_actions()]
    return 1 + max(child.height for child in below) if below else 0


def value_by_height(state):
    if state.height == 0:
        return state.utility(0)
    values = [value_by_height(state.successor(action)) for action in state.legal_actions()]
    return max(values) if state.current_player == 0 else min(values)


@pytest.mark.parametrize(
    "decorated",
    [property, cached_property, lambda method: property(cache(method))],
    ids=["property", "cached property", "property of a cached method"],
)
def test_look_ahead_of_game_is_no_visit(decorated) -> None:
    class Measured(GameTree):
        height = decorated(height)

    trace = record(value_by_height, Measured([[3, 8], [2]]))
    assert (len(trace.visits), trace.answer) == (6, 3)


@pytest.mark.parametrize("name", ["minimax", "divides", "loops_and_catches", "same_position"])
def test_recorder_restores_previous_trace_function(name, monkeypatch) -> None:
    monkeypatch.setattr(trace_module, "MAX_SECONDS", 0.2)
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


def settings():
    return sys.gettrace(), sys.getprofile(), sys.stdout, sys.getrecursionlimit(), gc.isenabled()


def outcome(program, state):
    """Return the answer of a program as text, or the kind of its error."""
    try:
        answer = program(state)
        return str(type(answer)), described(answer)
    except Exception as error:
        return type(error), None


def described(answer):
    """Return an answer as text; some of them cannot print themselves."""
    if isinstance(answer, float):
        return float.__repr__(answer)
    return hex(answer) if isinstance(answer, int) else repr(answer)


@pytest.mark.parametrize("name", odd_programs.ODD)
def test_recording_changes_no_answer(name) -> None:
    program, state = odd_programs.ODD[name], GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
    gc.freeze()  # the objects of all other tests, through which one of the programs collects
    before, alone = settings(), outcome(program, state)
    trace = record(program, state)
    gc.unfreeze()
    if trace.error is None:
        assert (str(type(trace.answer)), described(trace.answer)) == alone
    else:
        assert alone == (type(trace.error), None)
    assert settings() == before


@pytest.mark.parametrize("name", odd_programs.ENDLESS)
def test_endless_program_ends_with_sentence(name, monkeypatch) -> None:
    monkeypatch.setattr(trace_module, "MAX_SECONDS", 0.2)
    before = settings()
    trace = record(odd_programs.ENDLESS[name], GameTree([[3, 8], [2]]))
    assert name in trace.ended
    assert settings() == before
