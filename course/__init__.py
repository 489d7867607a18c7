"""What the notebooks add to `gamelib` and `arena`: drawings, widgets, lessons and their checks.

The widgets load when one of their names is first used, so that `course.draw` needs none of them.
"""

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
    **dict.fromkeys(["FLAWS", "flaw_line", "listing"], "course.kit.flaws"),
    "Visits": "course.kit.visits",
    "random_tree": "course.kit.trees",
    **dict.fromkeys(
        [
            "ExperimentLab",
            "FillInTree",
            "Lab",
            "PlayBoard",
            "Playground",
            "Predict",
            "Quiz",
            "SearchStepper",
            "depth_cost",
            "depth_lab",
            "exploration_lab",
            "mcts_choices",
            "proof_cost",
            "quiz",
            "quiz_answers",
            "rollouts_lab",
            "seat_shares",
            "seats_lab",
            "solver_lab",
            "stability_lab",
        ],
        "course.widgets",
    ),
}

__all__ = [*_LATE]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module 'course' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATE])


@picture.register
def _(state: GameTree) -> str:
    """Return the drawing of a whole tree: Jupyter shows a `GameTree` so, once `course` is there."""
    from course.draw import tree

    return tree(state)
