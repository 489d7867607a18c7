"""What the notebooks add to `gamelib` and `arena`: drawings, widgets, lessons and their checks.

A name loads its module when it is first used: `course.draw` needs no widget, a board no arena.
"""

import builtins
from importlib import import_module
from typing import Any

from gamelib.games import GameTree
from gamelib.picture import picture

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

__all__ = [*_LATE]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module 'course' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATE])


if shell := getattr(builtins, "get_ipython", lambda: None)():
    import_module("course.kit.setup").short_tracebacks(shell)


@picture.register
def _(state: GameTree) -> str:
    """Return the drawing of a whole tree: Jupyter shows a `GameTree` so, once `course` is there."""
    from course.draw import tree

    return tree(state)
