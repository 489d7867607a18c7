"""The line of progress: seen in a terminal only, and earlier games do not count as fast ones."""

import sys

import pytest

from arena import progress_line


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress_line, "monotonic", clock)
    return clock


def test_progress_line_ignores_earlier_units_in_speed(monkeypatch, capsys, clock):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress_line.progress_line(1000, "games") as update:
        update(900, True)
        clock.seconds = 10.0
        update(910, False)  # a game each second
    assert "910 of 1,000 games, 0:01:30 left" in capsys.readouterr().err


def test_progress_line_without_terminal_is_silent(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    with progress_line.progress_line(2, "games") as update:
        update(2, False)
    assert capsys.readouterr().err == ""
