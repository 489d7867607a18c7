"""Each hand-in is marked by a process that marks nothing else: one that hangs costs itself only."""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from arena.sandbox.spawn import has_lost_processes, shared_fork_server
from arena.sandbox.worker_io import exit_with_parent, limit_memory
from tools.marking.marker import (
    ExerciseResult,
    Marks,
    mark_submission,
    no_marks,
    prepare_checks,
)
from tools.marking.rpc_client import PROCESS_MODULE

MAX_SECONDS = 900.0  # by the clock, for one hand-in: its own limits count computing
MARKER_MEGABYTES = 1024  # of memory, on top of what a marker uses before it reads a hand-in
MAX_ATTEMPTS = 2  # of a process that is killed, by a system that is short of memory say
UNFINISHED_MESSAGE = (
    "The marking of this notebook was ended before it was complete. What was judged until then "
    "counts, and your lecturer is told."
)
KILLED_NOTE = "its marking was killed: look at it yourself, or run the same command again."
LATE_NOTE = f"its marking took more than {MAX_SECONDS:.0f} seconds: look at it yourself."
MARKER_ERROR_NOTE = "the marker has met a {error}, which it does not know: look at it yourself."
NOT_JUDGED_MESSAGE = "this exercise was not judged."


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
    # This saves each forked process the time, and no student's code runs here.
    for notebook in {job.notebook for job in jobs}:
        prepare_checks(notebook, seed)
    with shared_fork_server(PROCESS_MODULE, packages):
        yield from _mark_in_processes(jobs, seed, packages, workers)


def _mark_in_processes(
    jobs: Sequence[MarkingJob], seed: str, packages: Path, workers: int
) -> Iterator[tuple[MarkingJob, Marks]]:
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
                worker = running[connection]
                if connection not in late and not worker.is_done():
                    continue
                del running[connection]
                marks = worker.collect_marks()
                free_cores.append(worker.core_number)
                if marks is None and worker.attempt < MAX_ATTEMPTS and connection not in late:
                    waiting.append((worker.job, worker.attempt + 1))
                else:
                    note = LATE_NOTE if connection in late else KILLED_NOTE
                    yield worker.job, marks or worker.unfinished_marks(note)
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
        self.results: list[ExerciseResult] = []  # that have been judged so far
        self.marks: Marks | None = None
        self.connection, theirs = context.Pipe(duplex=False)
        what = (theirs, job, seed, packages, core_number)
        self.process: Any = context.Process(target=mark_in_process, args=what, daemon=True)  # type: ignore[attr-defined]
        self.process.start()
        theirs.close()

    def is_done(self) -> bool:
        """Take what it has sent; return whether that was the last, or it has ended without it."""
        try:
            message = self.connection.recv()
        except (EOFError, OSError):
            return True
        if isinstance(message, Marks):
            self.marks = message
        else:
            self.results.append(message)
        return self.marks is not None

    def collect_marks(self) -> Marks | None:
        """Return the marks, if all that it has sent is there; it has ended then."""
        self.process.kill()
        self.process.join()
        while self.marks is None and self.connection.poll() and not self.is_done():
            pass
        self.connection.close()
        return self.marks

    def unfinished_marks(self, note: str) -> Marks:
        """Return what has been judged, and no points for the rest; `note` is for the lecturer."""
        marks, known = (
            unfinished_marks(self.job.notebook),
            {each.key: each for each in self.results},
        )
        marks.results = [known.get(each.key, each) for each in marks.results]
        return replace(marks, review_notes=[note])


def unfinished_marks(notebook: str) -> Marks:
    """Return no points for a hand-in whose marking was ended."""
    return no_marks(notebook, UNFINISHED_MESSAGE, NOT_JUDGED_MESSAGE)


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
        marks = mark_submission(
            job.content,
            job.notebook,
            seed,
            packages,
            library=job.library,
            report=connection.send,
        )
    except Exception as error:  # of ours: no student's is raised here
        marks = unfinished_marks(job.notebook)
        marks.review_notes.append(MARKER_ERROR_NOTE.format(error=type(error).__name__))
    # A student's programs that have ended with the fork server have done nothing wrong.  Without
    # marks, this hand-in is marked again.
    if not has_lost_processes(PROCESS_MODULE, packages):
        connection.send(marks)
