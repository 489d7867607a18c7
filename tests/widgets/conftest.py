"""Widgets on a machine that is busy with other tests: who listens to Stop is always waited for."""

import pytest

from course.widgets.runner import SearchRunner


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Let no search that listens count as one that does not, however late it gets its turn."""
    monkeypatch.setattr(SearchRunner, "PATIENCE", 60)


@pytest.fixture
def impatient(patient, monkeypatch):
    """Wait only a moment for a search that does not listen."""
    monkeypatch.setattr(SearchRunner, "PATIENCE", 0.3)
