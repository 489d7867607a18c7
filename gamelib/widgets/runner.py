"""Searches that run while the notebook stays alive: one thread, with progress and Stop."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from gamelib.search.limits import Progress, SearchStopped, Stop

Work = Callable[[Progress, Stop], Any]

_one_at_a_time = threading.Lock()  # held by the search that runs: one in a kernel
_running: SearchRunner | None = None


@dataclass(frozen=True)
class Outcome:
    """How a piece of work ended: with a result, with an error, or stopped."""

    status: Literal["done", "failed", "stopped"]
    result: Any = None
    error: BaseException | None = None


class SearchRunner:
    """Runs `work(progress, stop)` in a thread of its own, and tells how it ended.

    A new search stops the one before it, in the whole kernel: two threads would only take turns.
    A search that does not listen to `stop` cannot be ended; it is left alone, and what it answers
    is thrown away.
    """

    PATIENCE = 0.3  # seconds that a new search waits for the one before it
    SLICE = 0.001  # seconds a search computes before a click gets its turn; Python's 0.005 is felt

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._token = 0
        self._busy = False
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
        on_progress: Callable[[float, Any], object],
        on_end: Callable[[Outcome], object],
    ) -> None:
        """Start `work`; the functions are called in its thread, and never once it is outdated."""
        global _running
        if _running is not None:
            _running.stop()
        _running = self
        self.stop()
        self._stop = stop = threading.Event()
        self._token = token = self._token + 1
        self._busy = True
        self._over.clear()

        def tell(share: float, best: Any) -> None:
            if token == self._token:
                on_progress(share, best)

        def run() -> None:
            alone = _one_at_a_time.acquire(timeout=self.PATIENCE)
            interval = sys.getswitchinterval()
            try:
                if alone:
                    sys.setswitchinterval(min(interval, self.SLICE))
                outcome = _outcome(work, tell, stop)
            finally:
                if alone:
                    sys.setswitchinterval(interval)
                    _one_at_a_time.release()
            if token != self._token:
                return
            self._busy = False
            try:
                on_end(outcome)
            finally:
                if token == self._token:  # else on_end has started another search
                    self._over.set()

        self._thread = threading.Thread(target=run, name="gamelib search", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # a platform without threads: search here and now
            run()

    def stop(self) -> None:
        """Ask the search to stop; it answers with its best so far."""
        self._stop.set()

    def discard(self) -> None:
        """Stop the search and never hear of it again."""
        self.stop()
        self._token += 1
        self._busy = False
        self._over.set()

    def wait(self) -> None:
        """Return when the search, and any that its end started, is over; an interrupt stops it."""
        if threading.current_thread() is self._thread:
            return
        try:
            self._over.wait()
        except KeyboardInterrupt:
            self.stop()
            raise


def _outcome(work: Work, progress: Progress, stop: threading.Event) -> Outcome:
    if stop.is_set():
        return Outcome("stopped")
    try:
        result = work(progress, stop.is_set)
    except SearchStopped:
        return Outcome("stopped")
    except BaseException as error:  # sys.exit in a learner's agent must not end the thread unheard
        return Outcome("failed", error=error)
    return Outcome("stopped" if stop.is_set() else "done", result)
