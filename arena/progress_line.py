"""One line in a terminal that says how much of a long run is done, and how much time is left."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from time import monotonic

SECONDS_BETWEEN_LINES = 0.2


@contextmanager
def progress_line(total: int, unit: str) -> Iterator[Callable[[int, bool], None]]:
    """Yield `update(done, earlier)`, to be called whenever more of the units are done.

    `earlier` says that the newest ones were done in an earlier run, so that they say nothing about
    the speed of this one.  Nothing is written if standard error is not a terminal.
    """
    begun = shown = monotonic()
    last = skipped = 0

    def update(done: int, earlier: bool) -> None:
        nonlocal last, shown, skipped
        skipped += done - last if earlier else 0
        last, now = done, monotonic()
        if not sys.stderr.isatty() or (now - shown < SECONDS_BETWEEN_LINES and done < total):
            return
        shown = now
        line = f"{done:,} of {total:,} {unit}"
        if done > skipped:
            left = (now - begun) / (done - skipped) * (total - done)
            line += f", {timedelta(seconds=round(left))} left"
        print(f"\r{line:<60}", end="", file=sys.stderr, flush=True)

    try:
        yield update
    finally:
        if sys.stderr.isatty():
            print(file=sys.stderr)
