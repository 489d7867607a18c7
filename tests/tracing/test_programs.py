"""What comes out when programs are recorded that students might write: one table a kind."""

import re

import programs
import pytest
from programs import BOARD
from textbook import THREE

from course.tracing import record
from course.tracing import trace as trace_module
from course.tracing.events import Cut, Enter, Improve, Leaf, Raise, Return, RunLine, TableHit
from gamelib import Chance, GameTree, TicTacToe

ROLLS = GameTree([Chance((0.5, 4), (0.5, 0)), Chance((0.5, 9), (0.5, [1, 3]))])
PATHS = "as Monte Carlo tree search does. The paths are shown without values"
KINDS = (Leaf, TableHit, Improve, Cut)


def tree():
    """Return a tree that no other test can have changed."""
    return GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])


def counts(trace, *kinds):
    return tuple(sum(isinstance(event, kind) for event in trace) for kind in kinds)


# The program, its nodes; its leaves, table hits, bests and cuts; the root's value; its text.
PROGRAMS = [
    ("minimax", None, 13, (9, 0, 4, 0), 3, "minimax"),
    ("aima_value", None, 13, (9, 0, 6, 0), 3, "aima_value aima_max aima_min"),
    ("lambdas", None, 13, (9, 0, 6, 0), 3, "<lambda>"),
    ("alphabeta", None, 11, (7, 0, 6, 2), 3, "alphabeta"),
    ("fail_hard_by_name", None, 11, (7, 0, 4, 2), 3, "fail_hard"),
    ("nested", None, 13, (9, 0, 6, 0), 3, "nested lowest highest"),
    ("walker", None, 13, (9, 0, 4, 0), 3, "value"),
    ("decorated", None, 13, (9, 0, 6, 0), 3, "decorated"),
    ("generated", None, 13, (9, 0, 4, 0), 3, "generated values_of"),
    ("can_win", None, 9, (5, 0, 5, 2), False, "can_win"),
    ("sorted_first", None, 13, (9, 0, 6, 2), 3, "sorted_first"),
    ("greedy", None, 4, (3, 0, 1, 0), 0, "greedy guess"),
    ("wrong_limit", None, 13, (9, 0, 6, 0), 3, "wrong_limit"),
    ("maxn", THREE, 7, (4, 0, 5, 0), (7, 4, -1), "maxn"),
    ("expected", ROLLS, 9, (5, 0, 3, 0), 5, "expected"),
    ("remembered", BOARD, 102, (41, 20, 41, 0), 1, "remembered"),
    ("looks_ahead", BOARD, 70, (49, 0, 21, 0), 1, "looks_ahead"),
]


@pytest.mark.parametrize(("name", "state", "nodes", "events", "value", "text"), PROGRAMS)
def test_program_is_traced(name, state, nodes, events, value, text) -> None:
    program, state = getattr(programs, name), state or tree()
    trace = record(program, state)
    assert (trace.ended, trace.error, trace.answer) == (None, None, program(state))
    assert (counts(trace, Enter)[0], counts(trace, *KINDS)) == (nodes, events)
    assert trace.at(len(trace)).node(()).value == value
    assert " ".join(code.co_name for code in trace.programs) == text


def test_perspective_of_programs() -> None:
    two = [name for name, state, *_ in PROGRAMS if state is None]
    found = {name for name in two if record(getattr(programs, name), tree()).is_mover_relative}
    assert found == {"lambdas"}


def test_windows_of_wrong_program_are_recorded() -> None:
    trace = record(programs.wrong_limit, tree())
    windows = {visit.path: trace.at(len(trace)).node(visit.path).window for visit in trace.visits}
    assert windows[0,] == (3, float("inf"))  # beta should have fallen


# The program; its nodes, lines and errors; how the record ends.
ODD = [
    ("mcts", (57, 0, 0), f"mcts follows one path at a time, {PATHS}"),
    ("flat_monte_carlo", (1, 70, 0), "flat_monte_carlo never passes a successor to a function"),
    ("loops_in_one_line", (1, 0, 0), "loops_in_one_line "),
    ("loops_in_a_helper", (1, 1, 0), "loops_in_a_helper "),
    ("loops_and_catches", (3, 0, 0), "loops_and_catches "),
    ("same_position", None, "same_position raised RecursionError: its calls go on inside each"),
    ("divides", (5, 0, 3), "divides raised ZeroDivisionError: division by zero"),
    ("changes_position", (13, 0, 0), "changes_position has changed the position"),
    ("leaves", (1, 1, 1), "leaves raised SystemExit: enough"),
]


@pytest.mark.parametrize(("name", "events", "ended"), ODD)
def test_failing_program_is_traced_until_error(name, events, ended, monkeypatch) -> None:
    monkeypatch.setattr(trace_module, "MAX_SECONDS", 0.2)
    trace = record(getattr(programs, name), tree())
    assert trace.ended.startswith(ended)
    if ended.endswith(" "):  # by its own time, or by the clock
        assert re.search(r"(ran for 0\.2|took 0\.6) seconds, and the record ends", trace.ended)
    if events:
        assert counts(trace, Enter, RunLine, Raise) == events


def test_caught_error_ends_one_node_only() -> None:
    trace = record(programs.returns_text, tree())
    assert (trace.ended, {visit.returned[1].value for visit in trace.visits}) == (None, {None})
    trace = record(programs.catches, tree())
    assert (trace.ended, counts(trace, Raise, Return), trace.answer) == (None, (1, 12), -0.2)
    failed = [v.path for v in trace.visits if trace.at(len(trace)).node(v.path).status == "failed"]
    assert failed == [(0, 2)]


def test_output_of_program_is_suppressed(capsys) -> None:
    record(lambda state: print("x" * 2000), tree())
    assert capsys.readouterr().out == ""


NO_PROGRAMS = [
    (lambda: 3, tree(), "<lambda>() cannot be called with these arguments"),
    (lambda state, depth: depth, tree(), "missing a required argument: 'depth'"),
    (programs.minimax, 3, "a position, such as TicTacToe(), or a board of your own; got 3"),
    (programs.minimax, TicTacToe, "got the class TicTacToe; write TicTacToe"),
    (TicTacToe(), tree(), "program must be a function of a position; got TicTacToe"),
]


@pytest.mark.parametrize(("program", "state", "why"), NO_PROGRAMS)
def test_invalid_program_raises(program, state, why) -> None:
    with pytest.raises((ValueError, TypeError)) as error:
        record(program, state)
    assert why in str(error.value)


def test_interrupt_passes_through_recorder() -> None:
    with pytest.raises(KeyboardInterrupt):
        record(programs.stops, tree())
    assert record(lambda state, depth: depth, tree(), 2).answer == 2
    assert record(lambda state, depth: depth, tree(), depth=1).answer == 1


def test_program_without_tree_shows_lines_and_variables() -> None:
    trace = record(programs.flat_monte_carlo, tree())
    changes = [{name: pair for name, *pair in trace.changes(n)} for n in range(len(trace) + 1)]
    first = next(step for step, changed in enumerate(changes) if "best" in changed)
    assert trace.locations[first - 1].line == trace.programs[0].co_firstlineno + 2
    assert changes[first]["best"] == [None, float("-inf")]
