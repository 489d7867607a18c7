"""What a browser is told of each public widget when it is created can be sent."""

import inspect
import json

import pytest
from ipywidgets import Widget
from ipywidgets.widgets import widget as widget_module

import course
from course.exercises.lesson_data import quiz_names
from course.lessons.learning.training import Training
from gamelib import GameTree, TicTacToe, minimax

TREE = GameTree([[3, 12], [2, 4]])
MAKERS = {
    "Bandit": course.Bandit,
    "ClassAnswers": lambda: course.ClassAnswers("."),
    "ExperimentLab": course.ExperimentLab,
    "FillInTree": lambda: course.FillInTree(TREE, cuts=True),
    "Lab": lambda: course.depth_lab(TicTacToe()),
    "PlayBoard": lambda: course.PlayBoard(TicTacToe()),
    "Playground": course.Playground,
    "Predict": lambda: course.Predict("Which one?", ["a", "b"]),
    "Quiz": lambda: course.quiz(min(quiz_names())),
    "SearchStepper": lambda: course.SearchStepper(minimax, TREE),
    "Trainer": lambda: course.Trainer(Training(seed=1), rounds=1),
}


@pytest.mark.usefixtures("seen")
@pytest.mark.parametrize("name", MAKERS)
def test_first_state_can_be_sent(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    former = {*widget_module._instances}
    widget = MAKERS[name]()
    new = [each for key, each in widget_module._instances.items() if key not in former]
    assert widget in new
    for each in new:
        sent, _, _ = widget_module._remove_buffers(each.get_state())
        assert json.loads(json.dumps(sent)).keys() == {*each.keys}


def test_every_public_widget_is_made_here():
    public = {name: getattr(course, name) for name in course.__all__}
    kinds = {n for n, one in public.items() if inspect.isclass(one) and issubclass(one, Widget)}
    assert kinds == MAKERS.keys()
