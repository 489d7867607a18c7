"""Searches that run while the notebook stays alive: one thread, with progress and Stop.

Where no thread can be started, a search runs in the one that answers clicks, and lets them have
their turn whenever it asks whether it shall stop, or if it does not ask for a while.
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

SLICE = 0.0001  # seconds a search computes before a click gets its turn; Python's 0.005 is felt
NOT_RESPONDING_MESSAGE = (
    "It has not heard Stop yet, and computes on in the background. If it never ends, restart the "
    "kernel. A search that takes stop, and asks it now and then, can be stopped."
)
STOPPED_BY_OTHER_MESSAGE = "Another widget began to compute, a {}: only one does at a time."
RETRY_SECONDS = 0.1  # seconds until another look whether the cell that runs has ended
YIELD_SECONDS = 0.05  # seconds between two turns of the clicks, without a thread
FORCED_YIELD_SECONDS = 0.2  # seconds until a search that does not ask is made to give them one
ANSWER = 3.0  # seconds that a search may take to answer once it has asked; then it is ended
MAX_SECONDS = 10.0  # seconds of a search where neither a thread nor a turn is possible
NO_STOP_MESSAGE = (
    "This browser cannot stop a search, so each one ends after 10 seconds with its best so far. "
    "A recent Chrome, Edge or Firefox can stop it."
)
NEVER = 10**9  # a full collection of garbage among a million nodes stops all threads for 0.3 s

_one_at_a_time = threading.Lock()  # held by the search that runs: one in a kernel
_running: SearchRunner | None = None


@dataclass(frozen=True)
class RunOutcome:
    """How a piece of work ended: with a result, with an error, or stopped."""

    status: Literal["done", "failed", "stopped"]
    result: Any = None
    error: BaseException | None = None
    is_late: bool = False  # it was told to stop, and has not answered
    by: str = ""  # the kind of widget that stopped it, by beginning to compute itself

    @property
    def reason(self) -> str:
        """What there is to say of a search that was stopped, besides that it was."""
        said = [NOT_RESPONDING_MESSAGE] if self.is_late else []
        return " ".join([*said, STOPPED_BY_OTHER_MESSAGE.format(self.by)] if self.by else said)


class SearchRunner:
    """Runs `work(progress, stop)` in a thread of its own, and tells how it ended.

    A new search stops the one before it, in the whole kernel: two threads would only take turns.
    A search that does not listen to `stop` cannot be ended; it is left alone after a moment, and
    what it answers then is thrown away.
    """

    STOP_SECONDS = 0.3  # seconds to wait for a search that was told to stop
    # Seconds between two reports of progress: more would only delay other answers.
    POLL_SECONDS = 0.25

    def __init__(
        self, on_finish: Callable[[], object] = lambda: None, name: str = "search"
    ) -> None:
        """Begin without a search; `on_finish` is called when one has ended, and has told how.

        `name` is what is said to have stopped another search, where this one does.  Whoever holds
        `lock`, to change what a search is asked about, hears of no search meanwhile.
        """
        self._on_finish, self.name = on_finish, name
        self.lock = threading.RLock()
        self.outcome = RunOutcome("stopped")
        self._by = ""
        self._loop = _main_loop()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._waiting: Callable[[], None] | None = None  # without threads: what has not begun
        self._token = 0
        self._busy = False
        self._on_end: Callable[[RunOutcome], object] = lambda outcome: None
        self._over = threading.Event()
        self._over.set()

    @property
    def running(self) -> bool:
        """Whether a search is under way whose answer is still wanted."""
        return self._busy

    def start(
        self,
        work: Work,
        *,
        on_progress: Callable[[float, Any], object] = lambda share, best: None,
        on_end: Callable[[RunOutcome], object] = lambda outcome: None,
    ) -> None:
        """Start `work`; the functions are called in its thread, and never once it is outdated."""
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
        """Run a search in a thread of its own; without threads when the loop has time, or now."""
        if capabilities.can_start_threads():
            self._thread = threading.Thread(target=run, name="gamelib search", daemon=True)
            self._thread.start()
        elif self._loop:
            self._waiting = run
            self._loop.call_soon(self._begin)
        else:
            run()

    def _begin(self) -> None:
        """Run the search that waits, if it has not begun."""
        run, self._waiting = self._waiting, None
        if run:
            run()

    def stop(self, by: str = "") -> None:
        """Ask the search to stop, `by` another widget or a person; it answers with its best so far.

        One that does not answer soon counts as stopped, and is not listened to any more.
        """
        self._by = by
        self._stop.set()
        # without, one that does not listen is ended
        if self._busy and capabilities.can_start_threads():
            late = self._token, RunOutcome("stopped", is_late=True)
            timer = threading.Timer(self.STOP_SECONDS, self._end, late)
            timer.daemon = True
            timer.start()

    def discard(self) -> None:
        """Stop the search and never hear of it again."""
        self._stop.set()
        with self.lock:
            self._token += 1
            self._busy = False
            self._over.set()

    def _end(self, token: int, outcome: RunOutcome) -> None:
        """Tell how the search of this token ended, once."""
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
                if token == self._token:  # else its end has started another search
                    self._over.set()

    def result(self) -> Any:
        """Wait for the search and return its result; raise what it raised.

        RuntimeError if it was stopped before it had one.
        """
        self.wait()
        if self.outcome.error is not None:
            raise self.outcome.error
        if self.outcome.result is None:
            raise RuntimeError("it was stopped before it had an answer")
        return self.outcome.result

    def wait(self) -> None:
        """Return when the search, and any that its end started, is over; an interrupt stops it."""
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
                raise RuntimeError("a search that runs cannot be waited for in answer to a click")


def _main_loop() -> asyncio.AbstractEventLoop | None:
    """Return the loop of the main thread, in which a notebook's cells run; None elsewhere."""
    if threading.current_thread() is not threading.main_thread():
        return None
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _handle_interrupts(loop: asyncio.AbstractEventLoop) -> None:
    """Let an interrupt of the kernel stop the search that runs while no cell does.

    A cell that runs hears of interrupts itself.  Between two cells Jupyter's kernel ignores them;
    whatever else stands there is left as it is.
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
    """Wait a moment for the search before, and let clicks be answered soon while this one runs."""
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
    """Return whether the search before has ended, in a moment; then this one is the one."""
    if capabilities.can_start_threads():
        return _one_at_a_time.acquire(timeout=patience)
    late = time.monotonic() + patience
    while not (alone := _one_at_a_time.acquire(blocking=False)):
        if time.monotonic() > late or not capabilities.yield_to_browser():
            break
    return alone


def _yielding(work: Work) -> Work:
    """Return work that lets clicks have their turn while it runs, and ends when it is to stop.

    Without turns it is to stop after `MAX_SECONDS`.
    """

    def shared(progress: Progress, stop: Stop) -> Any:
        begun = turned = time.monotonic()
        listened = -ANSWER  # when it asked last: it may answer with its best so far

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

        def tell(share: float, best: Any) -> None:
            nonlocal turned
            before, turned = turned, time.monotonic()  # no turn in the middle of what is shown
            progress(share, best)
            turned = before

        def look(frame: FrameType | None) -> None:
            late = time.monotonic() >= turned + FORCED_YIELD_SECONDS
            unasked = late and not capabilities.is_importing(frame)
            if unasked and stopped() and time.monotonic() >= listened + ANSWER:
                raise SearchStopped

        with capabilities.polling(look):
            return work(tell, asked)

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
    except BaseException as error:  # sys.exit in a learner's agent must not end the thread unheard
        return RunOutcome("failed", error=error)
    return RunOutcome("stopped" if stop.is_set() else "done", result)
