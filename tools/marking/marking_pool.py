"""Each hand-in is marked by a process that marks nothing else: one that hangs costs itself only."""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from arena.sandbox.worker_io import exit_with_parent, limit_memory
from tools.marking.marker import Marks, mark_submission, no_marks

MAX_SECONDS = 900.0  # by the clock, for one hand-in: all limits inside are far shorter
MARKER_MEGABYTES = 1024  # of memory, on top of what a marker uses before it reads a hand-in
MAX_ATTEMPTS = 2  # of a process that is killed, by a system that is short of memory say
UNFINISHED_MESSAGE = (
    "The marking of this notebook did not come to its end: look at it yourself, or run it again."
)
MARKER_ERROR_MESSAGE = (
    "The marker has met a {error}, which it does not know: look at this notebook yourself."
)


@dataclass(frozen=True)
class MarkingJob:
    """A notebook to be marked.

    library  whether the program may call functions of the library that solve an exercise
    digest   the hash of everything that its marks depend on
    """

    student: str
    file: str
    notebook: str
    content: bytes
    library: bool
    digest: str


def mark_all(
    jobs: Sequence[MarkingJob], seed: str, packages: Path, workers: int
) -> Iterator[tuple[MarkingJob, Marks]]:
    """Yield each job with its marks, in the order in which they finish."""
    # Importing the lessons here saves each forked process the time; no student's code runs here.
    for notebook in {job.notebook for job in jobs}:
        import_module(f"course.lessons.{notebook.partition('_')[2]}.check")
    waiting = [(job, 1) for job in reversed(jobs)]  # the last one is the next
    free_cores = list(range(workers))
    running: dict[Any, _MarkingWorker] = {}  # by connection
    try:
        while waiting or running:
            while waiting and free_cores:
                worker = _MarkingWorker(*waiting.pop(), seed, packages, free_cores.pop())
                running[worker.connection] = worker
            now = time.monotonic()
            late = {
                connection
                for connection, worker in running.items()
                if now - worker.started > MAX_SECONDS
            }
            for connection in late.union(wait([*running], timeout=1)):
                worker = running.pop(connection)
                marks = worker.collect_marks()
                free_cores.append(worker.core_number)
                if marks is None and worker.attempt < MAX_ATTEMPTS and connection not in late:
                    waiting.append((worker.job, worker.attempt + 1))
                else:
                    yield worker.job, marks or no_marks(worker.job.notebook, UNFINISHED_MESSAGE)
    finally:
        for worker in running.values():
            worker.collect_marks()


class _MarkingWorker:
    """A process that marks one submission."""

    def __init__(
        self, job: MarkingJob, attempt: int, seed: str, packages: Path, core_number: int
    ) -> None:
        # A forked process is a copy of this one, in which no student's code has run.
        context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self.job, self.attempt, self.core_number, self.started = (
            job,
            attempt,
            core_number,
            time.monotonic(),
        )
        self.connection, theirs = context.Pipe(duplex=False)
        what = (theirs, job, seed, packages, core_number)
        self.process: Any = context.Process(target=mark_in_process, args=what, daemon=True)  # type: ignore[attr-defined]
        self.process.start()
        theirs.close()

    def collect_marks(self) -> Marks | None:
        """Return the marks that the process has sent, if any, and end the process."""
        found: Marks | None = None
        with suppress(EOFError, OSError):
            if self.connection.poll():
                found = self.connection.recv()
        self.process.kill()
        self.process.join()
        self.connection.close()
        return found


def mark_in_process(
    connection: Connection, job: MarkingJob, seed: str, packages: Path, core_number: int
) -> None:
    """Mark a submission and send its marks through the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    exit_with_parent()  # also if the parent is killed
    if sys.platform == "linux" and os.getppid() != multiprocessing.parent_process().pid:  # type: ignore[union-attr]
        return  # the parent was killed before this process could watch it
    # A marker and a student's process take turns hundreds of thousands of times, and waking a
    # process on another core costs more than the work of one turn.
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        with suppress(OSError):
            os.sched_setaffinity(0, [allowed[core_number % len(allowed)]])
    # It parses what a student wrote, and that can take a kilobyte for each character.
    limit_memory(MARKER_MEGABYTES)
    try:
        marks = mark_submission(job.content, job.notebook, seed, packages, library=job.library)
    except Exception as error:  # of the marker: a student's errors are not raised here
        marks = no_marks(job.notebook, MARKER_ERROR_MESSAGE.format(error=type(error).__name__))
    connection.send(marks)
