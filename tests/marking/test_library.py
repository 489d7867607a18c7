"""The library is recognised by the code that runs, by whatever name a program has called it."""

import pytest
from handins import handed_in, only

from course.exercises.catalogue import catalogue
from course.lessons.alpha_beta import check as alpha_beta
from course.lessons.capstone import check as capstone
from gamelib.search import negamax
from tools.marking import marker

MARKED = sorted({each.notebook for each in catalogue().values() if each.points})
CALLS = {
    "a class of the set-up cell": "minimax = lambda s: Minimax(s, None, None, False).run()",
    "a name put together": "import gamelib\nminimax = getattr(gamelib, 'mini' + 'max')",
    "a module searched": "import sys\nminimax = vars(sys.modules['gamelib.search'])['minimax']",
    "a subclass": "class Mine(Minimax): pass\nminimax = lambda s: Mine(s, None, None, False).run()",
    "text that is run": "exec('from gamelib import ' + 'xaminim'[::-1] + ' as minimax')",
    "another search": "import gamelib\nminimax = getattr(gamelib, 'alpha' + 'beta')",
}
PROGRAM = """
from gamelib.search.minimax import Minimax
{call}
def negamax_value(state):
    return state.utility(state.current_player) if state.is_terminal() else minimax(state).value
"""


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("library", [True, False])
def test_library_code_is_recognised_when_it_runs(packages, monkeypatch, call, library):
    only(monkeypatch, "e2")
    content = handed_in("02_minimax", {"e2": PROGRAM.format(call=call)})
    marks = marker.mark_submission(content, "02_minimax", "x", packages, library=library)
    assert marks.points == (3 if library else 0), marks
    (note,) = marks.review_notes
    assert note.startswith("02/e2: it uses `")


# With these openings the matches of 08 are decided after 10 of their 200 games, if one is decided
# at 95 %.  How many games a match needs is the subject of tests/lessons/test_capstone.py.
SEED_OF_SHORT_MATCHES = "short match 73"


@pytest.mark.parametrize("notebook", [name for name in MARKED if not name.endswith("_learning")])
def test_solutions_run_no_listed_library_code(mark, monkeypatch, notebook):
    monkeypatch.setattr(capstone, "CLEAR_GAMES", 10)
    monkeypatch.setattr(capstone, "CLEAR_ERRORS", 1.96)
    points, marks = mark(handed_in(notebook, solved=True), notebook, SEED_OF_SHORT_MATCHES)
    assert sum(points.values()) == 10, marks
    assert marks.review_notes == []


@pytest.mark.parametrize("answer", ["exercises._exact", "exercises._exact(s, s.current_player)"])
def test_private_helpers_of_checks_are_not_there(mark_only, answer):
    cell = f"negamax_value = lambda s: {answer}\nexercises.check_negamax(negamax_value)"
    points, marks = mark_only("02_minimax", {"e2": cell})
    assert points == {"e2": 0}
    assert "is not there while a notebook is marked" in marks.results[0].text


# Visits are counted for each position.

CACHED = """
from functools import cache
@cache
def value(state):
    if state.is_terminal():
        return state.utility(state.current_player)
    children = [state.successor(action) for action in state.legal_actions()]
    mover = state.current_player
    return max(value(c) if c.current_player == mover else -value(c) for c in children)
def at_least(state, number):
    return value(state) >= number
"""


def test_remembered_answers_pay_for_no_visits(mark_only):
    points, marks = mark_only("03_alpha_beta", {"e2": CACHED})
    assert points == {"e2": 0}
    assert "are enough" in marks.results[0].text


def test_every_position_is_compared_by_itself(monkeypatch):
    right, cases = alpha_beta.LEAST_NODES.reference(), alpha_beta.LEAST.cases()
    wide = max(cases, key=lambda case: len(str(case.state)))

    def one_wide_search(state, number):
        if str(state) == str(wide.state):
            return negamax(state).value >= number
        return right(state, number)

    assert alpha_beta.check_at_least(right)
    feedback = alpha_beta.check_at_least(one_wide_search)
    assert not feedback
    assert "in 1 of the positions" in feedback.message


# Agents for Connect Four.


LEVEL = """
from course.lessons.capstone.reference_agents import LEVELS
def my_agent(state):
    return LEVELS[2](state)
exercises.check_agent(my_agent)
"""


@pytest.mark.parametrize(
    "cell", [LEVEL, "my_agent = LEVELS[2]\nexercises.check_agent(my_agent)"], ids=["call", "name"]
)
def test_agent_of_a_level_is_noticed(mark_only, cell):
    points, marks = mark_only("08_capstone", {"e2": cell})
    assert points == {"e2": 3}
    assert any("exactly as `deepening with open_windows`" in note for note in marks.review_notes)


PADDED = """
import random, time
def my_agent(state):
    child = state
    for _ in range(280):
        child = state if child.is_terminal() else child
        child = child.successor(random.choice(child.legal_actions()))
    end = time.thread_time() + 0.02  # a search of a board of its own
    while time.thread_time() < end:
        pass
    return state.legal_actions()[0]
exercises.check_agent(my_agent)
"""


def test_search_between_two_positions_is_noticed(mark_only):
    _, marks = mark_only("08_capstone", {"e2": PADDED})
    assert marks.results[0].attempted
    assert any("lies between two positions" in note for note in marks.review_notes)
