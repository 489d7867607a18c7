"""The widget that trains, and the lab of weights by hand."""

import threading

import pytest

from course import Trainer, weights_lab
from course.lessons.learning import training as learning
from course.lessons.learning.accuracy import accuracy
from course.lessons.learning.training import Training
from gamelib import TicTacToe
from tests.widgets.conftest import turned

HAND = TicTacToe.parse("X.. / .O. / ..X")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Make rounds of four games."""
    monkeypatch.setattr(learning, "GAMES", 4)
    monkeypatch.setattr(learning, "STEPS", 10)


def test_trainer_trains_and_shows_curve():
    trainer = Trainer(Training(seed=1), rounds=3, positions=[HAND])
    assert repr(trainer) == "Trainer(Training, 0 of 3 rounds)"
    before = trainer._boards.value
    rows = trainer.train()
    assert repr(trainer) == "Trainer(Training, 3 of 3 rounds)"
    assert len(rows) == 4
    assert "After 12 games" in trainer._reached.value
    assert trainer._image.value
    assert trainer._boards.value != before
    assert trainer._train.disabled
    assert trainer._stop.disabled
    assert trainer.train() == rows  # there is nothing left to do


def test_stopped_trainer_keeps_rounds_and_resumes(monkeypatch):
    whole = Training(seed=1)
    for _ in range(3):
        whole.round()
    trainer, entered, play = Trainer(Training(seed=1), rounds=3), threading.Event(), Training.play

    def played(training, rng):
        if len(training.rounds) == 2:
            entered.set()
            trainer.runner._stop.wait(60)
        return play(training, rng)

    monkeypatch.setattr(Training, "play", played)
    trainer._train.click()
    assert entered.wait(60)
    trainer._stop.click()
    trainer.runner.wait()
    assert "Stopped. What was learned is kept" in trainer._said.value
    assert repr(trainer) == "Trainer(Training, 1 of 3 rounds)"
    assert not trainer._train.disabled
    monkeypatch.setattr(Training, "play", play)
    assert trainer.train() == whole.rounds


def test_nonfinite_net_is_reported_and_previous_kept():
    trainer = Trainer(Training(seed=1, rate=1e9), rounds=3)
    with pytest.raises(ValueError, match="not finite numbers"):
        trainer.train()
    assert "The net is the one of the last whole round" in trainer._said.value
    trainer.training.net.check()


def test_weights_lab_measures_every_position():
    lab = weights_lab()
    zero, first = lab.run()
    assert zero["right"] == accuracy(lambda state: 0)[0]
    assert first["right"] == 2993  # the weights of section 1, which the lab asks to improve
    turned(lab, **{"own 2": 0.5, "opponent's 2": -0.4})
    row = lab.rows[1]
    assert (row["right"], row["of"]) == (3128, 3191)
    assert "interval" not in lab._draw(lab.rows, []).axes[0].get_xlabel()  # nothing was drawn
    turned(lab, **{"own 2": 0.2, "opponent's 2": -0.2})
    assert lab.rows[1]["right"] == 2993
    assert lab.previous.rows[1]["right"] == 2833
