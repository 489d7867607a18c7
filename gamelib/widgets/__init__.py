"""Widgets for Jupyter: they own no game and no search, and every one can be driven from code."""

from gamelib.widgets.play_board import PlayBoard
from gamelib.widgets.playground import Playground
from gamelib.widgets.quiz import Predict, Quiz, quiz
from gamelib.widgets.stepper import SearchStepper

__all__ = ["PlayBoard", "Playground", "Predict", "Quiz", "SearchStepper", "quiz"]
