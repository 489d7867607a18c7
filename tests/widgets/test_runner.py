import gc
import sys
import threading
import time

import pytest

from course.widgets.runner import Outcome, SearchRunner
from gamelib.search.limits import SearchStopped


def ended(runner: SearchRunner, work) -> Outcome:
    """Return how a piece of work ends."""
    outcomes: list[Outcome] = []
    runner.start(work, on_progress=lambda share, best: None, on_end=outcomes.append)
    runner.wait()
    (outcome,) = outcomes
    return outcome


def until_stopped(progress, stop):
    while not stop():
        time.sleep(0.001)
    return "best so far"


def test_the_result_is_told() -> None:
    assert ended(SearchRunner(), lambda progress, stop: 42) == Outcome("done", 42)


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(1), KeyboardInterrupt()])
def test_an_error_is_told_whatever_it_is(error) -> None:
    def work(progress, stop):
        raise error

    outcome = ended(SearchRunner(), work)
    assert outcome.status == "failed"
    assert outcome.error is error


def test_a_stopped_search_answers_with_its_best_so_far() -> None:
    runner, outcomes = SearchRunner(), []
    runner.start(until_stopped, on_progress=lambda share, best: None, on_end=outcomes.append)
    assert runner.running
    runner.stop()
    runner.wait()
    assert outcomes == [Outcome("stopped", "best so far")]
    assert not runner.running


def test_a_search_may_also_raise_when_it_is_stopped() -> None:
    def work(progress, stop):
        raise SearchStopped

    assert ended(SearchRunner(), work) == Outcome("stopped")


def test_a_discarded_search_is_never_heard_of() -> None:
    runner, heard = SearchRunner(), []
    begun = threading.Event()

    def work(progress, stop):
        begun.set()
        until_stopped(progress, stop)
        progress(1, None)
        heard.append("end of work")

    runner.start(work, on_progress=lambda *said: heard.append(said), on_end=heard.append)
    assert begun.wait(60)
    runner.discard()
    runner.wait()
    deadline = time.monotonic() + 60
    while not heard and time.monotonic() < deadline:
        time.sleep(0.001)
    assert heard == ["end of work"]


def test_one_search_runs_in_a_kernel() -> None:
    first, second, outcomes = SearchRunner(), SearchRunner(), []
    first.start(until_stopped, on_progress=lambda share, best: None, on_end=outcomes.append)
    assert ended(second, lambda progress, stop: 1) == Outcome("done", 1)
    first.wait()
    assert [outcome.status for outcome in outcomes] == ["stopped"]


def test_a_search_that_does_not_listen_does_not_block_the_next(impatient) -> None:
    deaf, release = SearchRunner(), threading.Event()
    deaf.start(
        lambda progress, stop: release.wait(30),
        on_progress=lambda share, best: None,
        on_end=lambda outcome: None,
    )
    try:
        assert ended(SearchRunner(), lambda progress, stop: 1) == Outcome("done", 1)
    finally:
        release.set()
        deaf.wait()


def test_a_search_that_does_not_listen_counts_as_stopped(impatient) -> None:
    runner, begun, release, outcomes = SearchRunner(), threading.Event(), threading.Event(), []

    def deaf(progress, stop):
        begun.set()
        release.wait(30)

    runner.start(deaf, on_progress=lambda share, best: None, on_end=outcomes.append)
    assert begun.wait(60)
    runner.stop()
    runner.wait()
    release.set()
    assert outcomes == [Outcome("stopped", late=True)]
    assert ended(runner, lambda progress, stop: 1) == Outcome("done", 1)
    assert len(outcomes) == 1


def test_waiting_includes_what_the_end_of_a_search_starts() -> None:
    runner, told = SearchRunner(), []

    def again(outcome: Outcome) -> None:
        told.append(outcome.result)
        if len(told) < 50:
            start()

    def start() -> None:
        runner.start(
            lambda progress, stop: len(told), on_progress=lambda share, best: None, on_end=again
        )

    start()
    runner.wait()
    assert told == list(range(50))


def test_without_threads_a_search_runs_at_once(monkeypatch) -> None:
    def no_thread(self) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_thread)
    assert ended(SearchRunner(), lambda progress, stop: 42) == Outcome("done", 42)


def test_no_thread_is_left() -> None:
    ended(SearchRunner(), lambda progress, stop: 42)
    deadline = time.monotonic() + 60
    while any(thread.name == "gamelib search" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_a_search_gives_way_to_clicks_and_leaves_everything_as_it_was() -> None:
    before = sys.getswitchinterval(), gc.get_threshold()
    during = ended(
        SearchRunner(), lambda progress, stop: (sys.getswitchinterval(), gc.get_threshold())
    ).result
    assert during[0] < before[0]
    assert during[1][:2] == before[1][:2]
    assert during[1][2] > 1000 * before[1][2]  # no full collection, which stops all threads
    assert (sys.getswitchinterval(), gc.get_threshold()) == before


def test_progress_is_told_a_few_times_a_second_however_often_a_search_reports() -> None:
    runner, told = SearchRunner(), []

    def work(progress, stop):
        for n in range(100_000):
            progress(n / 100_000, n)

    start = time.monotonic()
    runner.start(work, on_progress=lambda *said: told.append(said), on_end=lambda outcome: None)
    runner.wait()
    seconds = time.monotonic() - start
    assert told[0] == (0, 0)
    assert len(told) <= 1 + seconds / SearchRunner.PERIOD
