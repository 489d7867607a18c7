import gc
import sys
import threading
import time

import pytest

from arena import capabilities
from course.widgets import runner as runners
from course.widgets.runner import RunOutcome, SearchRunner


def begin(runner: SearchRunner, work) -> list[RunOutcome]:
    """Begin a piece of work, and return a list that gets its outcome."""
    outcomes: list[RunOutcome] = []
    runner.start(work, on_end=outcomes.append)
    return outcomes


def ended(runner: SearchRunner, work) -> RunOutcome:
    """Return how a piece of work ends."""
    outcomes = begin(runner, work)
    runner.wait()
    (outcome,) = outcomes
    return outcome


def until_stopped(progress, stop):
    while not stop():
        time.sleep(0.001)
    return "best so far"


@pytest.mark.usefixtures("both_ways")
def test_result_is_reported() -> None:
    assert ended(SearchRunner(), lambda progress, stop: 42) == RunOutcome("done", 42)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(1), KeyboardInterrupt()])
def test_any_error_is_reported(error) -> None:
    def work(progress, stop):
        raise error

    outcome = ended(SearchRunner(), work)
    assert outcome.status == "failed"
    assert outcome.error is error


def test_discarded_search_reports_nothing() -> None:
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


def test_new_search_stops_previous_one() -> None:
    first, second = SearchRunner(), SearchRunner()
    outcomes = begin(first, until_stopped)
    assert first.running
    assert ended(second, lambda progress, stop: 1) == RunOutcome("done", 1)
    first.wait()
    assert outcomes == [RunOutcome("stopped", "best so far", by="search")]
    assert not first.running


def test_unresponsive_search_counts_as_stopped(impatient) -> None:
    runner, begun, release = SearchRunner(), threading.Event(), threading.Event()

    def deaf(progress, stop):
        begun.set()
        release.wait(30)

    outcomes = begin(runner, deaf)
    assert begun.wait(60)
    runner.stop()
    runner.wait()
    assert ended(SearchRunner(), lambda progress, stop: 1) == RunOutcome("done", 1)  # not blocked
    release.set()
    assert outcomes == [RunOutcome("stopped", is_late=True)]
    assert ended(runner, lambda progress, stop: 1) == RunOutcome("done", 1)
    assert len(outcomes) == 1


@pytest.mark.usefixtures("both_ways")
def test_wait_includes_follow_up_search() -> None:
    runner, told = SearchRunner(), []

    def again(outcome: RunOutcome) -> None:
        told.append(outcome.result)
        if len(told) < 50:
            start()

    def start() -> None:
        runner.start(lambda progress, stop: len(told), on_end=again)

    start()
    runner.wait()
    assert told == list(range(50))


@pytest.mark.usefixtures("both_ways")
def test_search_yields_to_clicks_and_restores_settings() -> None:
    before = sys.getswitchinterval(), gc.get_threshold()

    def work(progress, stop):
        return sys.getswitchinterval(), gc.get_threshold()

    during = ended(SearchRunner(), work).result
    assert during[0] < before[0]
    assert during[1][:2] == before[1][:2]
    assert during[1][2] > 1000 * before[1][2]  # no full collection, which stops all threads
    assert (sys.getswitchinterval(), gc.get_threshold()) == before


@pytest.mark.usefixtures("both_ways")
def test_progress_is_rate_limited() -> None:
    runner, told = SearchRunner(), []

    def work(progress, stop):
        for n in range(100_000):
            progress(n / 100_000, n)

    start = time.monotonic()
    runner.start(work, on_progress=lambda *said: told.append(said))
    runner.wait()
    seconds = time.monotonic() - start
    assert told[0] == (0, 0)
    assert len(told) <= 1 + seconds / SearchRunner.POLL_SECONDS


class Tab:
    """What stands for the loop of a browser without threads: `clicks` come one in each turn."""

    def __init__(self) -> None:
        self.clicks: list = []
        self.turns = 0

    def call_soon(self, function) -> None:
        self.clicks.append(function)

    def turn(self) -> bool:
        self.turns += 1
        if self.clicks:
            look, capabilities._poll_callback = capabilities._poll_callback, None
            self.clicks.pop(0)()
            capabilities._poll_callback = look
        return True

    def runner(self) -> SearchRunner:
        runner = SearchRunner()
        runner._loop = self  # type: ignore[assignment]
        return runner


@pytest.fixture
def tab(no_threads, monkeypatch) -> Tab:
    tab = Tab()
    monkeypatch.setattr(capabilities, "yield_to_browser", tab.turn)
    monkeypatch.setattr(capabilities, "can_suspend", lambda: True)
    return tab


def deaf(progress, stop):
    while True:
        pass


@pytest.mark.parametrize(("work", "best"), [(until_stopped, "best so far"), (deaf, None)])
def test_in_tab_click_stops_running_search(tab, work, best) -> None:
    runner, answered = tab.runner(), []
    outcomes = begin(runner, work)
    tab.clicks += [lambda: answered.append("a click"), runner.stop]
    runner.wait()
    assert (outcomes, answered) == ([RunOutcome("stopped", best)], ["a click"])


def test_in_tab_unresponsive_search_is_terminated(tab, monkeypatch) -> None:
    monkeypatch.setattr(runners, "ANSWER", 0.1)
    runner = tab.runner()
    outcomes = begin(runner, lambda progress, stop: stop() or deaf(progress, stop))
    tab.clicks += [lambda: None, runner.stop]
    runner.wait()
    assert outcomes == [RunOutcome("stopped")]


def test_in_tab_search_yields_only_at_stop(tab) -> None:
    runner = tab.runner()

    def work(progress, stop):
        before = tab.turns
        progress(0.5, None)
        end = time.monotonic() + runners.FORCED_YIELD_SECONDS / 2
        while time.monotonic() < end:
            pass
        return tab.turns - before, stop(), tab.turns - before

    outcomes = begin(runner, work)
    runner.wait()
    assert outcomes == [RunOutcome("done", (0, False, 1))]


def test_in_tab_second_search_stops_first(tab) -> None:
    first, second = tab.runner(), tab.runner()
    answers: list[list[RunOutcome]] = []
    stopped = begin(first, until_stopped)
    tab.clicks.append(lambda: answers.append(begin(second, lambda progress, stop: 2)))
    first.wait()
    second.wait()
    assert stopped == [RunOutcome("stopped", "best so far", by="search")]
    assert answers == [[RunOutcome("done", 2)]]


def test_in_tab_discarded_search_never_begins(tab) -> None:
    runner, begun = tab.runner(), []
    outcomes = begin(runner, lambda progress, stop: begun.append(1))
    runner.discard()
    runner.wait()
    tab.turn()
    assert (outcomes, begun) == ([], [])


def test_waiting_during_click_in_tab_raises(tab, monkeypatch) -> None:
    runner, said = tab.runner(), []

    def wait() -> None:
        monkeypatch.setattr(
            capabilities, "yield_to_browser", lambda: False
        )  # as in answer to a click
        with pytest.raises(RuntimeError, match="click") as why:
            runner.wait()
        said.append(why)
        monkeypatch.setattr(capabilities, "yield_to_browser", tab.turn)
        runner.stop()

    begin(runner, until_stopped)
    tab.clicks.append(wait)
    runner.wait()
    assert said


@pytest.mark.parametrize("work", [until_stopped, deaf])
def test_search_without_yielding_ends_after_limit(no_threads, monkeypatch, work) -> None:
    monkeypatch.setattr(runners, "MAX_SECONDS", 0.3)
    outcome = ended(SearchRunner(), work)
    assert outcome in (RunOutcome("done", "best so far"), RunOutcome("stopped"))


def test_frequent_progress_does_not_block_clicks(monkeypatch):
    """MCTS reports its progress whenever it polls `stop`, and that does not end a turn."""
    turns = []
    monkeypatch.setattr(capabilities, "yield_to_browser", lambda: turns.append(1) or True)

    def work(progress, stop):
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            progress(0.5, None)
            stop()
            time.sleep(0.01)

    runners._yielding(work)(lambda share, best: None, lambda: False)
    assert len(turns) > 2
