import pytest

from course.exercises import check_runner


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Give a check the time it needs on a machine that is busy with other tests."""
    monkeypatch.setattr(check_runner, "CPU_SECONDS", 60)
    monkeypatch.setattr(check_runner, "STOP_SECONDS", 60)
