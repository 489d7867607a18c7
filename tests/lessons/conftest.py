import pytest

from course.kit import guarded


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Give a check the time it needs on a machine that is busy with other tests."""
    monkeypatch.setattr(guarded, "LIMIT", 60)
    monkeypatch.setattr(guarded, "PATIENCE", 60)
