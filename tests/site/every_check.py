"""What the course says and finds, as one line of JSON: in a browser's Python the same as anywhere.

python every_check.py '[["module", "check", "solution"], ...]' FOLDER_OF_AGENTS
"""

import json
import sys
from importlib import import_module
from pkgutil import walk_packages

import arena
import course
import gamelib
from arena import tournament
from course.exercises import check_runner
from course.lessons.minimax.check import check_negamax
from gamelib import ConnectFour, GameTree, Nim, TicTacToe, iterative_deepening
from gamelib.search import SEARCHES
from gamelib.search.registry import parameters

checks, agents = json.loads(sys.argv[1]), sys.argv[2]
SOON = 0.1
said = {}


def blank(*arguments):
    raise NotImplementedError


def wrong(*arguments):
    return None


def endless(*arguments):
    check_runner.CPU_SECONDS = SOON
    while True: pass  # noqa: E701 - its line is known  # fmt: skip


def dozing(*arguments):
    import time

    check_runner.WALL_SECONDS = SOON
    while True: time.sleep(0.01)  # noqa: E701 - its line is known  # fmt: skip


def recursive(*arguments):
    return max(map(recursive, [arguments]))


def loud(*arguments):
    check_runner.CPU_SECONDS = SOON
    while True: print("again")  # noqa: E701 - its line is known  # fmt: skip


def leaving(*arguments):
    sys.exit("bye")


def asking(*arguments):
    return input("a number: ")


for module, check, solution in checks:
    lesson, reference = import_module(module), import_module(module.replace("check", "reference"))
    for program in (getattr(reference, solution), blank, wrong, endless):
        check_runner.CPU_SECONDS, check_runner.WALL_SECONDS = 60, 600
        feedback = getattr(lesson, check)(program)
        said[f"{check}({program.__name__})"] = repr(feedback)

for program in (dozing, recursive, loud, leaving, asking):
    check_runner.CPU_SECONDS, check_runner.WALL_SECONDS = 60, 600
    said[program.__name__] = check_negamax(program).message

STATES = [TicTacToe().play(4, 0, 8), ConnectFour(4, 4, 3).play(1, 2, 2, 1), Nim((1, 2, 3))]
STATES += [TicTacToe(3, 3, 3, 3).play(4, 0, 8, 1), GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])]
for name, search in SEARCHES.items():
    for state in STATES:
        options = {"simulations": 300} if name == "mcts" else {}
        if "rng" in parameters(search):
            options["rng"] = 7
        if search is iterative_deepening:
            options["depth"] = 3
        try:
            said[f"{name}({state})"] = repr(search(state, **options))
        except ValueError as error:  # a search for two players
            said[f"{name}({state})"] = str(error)

# The lesson of a net needs numpy, which not every browser's Python has; so does all of gamefast.
NUMPY = ("course.lessons.learning.", "course.widgets.weights_lab")
for package in (gamelib, arena, course):
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.startswith(NUMPY) and "__main__" not in module.name:
            said[f"import {module.name}"] = import_module(module.name).__name__

results = tournament(agents, state=TicTacToe(), games=4, seed=1, budget=300)
said["tournament"] = [
    [game.actions, game.utilities, game.forfeit and game.forfeit.reason, game.counts]
    for game in results.records
]
print(json.dumps(said))
