"""Drawings, widgets, lessons and checks, which the notebooks add to `gamelib` and `arena`.

The module of a name is loaded when the name is first used, so `course.draw` needs no widgets, and a
board does not load the arena.
"""

import builtins
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gamelib.games import GameTree
from gamelib.svg import state_svg

if TYPE_CHECKING:  # the names of `_LAZY_NAMES`, for type checkers and editors
    from course.draw.wording import why_cut as why_cut
    from course.exercises.catalogue import hint as hint
    from course.exercises.catalogue import solution as solution
    from course.exercises.environment import check_setup as check_setup
    from course.exercises.mistakes import FLAWS as FLAWS
    from course.exercises.mistakes import flaw_line as flaw_line
    from course.exercises.mistakes import listing as listing
    from course.exercises.state_space import exact_values as exact_values
    from course.exercises.state_space import open_positions as open_positions
    from course.exercises.state_space import optimal_actions as optimal_actions
    from course.exercises.state_space import paper_position as paper_position
    from course.exercises.tree_exercises import random_tree as random_tree
    from course.exercises.visit_counter import VisitCounter as VisitCounter
    from course.lessons.multiplayer.maxn_ties import against as against
    from course.lessons.multiplayer.maxn_ties import favour as favour
    from course.lessons.multiplayer.maxn_ties import maxn_outcomes as maxn_outcomes
    from course.lessons.multiplayer.maxn_ties import tied_positions as tied_positions
    from course.tracing import record as record
    from course.widgets.bandit_widget import Bandit as Bandit
    from course.widgets.class_answers import ClassAnswers as ClassAnswers
    from course.widgets.experiment_lab import ExperimentLab as ExperimentLab
    from course.widgets.fill_in_tree import FillInTree as FillInTree
    from course.widgets.lab import Lab as Lab
    from course.widgets.lesson_labs import depth_lab as depth_lab
    from course.widgets.lesson_labs import exploration_lab as exploration_lab
    from course.widgets.lesson_labs import rollouts_lab as rollouts_lab
    from course.widgets.lesson_labs import seats_lab as seats_lab
    from course.widgets.lesson_labs import solver_lab as solver_lab
    from course.widgets.lesson_labs import stability_lab as stability_lab
    from course.widgets.play_board import PlayBoard as PlayBoard
    from course.widgets.playground import Playground as Playground
    from course.widgets.quiz import Predict as Predict
    from course.widgets.quiz import Quiz as Quiz
    from course.widgets.quiz import quiz as quiz
    from course.widgets.repeated_mcts import mcts_choices as mcts_choices
    from course.widgets.sharing import share as share
    from course.widgets.show_where import show_where as show_where
    from course.widgets.stepper import SearchStepper as SearchStepper
    from course.widgets.trainer import Trainer as Trainer
    from course.widgets.weights_lab import weights_lab as weights_lab

_LAZY_NAMES = {
    **dict.fromkeys(["hint", "solution"], "course.exercises.catalogue"),
    **dict.fromkeys(
        ["exact_values", "open_positions", "optimal_actions", "paper_position"],
        "course.exercises.state_space",
    ),
    "check_setup": "course.exercises.environment",
    **dict.fromkeys(["FLAWS", "flaw_line", "listing"], "course.exercises.mistakes"),
    **dict.fromkeys(
        ["against", "favour", "maxn_outcomes", "tied_positions"],
        "course.lessons.multiplayer.maxn_ties",
    ),
    "share": "course.widgets.sharing",
    "VisitCounter": "course.exercises.visit_counter",
    "record": "course.tracing",
    "why_cut": "course.draw.wording",
    "random_tree": "course.exercises.tree_exercises",
    "Bandit": "course.widgets.bandit_widget",
    "ClassAnswers": "course.widgets.class_answers",
    "ExperimentLab": "course.widgets.experiment_lab",
    "Lab": "course.widgets.lab",
    "FillInTree": "course.widgets.fill_in_tree",
    "PlayBoard": "course.widgets.play_board",
    "Playground": "course.widgets.playground",
    "Trainer": "course.widgets.trainer",
    "weights_lab": "course.widgets.weights_lab",
    "SearchStepper": "course.widgets.stepper",
    "show_where": "course.widgets.show_where",
    **dict.fromkeys(["Predict", "Quiz", "quiz"], "course.widgets.quiz"),
    "mcts_choices": "course.widgets.repeated_mcts",
    **dict.fromkeys(
        [
            "depth_lab",
            "exploration_lab",
            "rollouts_lab",
            "seats_lab",
            "solver_lab",
            "stability_lab",
        ],
        "course.widgets.lesson_labs",
    ),
}

if not TYPE_CHECKING:  # a type checker reports a misspelt name without this
    __all__ = [*_LAZY_NAMES]

    def __getattr__(name: str) -> Any:
        if name in _LAZY_NAMES:
            return getattr(import_module(_LAZY_NAMES[name]), name)
        raise AttributeError(f"module 'course' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY_NAMES])


if shell := getattr(builtins, "get_ipython", lambda: None)():
    import_module("course.exercises.environment").short_tracebacks(shell)


@state_svg.register
def _(state: GameTree) -> str:
    """Return the drawing of a whole tree: Jupyter shows a `GameTree` so, once `course` is there."""
    from course.draw import tree

    return tree(state)
