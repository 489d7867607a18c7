"""What the notebooks add to `gamelib` and `arena`: drawings, widgets, lessons and their checks.

A name loads its module when it is first used: `course.draw` needs no widget, a board no arena.
"""

import builtins
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gamelib.games import GameTree
from gamelib.svg import state_svg

if TYPE_CHECKING:  # the names of `_LATE`, for type checkers and editors
    from course.draw.words import why_cut as why_cut
    from course.kit.catalogue import hint as hint
    from course.kit.catalogue import solution as solution
    from course.kit.mistakes import FLAWS as FLAWS
    from course.kit.mistakes import flaw_line as flaw_line
    from course.kit.mistakes import listing as listing
    from course.kit.positions import exact_values as exact_values
    from course.kit.positions import open_positions as open_positions
    from course.kit.positions import optimal_actions as optimal_actions
    from course.kit.positions import paper_position as paper_position
    from course.kit.setup import check_setup as check_setup
    from course.kit.trees import random_tree as random_tree
    from course.kit.visits import Visits as Visits
    from course.lessons.multiplayer.outcomes import against as against
    from course.lessons.multiplayer.outcomes import favour as favour
    from course.lessons.multiplayer.outcomes import maxn_outcomes as maxn_outcomes
    from course.lessons.multiplayer.outcomes import tied_positions as tied_positions
    from course.watch import record as record
    from course.widgets.bandit import Bandit as Bandit
    from course.widgets.class_answers import ClassAnswers as ClassAnswers
    from course.widgets.experiment_lab import ExperimentLab as ExperimentLab
    from course.widgets.experiments import mcts_choices as mcts_choices
    from course.widgets.lab import Lab as Lab
    from course.widgets.labs import depth_lab as depth_lab
    from course.widgets.labs import exploration_lab as exploration_lab
    from course.widgets.labs import rollouts_lab as rollouts_lab
    from course.widgets.labs import seats_lab as seats_lab
    from course.widgets.labs import solver_lab as solver_lab
    from course.widgets.labs import stability_lab as stability_lab
    from course.widgets.play_board import PlayBoard as PlayBoard
    from course.widgets.playground import Playground as Playground
    from course.widgets.quiz import Predict as Predict
    from course.widgets.quiz import Quiz as Quiz
    from course.widgets.quiz import quiz as quiz
    from course.widgets.sharing import share as share
    from course.widgets.show_me import show_where as show_where
    from course.widgets.stepper import SearchStepper as SearchStepper
    from course.widgets.trainer import Trainer as Trainer
    from course.widgets.tree_quiz import FillInTree as FillInTree
    from course.widgets.weights_lab import weights_lab as weights_lab

_LATE = {
    **dict.fromkeys(["hint", "solution"], "course.kit.catalogue"),
    **dict.fromkeys(
        ["exact_values", "open_positions", "optimal_actions", "paper_position"],
        "course.kit.positions",
    ),
    "check_setup": "course.kit.setup",
    **dict.fromkeys(["FLAWS", "flaw_line", "listing"], "course.kit.mistakes"),
    **dict.fromkeys(
        ["against", "favour", "maxn_outcomes", "tied_positions"],
        "course.lessons.multiplayer.outcomes",
    ),
    "share": "course.widgets.sharing",
    "Visits": "course.kit.visits",
    "record": "course.watch",
    "why_cut": "course.draw.words",
    "random_tree": "course.kit.trees",
    "Bandit": "course.widgets.bandit",
    "ClassAnswers": "course.widgets.class_answers",
    "ExperimentLab": "course.widgets.experiment_lab",
    "Lab": "course.widgets.lab",
    "FillInTree": "course.widgets.tree_quiz",
    "PlayBoard": "course.widgets.play_board",
    "Playground": "course.widgets.playground",
    "Trainer": "course.widgets.trainer",
    "weights_lab": "course.widgets.weights_lab",
    "SearchStepper": "course.widgets.stepper",
    "show_where": "course.widgets.show_me",
    **dict.fromkeys(["Predict", "Quiz", "quiz"], "course.widgets.quiz"),
    "mcts_choices": "course.widgets.experiments",
    **dict.fromkeys(
        [
            "depth_lab",
            "exploration_lab",
            "rollouts_lab",
            "seats_lab",
            "solver_lab",
            "stability_lab",
        ],
        "course.widgets.labs",
    ),
}

if not TYPE_CHECKING:  # a type checker reports a misspelt name by itself
    __all__ = [*_LATE]

    def __getattr__(name: str) -> Any:
        if name in _LATE:
            return getattr(import_module(_LATE[name]), name)
        raise AttributeError(f"module 'course' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATE])


if shell := getattr(builtins, "get_ipython", lambda: None)():
    import_module("course.kit.setup").short_tracebacks(shell)


@state_svg.register
def _(state: GameTree) -> str:
    """Return the drawing of a whole tree: Jupyter shows a `GameTree` so, once `course` is there."""
    from course.draw import tree

    return tree(state)
