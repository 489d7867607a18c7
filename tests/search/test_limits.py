import pytest

from gamelib.search.limits import Watch


@pytest.fixture
def clock(monkeypatch):
    """Return a list of one number, the time."""
    now = [100.0]
    monkeypatch.setattr("gamelib.search.limits.time.perf_counter", lambda: now[0])
    return now


def test_progress_comes_once_in_a_while_however_often_it_is_offered(clock):
    shares = []
    watch = Watch(lambda share, best: shares.append(share), None)
    for step in range(1000):
        clock[0] += 0.001
        watch(step / 1000, None)
    assert 30 <= len(shares) <= 34  # in one second


def test_stop_is_asked_as_often_as_progress_is_told(clock):
    calls = []
    watch = Watch(lambda share, best: calls.append("progress"), lambda: calls.append("stop"))
    for _ in range(3):
        clock[0] += 1
        watch(0, None)
    assert calls == ["progress", "stop"] * 3
