"""A game is one file, and a search is: put into gamelib it is found, and nothing else is touched.

Each test runs programs on a copy of gamelib with one file more.
"""

import os
import shutil
from pathlib import Path

import pytest

from gamelib.games import GAMES
from tests.fresh import ROOT, fresh

FILES = (
    ROOT / "tests/new_games/hexapawn.py",
    ROOT / "course/lessons/minimax/dots_and_boxes.py",
)
NEW_GAMES = {path.stem: path for path in FILES}


def python(home: Path, *arguments: str) -> str:
    """Return what Python prints where the gamelib of `home` comes before that of the checkout."""
    return fresh(*arguments, cwd=home.parent, PYTHONPATH=f"{home}{os.pathsep}{ROOT}").stdout


@pytest.fixture(scope="module", params=NEW_GAMES)
def run(request, tmp_path_factory):
    """Return a function that runs Python where a game of `NEW_GAMES` is a file of gamelib."""
    home = tmp_path_factory.mktemp(request.param)
    shutil.copytree(ROOT / "gamelib", home / "gamelib", ignore=shutil.ignore_patterns("__py*"))
    shutil.copy(NEW_GAMES[request.param], home / "gamelib/games")
    name = "".join(word.capitalize() for word in request.param.split("_"))

    def run(*arguments: str) -> str:
        return python(home, *(argument.replace("Game", name) for argument in arguments))

    run.game = request.param
    return run


# A second way of counting: the lines in any order; pawns as sets of places.
COUNTS = {
    "dots_and_boxes": """
from math import perm
counts = [perm(12, ply) for ply in range(5)]
""",
    "hexapawn": """
def count(mine, theirs, ahead, plies):
    if plies == 0 or any(row == (0 if ahead > 0 else 2) for row, col in theirs):
        return plies == 0
    steps = [((r, c), (r + ahead, c + side)) for r, c in mine for side in (-1, 0, 1)
             if ((r + ahead, c + side) in theirs if side else (r + ahead, c) not in mine | theirs)]
    return sum(count(theirs - {new}, mine - {old} | {new}, -ahead, plies - 1) for old, new in steps)
counts = [count({(2, c) for c in range(3)}, {(0, c) for c in range(3)}, -1, n) for n in range(9)]
""",
}
PERFT = """
from gamelib import Game, check_game
assert check_game(Game())
def perft(state, plies):
    if plies == 0:
        return 1
    return sum(perft(state.successor(action), plies - 1) for action in state.legal_actions())
print(counts)
assert counts == [perft(Game(), plies) for plies in range(len(counts))]
"""


def test_new_game_conforms_and_matches_perft(run) -> None:
    run("-c", COUNTS[run.game] + PERFT)


def test_conformance_test_finds_new_game(run) -> None:
    tests = ROOT / "tests/games/test_conformance.py"
    only = run.game.split("_")[0].capitalize()
    options = ("-qpno:cacheprovider", "-pno:nbval", "-o", "pythonpath=")
    output = run("-m", "pytest", *options, str(tests), "-k", only)
    assert " passed" in output


def test_command_line_plays_new_game(run) -> None:
    match = ["match", "random", "mcts(simulations=20)", "--game", "Game()", "--games", "2"]
    assert "2 games" in run("-m", "arena", *match)


WIDGETS = """
from course import PlayBoard, Playground, SearchStepper
from gamelib import Game, minimax
board = PlayBoard(Game())
while not board.state.is_terminal():
    before = board.state
    for button in (*board._board._cells, *board._board._row.children):
        if button.tabbable is not False and button.layout.display != "none":
            button.click()
        if board.state is not before:
            break
    assert board.state in map(before.successor, before.legal_actions())
assert " over" in board._words.value
playground = Playground()
playground._game.value = next(iter(Game.examples))
assert type(playground.state) is Game
assert playground.run("alphabeta", depth=2).action in playground.state.legal_actions()
stepper = SearchStepper(minimax, Game(), depth=2)
stepper.go_to(5)
print(stepper)
"""


def test_widgets_accept_new_game(run) -> None:
    assert "minimax" in run("-c", WIDGETS)


def test_games_are_found_in_a_zip_file(tmp_path) -> None:
    archive = shutil.make_archive(str(tmp_path / "gamelib"), "zip", ROOT, "gamelib")
    program = "import gamelib.games; print(gamelib.__file__, *gamelib.games.GAMES)"
    said = python(Path(archive), "-c", program)
    assert said.startswith(archive)
    assert "TicTacToe ConnectFour Nim GameTree" in said


WARNED = """
import warnings
with warnings.catch_warnings(record=True) as said:
    from gamelib.games import GAMES
from tests.fresh import ROOT, fresh

print(*GAMES, *(each.message for each in said), sep="\\n")
"""


@pytest.mark.parametrize(
    ("word", "instead", "said"),
    [
        (
            "legal_actions",
            "legal_acts",
            "Hexapawn is not in the list of games: it does not define legal_actions",
        ),
        ("Hexapawn", "TicTacToe", "gamelib.games.tictactoe has a game of that name"),
    ],
)
def test_invalid_game_file_is_skipped_with_warning(tmp_path, word, instead, said) -> None:
    shutil.copytree(ROOT / "gamelib", tmp_path / "gamelib")
    text = NEW_GAMES["hexapawn"].read_text().replace(word, instead)
    (tmp_path / "gamelib/games/mine.py").write_text(text)
    *games, warning = python(tmp_path, "-c", WARNED).splitlines()
    assert games == [*GAMES]
    assert said in warning


# A search

DROPPED_IN = '''"""Minimax that stops at two plies."""

from gamelib.search.depth_first import DepthFirst
from gamelib.search.registry import register_search


@register_search()
def two_plies(state, *, depth=2, **signals):
    """Return the best action, two plies ahead."""
    return TwoPlies(state, depth, None, **signals).run()


class TwoPlies(DepthFirst):
    def value(self, state, ply):
        """Return the value of a state."""
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, self.root_player)
        choose = max if state.current_player == self.root_player else min
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
from arena.play.parsing import parse_agent
assert parse_agent("two_plies(depth=1)").search is two_plies
from course import Playground, SearchStepper
assert "two_plies" in Playground()._form.choice.options
stepper = SearchStepper(two_plies, TicTacToe(2, 2, 2))
lit = set()
while not stepper.at_end:
    stepper.next()
    lit |= set(re.findall(r'gl-runs[^>]*>([^<]*)</div>', stepper.scene.program))
for line in sorted(lit):
    print(line)
"""
LIT = """\
best, line = child, (action, rest)
def search_root(self, state):
def value(self, state, ply):
return best, line
return found[best][0], (best, found[best][1])
return self.leaf(state, ply, self.root_player)
"""


def test_new_search_file_is_found_everywhere(tmp_path) -> None:
    shutil.copytree(ROOT / "gamelib", tmp_path / "gamelib")
    (tmp_path / "gamelib/search/two_plies.py").write_text(DROPPED_IN)
    assert python(tmp_path, "-c", ASKED) == LIT
    assert "two_plies" in python(tmp_path, "-m", "arena", "match", "--help")
