"""Run searches while the notebook stays responsive: in one thread, with progress and Stop.

If the system has no threads, a search runs in the thread that handles clicks.  Pending clicks are
handled whenever the search calls `stop`, or after a while if it does not call it.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any, Literal

from arena import capabilities
from gamelib.search.callbacks import Progress, SearchStopped, Stop

Work = Callable[[Progress, Stop], Any]

# the switch interval of threads while a search runs; Python's default, 0.005 s, is noticeable
SLICE = 0.0001
NOT_RESPONDING_MESSAGE = (
    "It has not responded to Stop yet and keeps running in the background. If it never ends, "
    "restart the kernel. A search that accepts stop and calls it periodically can be stopped."
)
STOPPED_BY_OTHER_MESSAGE = (
    "Another widget, a {}, has started to compute, and only one can do so at a time."
)
RETRY_SECONDS = 0.1  # interval at which to check whether the running cell has ended
YIELD_SECONDS = 0.05  # without a thread, the interval at which clicks are handled
FORCED_YIELD_SECONDS = 0.2  # the same for a search that does not call `stop`
# how long a search may still run after a `stop` that returned true; then it is terminated
ANSWER = 3.0
MAX_SECONDS = 10.0  # limit for a search if there are no threads and clicks cannot be handled
NO_STOP_MESSAGE = (
    "This browser cannot stop a search, so each one ends after 10 seconds with its best so far. "
    "A recent Chrome or Edge can stop it."
)
NEVER = 10**9  # a full garbage collection of a million nodes blocks all threads for 0.3 s

_one_at_a_time = threading.Lock()  # held by the running search, of which a kernel has only one
_running: SearchRunner | None = None


@dataclass(frozen=True)
class RunOutcome:
    """The outcome of some work: a result, an error, or stopped."""

    status: Literal["done", "failed", "stopped"]
    result: Any = None
    error: BaseException | None = None
    is_late: bool = False  # it has not responded to a request to stop
    by: str = ""  # the kind of widget that stopped it by starting to compute

    @property
    def reason(self) -> str:
        """Why it was stopped, and whether it is still running, as sentences, or ""."""
        said = [NOT_RESPONDING_MESSAGE] if self.is_late else []
        return " ".join([*said, STOPPED_BY_OTHER_MESSAGE.format(self.by)] if self.by else said)


class SearchRunner:
    """Runs `work(progress, stop)` in a separate thread, and reports its outcome.

    A new search stops the previous one in the whole kernel, because two threads would only slow
    each other down.  A search that does not react to `stop` cannot be terminated; it is abandoned
    after a moment, and its result is discarded.
    """

    STOP_SECONDS = 0.3  # how long to wait for a search that was asked to stop
    # The interval between two reports of progress; more reports would only delay other messages.
    POLL_SECONDS = 0.25

    def __init__(
        self, on_finish: Callable[[], object] = lambda: None, name: str = "search"
    ) -> None:
        """Begin without a search.

        on_finish  called when a search has ended and its outcome was reported
        name       named in the message of another search that this one has stopped

        While code holds `lock`, to change the position that is searched, no search reports to it.
        """
        self._on_finish, self.name = on_finish, name
        self.lock = threading.RLock()
        self.outcome = RunOutcome("stopped")
        self._by = ""
        self._loop = main_loop()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        # without threads: the search that has not begun
        self._waiting: Callable[[], None] | None = None
        self._token = 0
        self._busy = False
        self._on_end: Callable[[RunOutcome], object] = lambda outcome: None
        self._over = threading.Event()
        self._over.set()

    @property
    def running(self) -> bool:
        """Whether a search is running whose result is still needed."""
        return self._busy

    def start(
        self,
        work: Work,
        *,
        on_progress: Callable[[float, Any], object] = lambda share, best: None,
        on_end: Callable[[RunOutcome], object] = lambda outcome: None,
    ) -> None:
        """Start `work`; the callbacks run in its thread, until it is stopped or replaced."""
        global _running
        if _running is not None and _running is not self:
            _running.stop(by=self.name)
        _running = self
        self._stop.set()
        with self.lock:
            self._by = ""
            self._stop = stop = threading.Event()
            self._token = token = self._token + 1
            self._on_end = on_end
            self._busy = True
            self._over.clear()

        due = 0.0

        def tell(share: float, best: Any) -> None:
            nonlocal due
            if time.monotonic() < due:
                return
            due = time.monotonic() + self.POLL_SECONDS
            with self.lock:
                if token == self._token and self._busy:
                    on_progress(share, best)

        def run() -> None:
            with _wait_for_previous(self.STOP_SECONDS):
                outcome = _outcome(work, tell, stop)
            self._end(token, outcome)

        if self._loop and capabilities.can_start_threads():
            self._loop.call_soon_threadsafe(_handle_interrupts, self._loop)
        self._launch(run)

    def _launch(self, run: Callable[[], None]) -> None:
        """Run a search in a thread; without threads, in the event loop or immediately."""
        if capabilities.can_start_threads():
            self._thread = threading.Thread(target=run, name="gamelib search", daemon=True)
            self._thread.start()
        elif self._loop:
            self._waiting = run
            self._loop.call_soon(self._begin)
        else:
            run()

    def _begin(self) -> None:
        """Run the waiting search, if it has not begun."""
        run, self._waiting = self._waiting, None
        if run:
            run()

    def stop(self, by: str = "") -> None:
        """Ask the search to stop and return its best so far; `by` names the widget that stops it.

        A search that does not respond soon counts as stopped, and its result is discarded.
        """
        self._by = by
        self._stop.set()
        # without threads, a search that does not respond is terminated
        if self._busy and capabilities.can_start_threads():
            late = self._token, RunOutcome("stopped", is_late=True)
            timer = threading.Timer(self.STOP_SECONDS, self._end, late)
            timer.daemon = True
            timer.start()

    def discard(self) -> None:
        """Stop the search and ignore whatever it returns."""
        self._stop.set()
        with self.lock:
            self._token += 1
            self._busy = False
            self._over.set()

    def _end(self, token: int, outcome: RunOutcome) -> None:
        """Report the outcome of the search with this token, once."""
        with self.lock:
            if token != self._token or not self._busy:
                return
            self._busy = False
            stopped = outcome.status == "stopped"
            self.outcome = replace(outcome, by=self._by) if stopped else outcome
            try:
                self._on_end(self.outcome)
                self._on_finish()
            finally:
                if token == self._token:  # otherwise the callback has started another search
                    self._over.set()

    def result(self) -> Any:
        """Wait for the search and return its result, or raise its error.

        RuntimeError if it was stopped before it had a result.
        """
        self.wait()
        if self.outcome.error is not None:
            raise self.outcome.error
        if self.outcome.result is None:
            raise RuntimeError("the search was stopped before it had a result; start it again")
        return self.outcome.result

    def wait(self) -> None:
        """Return when the search, and any that its callback starts, has ended.

        An interrupt stops the search.
        """
        if threading.current_thread() is self._thread:
            return
        try:
            if capabilities.can_start_threads():
                self._over.wait()
            else:
                self._wait_in_turns()
        except KeyboardInterrupt:
            self.stop()
            raise

    def _wait_in_turns(self) -> None:
        while self._busy:
            if self._waiting:
                self._begin()
            elif not capabilities.yield_to_browser():
                raise RuntimeError(
                    "a running search cannot be waited for while a click is handled; "
                    "call this from a cell"
                )


def main_loop() -> asyncio.AbstractEventLoop | None:
    """Return the event loop of the main thread, which runs a notebook's cells; None elsewhere."""
    if threading.current_thread() is not threading.main_thread():
        return None
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _handle_interrupts(loop: asyncio.AbstractEventLoop) -> None:
    """Let an interrupt of the kernel stop the running search if no cell is running.

    A running cell receives interrupts itself.  Between two cells Jupyter's kernel ignores them.
    Any other handler is left unchanged.
    """

    def stop_search(*signalled: object) -> None:
        if _running is not None:
            loop.call_soon_threadsafe(_running.stop)

    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.SIG_IGN:
        signal.signal(signal.SIGINT, stop_search)
    elif handler is signal.default_int_handler and _running and _running.running:
        loop.call_later(RETRY_SECONDS, _handle_interrupts, loop)


@contextmanager
def _wait_for_previous(patience: float) -> Iterator[None]:
    """Wait a moment for the previous search, and let clicks be handled soon while this one runs."""
    if not _is_alone(patience):
        yield
        return
    interval, collections = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(min(interval, SLICE))
    gc.set_threshold(*collections[:2], NEVER)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*collections)
        _one_at_a_time.release()


def _is_alone(patience: float) -> bool:
    """Return whether the previous search ends within `patience`; then this one holds the lock."""
    if capabilities.can_start_threads():
        return _one_at_a_time.acquire(timeout=patience)
    deadline = time.monotonic() + patience
    while not (acquired := _one_at_a_time.acquire(blocking=False)):
        if time.monotonic() > deadline or not capabilities.yield_to_browser():
            break
    return acquired


def _yielding(work: Work) -> Work:
    """Return work that lets clicks be handled while it runs, and terminates when it must stop.

    If clicks cannot be handled, it must stop after `MAX_SECONDS`.
    """

    def shared(progress: Progress, stop: Stop) -> Any:
        begun = turned = time.monotonic()
        listened = -ANSWER  # time of the last `stop`, after which it may return its best so far

        def asked() -> bool:
            nonlocal listened
            answer = stopped()
            listened = time.monotonic()
            return answer

        def stopped() -> bool:
            nonlocal turned
            if time.monotonic() >= turned + YIELD_SECONDS and capabilities.yield_to_browser():
                turned = time.monotonic()
            late = time.monotonic() >= begun + MAX_SECONDS
            return stop() or (late and not capabilities.can_suspend())

        def report(share: float, best: Any) -> None:
            nonlocal turned
            # clicks must not be handled while progress is being shown
            last_turn, turned = turned, time.monotonic()
            progress(share, best)
            turned = last_turn

        def poll(frame: FrameType | None) -> None:
            late = time.monotonic() >= turned + FORCED_YIELD_SECONDS
            unasked = late and not capabilities.is_importing(frame)
            if unasked and stopped() and time.monotonic() >= listened + ANSWER:
                raise SearchStopped

        with capabilities.polling(poll):
            return work(report, asked)

    return shared


def _outcome(work: Work, progress: Progress, stop: threading.Event) -> RunOutcome:
    if stop.is_set():
        return RunOutcome("stopped")
    if not capabilities.can_start_threads():
        work = _yielding(work)
    try:
        result = work(progress, stop.is_set)
    except SearchStopped:
        return RunOutcome("stopped")
    # sys.exit in a learner's agent must not end the thread without a report
    except BaseException as error:
        return RunOutcome("failed", error=error)
    return RunOutcome("stopped" if stop.is_set() else "done", result)
