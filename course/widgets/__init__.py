"""Widgets for Jupyter: they own no game and no search, and every one can be driven from code."""

from course.widgets.experiment_lab import ExperimentLab
from course.widgets.experiments import depth_cost, mcts_choices, proof_cost, seat_shares
from course.widgets.labs import (
    Lab,
    depth_lab,
    exploration_lab,
    rollouts_lab,
    seats_lab,
    solver_lab,
    stability_lab,
)
from course.widgets.play_board import PlayBoard
from course.widgets.playground import Playground
from course.widgets.quiz import Predict, Quiz, quiz, quiz_answers
from course.widgets.stepper import SearchStepper
from course.widgets.tree_quiz import FillInTree

__all__ = [
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
]
