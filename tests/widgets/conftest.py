"""Widgets on a machine that is busy with other tests: who listens to Stop is always waited for."""

import pytest
from ipywidgets import Widget
from ipywidgets.widgets import widget as widget_module

from course.widgets import runner
from course.widgets.runner import SearchRunner


def live_widgets() -> int:
    return len(widget_module._instances)


def turned(lab, **knobs) -> None:
    """Turn knobs, and wait for what comes of it."""
    for name, value in knobs.items():
        lab.knobs[name].value = value
        lab.runner.wait()


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Let no search that listens count as one that does not, however late it gets its turn."""
    monkeypatch.setattr(SearchRunner, "PATIENCE", 60)
    monkeypatch.setattr(runner, "ANSWER", 60)


@pytest.fixture
def impatient(patient, monkeypatch):
    """Wait only a moment for a search that does not listen."""
    monkeypatch.setattr(SearchRunner, "PATIENCE", 0.3)


@pytest.fixture
def messages_of(monkeypatch):
    """Return a function that does something, and returns what went to the browser meanwhile.

    These are pairs (widget, keys); of a widget that is new, all of its keys.
    """
    sent = []
    opened = Widget.open

    def begin(self):
        sent.append((self, sorted(self.keys)))
        opened(self)

    def send(self, message, buffers=None):
        sent.append((self, sorted(message.get("state", {}))))

    def done(action):
        sent.clear()
        action()
        return sent[:]

    monkeypatch.setattr(Widget, "_send", send)
    monkeypatch.setattr(Widget, "open", begin)
    return done


@pytest.fixture(scope="session")
def restored():
    """Return a function that puts the frames of a reel together: lists of their parts."""
    return _restored


def _restored(data):
    """Return all frames that the data of a reel describe, as lists of parts."""
    frames = []
    for before, *changes in data["frames"]:
        parts = [list(part) for part in frames[before]] if before >= 0 else [[] for _ in changes]
        for part, splices in zip(parts, changes, strict=True):
            for at, gone, *added in splices:
                part[at : at + gone] = added
        frames.append(parts)
    return [["".join(map(data["pieces"].__getitem__, part)) for part in f] for f in frames]
