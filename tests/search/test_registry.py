"""A search describes itself in its own file, and from there everybody knows it."""

import inspect
import os
import random
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import gamelib
from gamelib import SearchAgent, TicTacToe, alphabeta, best_reply, maxn, minimax
from gamelib.search import SEARCHES
from gamelib.search.registry import accepted, description, parameters

ROOT = Path(gamelib.__file__).parents[1]

ORDER = (
    "minimax negamax alphabeta iterative_deepening mcts solve maxn paranoid best_reply lookahead "
    "random_choice"
)

DROPPED_IN = '''"""Minimax that stops at two plies."""

from gamelib.search.depth_first import DepthFirst
from gamelib.search.registry import described


@described()
def two_plies(state, *, depth=2, **signals):
    """Return the best action, two plies ahead."""
    return TwoPlies(state, depth, None, **signals).run()


class TwoPlies(DepthFirst):
    def value(self, state, ply):
        """Return the value of a state."""
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, self.me)
        choose = max if state.current_player == self.me else min
        found = {a: self.value(state.successor(a), ply + 1) for a in self.actions(state)}
        best = choose(found, key=lambda a: found[a][0])
        return found[best][0], (best, found[best][1])
'''

ASKED = """
import re, sys
from gamelib import TicTacToe, minimax, two_plies
from gamelib.search import SEARCHES
assert list(SEARCHES)[-1] == "two_plies" and SEARCHES["two_plies"] is two_plies
assert two_plies(TicTacToe()).values == minimax(TicTacToe(), depth=2).values
from arena.play.specs import parse_agent
assert parse_agent("two_plies(depth=1)").search is two_plies
from course import Playground, SearchStepper
assert "two_plies" in Playground()._form.choice.options
stepper = SearchStepper(two_plies, TicTacToe(2, 2, 2))
lit = set()
while not stepper.at_end:
    stepper.next()
    lit |= set(re.findall(r'gl-runs[^>]*>([^<]*)</div>', stepper.scene.program))
assert lit == {
    "def value(self, state, ply):",
    "return self.leaf(state, ply, self.me)",
    "return found[best][0], (best, found[best][1])",
}, lit
"""


def test_searches_are_listed_in_the_order_of_the_course():
    assert " ".join(SEARCHES).startswith(ORDER)  # new ones come after them


def test_a_search_is_one_file(tmp_path):
    for package in ("gamelib", "gamefast", "arena", "course"):
        skipped = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=skipped)
    (tmp_path / "gamelib/search/two_plies.py").write_text(DROPPED_IN)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", ASKED], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    help_text = subprocess.run(
        [sys.executable, "-m", "arena", "match", "--help"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    ).stdout
    assert "two_plies" in help_text


@pytest.mark.parametrize("name", ORDER.split())
def test_an_unknown_option_is_an_error_that_names_what_there_is(name):
    with pytest.raises(TypeError, match=rf"{name} has no option dept; it has "):
        SEARCHES[name](TicTacToe(), dept=2)


@pytest.mark.parametrize("name", ORDER.split())
def test_no_search_takes_more_than_ten_options(name):
    taken = inspect.signature(inspect.unwrap(SEARCHES[name])).parameters
    assert len(taken) <= (12 if name == "mcts" else 10)  # the field knows each of those of mcts


def test_the_callbacks_are_parameters_by_name():
    assert {"progress", "stop"} <= parameters(minimax)
    assert "depth" in parameters(partial(minimax, depth=3))


def test_what_a_function_does_not_take_is_not_given_to_it():
    def own(state, stop=None):
        return state.legal_actions()[0]

    assert accepted(own, stop=bool, progress=print) == {"stop": bool}
    assert accepted(own, stop=None) == {}
    assert accepted(minimax, stop=bool, progress=print) == {"stop": bool, "progress": print}
    assert SearchAgent(own).search_result(TicTacToe(), stop=bool) == 0


def test_a_partial_search_is_described_as_the_search():
    assert description(partial(alphabeta, depth=4)).prunes
    assert description(best_reply).prunes
    assert not description(maxn).prunes
    assert not description(random.choice).prunes
