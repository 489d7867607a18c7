"""Callbacks of a search, `progress` and `stop`, and how a search polls them while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypedDict

from gamelib.state import Action

Progress = Callable[[float, Action], object]
Stop = Callable[[], bool]


class Callbacks(TypedDict, total=False):
    """The callbacks by which a caller observes and stops a running search.

    progress  `progress(fraction, best)` gets the fraction done, 0 to 1, and the best action so far
    stop      `stop()` returns true if the search must end and return the best action so far
    """

    progress: Progress | None
    stop: Stop | None


class SearchStopped(Exception):  # noqa: N818 - a signal like StopIteration, not an error
    """The exception that ends a search when `stop` returns true; it returns its best so far."""


class Poller:
    """An object that calls `progress` and `stop` 30 times a second, however often it is called."""

    SECONDS_PER_POLL = 0.03

    def __init__(self, progress: Progress | None, stop: Stop | None) -> None:
        self._progress, self._stop, self._next = progress, stop, 0.0

    def is_due(self) -> bool:
        """Return whether a call would do anything now, so that its arguments are needed."""
        return time.perf_counter() >= self._next

    def __call__(self, fraction: float, best: Action) -> None:
        """Report the fraction done (0 to 1) and the best action so far; may raise SearchStopped."""
        if not self.is_due():
            return
        self._next = time.perf_counter() + self.SECONDS_PER_POLL
        if self._progress:
            self._progress(fraction, best)
        if self._stop and self._stop():
            raise SearchStopped


def poller_or_none(progress: Progress | None = None, stop: Stop | None = None) -> Poller | None:
    """Return a `Poller`, or None if there are no callbacks, so that a search can skip the call."""
    return Poller(progress, stop) if progress or stop else None
