"""Recording changes nothing of what is recorded, and leaves everything as it was."""

import random
import sys
from functools import wraps

import programs
import pytest
from trees import random_tree

from course.watch import record
from gamelib import SEARCHES, Chance, GameTree, Nim, TicTacToe
from gamelib.search.registry import accepted

STATES = [
    TicTacToe.parse("X.O/.X./O..", current_player=0),
    Nim([2, 1, 2]),
    Nim([2, 2], num_players=3),
    GameTree([[3, 1], [[0, 2], [4, -1]]]),
    GameTree([Chance((0.5, -1), (0.5, [1, 0])), Chance((0.25, 1), (0.75, [0, 0.5])), [0, 0.25]]),
]
OPTIONS = [{"depth": 2}, {"depth": 3, "table": True}, {"strict": True}, {"prune": True}]
OPTIONS += [{"quick_wins": True}, {"solver": True}, {"share": True}]


def outcome(call):
    """Return what a call returns, or the error that it raises."""
    try:
        return call()
    except (TypeError, ValueError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("state", STATES, ids=repr)
def test_a_recorded_search_finds_what_it_finds_alone(name, state) -> None:
    search = SEARCHES[name]
    for more in [{}, *OPTIONS]:
        options = accepted(search, rng=5, simulations=60) | more
        alone = outcome(lambda options=options: search(state, **options))
        trace = outcome(lambda options=options: record(search, state, **options))
        assert (trace if isinstance(trace, tuple) else trace.error or trace.answer) in (
            alone,
            *([] if isinstance(alone, tuple) else [None]),
        ) or isinstance(alone, tuple)


@pytest.mark.parametrize("name", ["minimax", "alphabeta", "maxn", "mcts", "expectiminimax"])
def test_a_recorded_search_asks_the_game_the_same_questions(name, monkeypatch) -> None:
    asked = []
    for method in ("successor", "legal_actions", "utilities"):
        plain = vars(Nim)[method]

        @wraps(plain)
        def counting(self, *arguments, plain=plain, method=method):
            asked.append((method, str(self), *arguments))
            return plain(self, *arguments)

        monkeypatch.setattr(Nim, method, counting)
    search, state = SEARCHES[name], Nim([2, 1, 1])
    options = accepted(search, simulations=30, rng=1)
    search(state, **options)
    alone, asked[:] = [each for each in asked if each[0] == "successor"], []
    record(search, state, **options)
    recorded = [each for each in asked if each[0] == "successor"]
    assert recorded == alone


def test_the_same_numbers_are_drawn() -> None:
    rng = random.Random(3)
    drawn = [rng.random() for _ in range(3)]
    rng.seed(3)
    record(lambda state: [rng.random() for _ in state.legal_actions()], GameTree([1, 2, 3]))
    assert rng.random() not in drawn
    rng.seed(3)
    program = record(lambda state: [rng.random() for _ in range(3)], GameTree([1, 2]))
    assert program.answer == drawn


@pytest.mark.parametrize("name", ["minimax", "divides", "loops_and_catches", "same_position"])
def test_who_traced_before_is_given_the_place_back(name) -> None:
    seen = []

    def other(frame, event, arg):
        seen.append(frame.f_code.co_name)

    before, limit, out = sys.gettrace(), sys.getrecursionlimit(), sys.stdout
    sys.settrace(other)
    try:
        record(getattr(programs, name), GameTree([[3, 8], [2]]), most_seconds=0.3)
        after = sys.gettrace()
    finally:
        sys.settrace(before)
    assert after is other
    assert name not in seen
    assert (sys.getrecursionlimit(), sys.stdout, sys.getprofile()) == (limit, out, None)


def test_random_programs_of_a_tree_return_what_they_return_alone() -> None:
    rng = random.Random(8)
    for _ in range(10):
        tree = random_tree(rng)
        for name in ("minimax", "alphabeta", "in_one_line", "negamax_alphabeta", "sorted_first"):
            program = getattr(programs, name)
            trace = record(program, tree)
            assert (trace.answer, trace.ended) == (program(tree), None)


def test_a_position_that_comes_again_is_a_node_again() -> None:
    trace = record(SEARCHES["minimax"], Nim([1, 1]))
    assert trace.visited() == ((), ((0, 1),), ((0, 1), (1, 1)), ((1, 1),), ((1, 1), (0, 1)))


def test_a_position_in_a_field_is_shown() -> None:
    state = Nim([2, 1], num_players=3)
    trace = record(SEARCHES["best_reply"], state)
    assert {type(visit.state) for visit in trace.visits} == {Nim}
    assert trace.visits[0].state == state
