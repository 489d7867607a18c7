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

from arena.sandbox.worker_io import exit_with_parent
from tools.marking.marker import Marks, marked, unmarked

SECONDS = 900.0  # by the clock, for one hand-in: all limits inside are far shorter
ATTEMPTS = 2  # of a process that is killed, by a system that is short of memory say
NO_END = (
    "The marking of this notebook did not come to its end: look at it yourself, or run it again."
)
FAILED = "The marker has met a {error}, which it does not know: look at this notebook yourself."


@dataclass(frozen=True)
class Job:
    """A notebook to be marked; `digest` tells it from all others, with the seed and the version.

    library  whether functions of the library may do what an exercise asks for
    """

    student: str
    file: str
    notebook: str
    content: bytes | None
    library: bool
    digest: str


def all_marks(
    jobs: Sequence[Job], seed: str, tree: Path, workers: int
) -> Iterator[tuple[Job, Marks]]:
    """Yield each job with its marks, in the order in which they are done."""
    # Loaded here, a lesson need not be loaded by each process; nothing of a student runs here.
    for notebook in {job.notebook for job in jobs}:
        import_module(f"course.lessons.{notebook.partition('_')[2]}.check")
    waiting = [(job, 1) for job in reversed(jobs)]  # the last one is the next
    places = list(range(workers))
    crew: dict[Any, _Marker] = {}
    try:
        while waiting or crew:
            while waiting and places:
                one = _Marker(*waiting.pop(), seed, tree, places.pop())
                crew[one.line] = one
            late = {line for line, one in crew.items() if time.monotonic() - one.since > SECONDS}
            for line in late.union(wait([*crew], timeout=1)):
                one = crew.pop(line)
                marks = one.marks()
                places.append(one.place)
                if marks is None and one.attempt < ATTEMPTS and line not in late:
                    waiting.append((one.job, one.attempt + 1))
                else:
                    yield one.job, marks or unmarked(one.job.notebook, NO_END)
    finally:
        for one in crew.values():
            one.marks()


class _Marker:
    """A process that marks one hand-in."""

    def __init__(self, job: Job, attempt: int, seed: str, tree: Path, place: int) -> None:
        # A fork is a copy of a process in which no hand-in has run; elsewhere it is a new one.
        context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self.job, self.attempt, self.place, self.since = job, attempt, place, time.monotonic()
        self.line, theirs = context.Pipe(duplex=False)
        what = (theirs, job, seed, tree, place)
        self.process: Any = context.Process(target=work, args=what, daemon=True)  # type: ignore[attr-defined]
        self.process.start()
        theirs.close()

    def marks(self) -> Marks | None:
        """Return what it has sent, if that is all there; it has ended then."""
        found: Marks | None = None
        with suppress(EOFError, OSError):
            if self.line.poll():
                found = self.line.recv()
        self.process.kill()
        self.process.join()
        self.line.close()
        return found


def work(line: Connection, job: Job, seed: str, tree: Path, place: int) -> None:
    """Send the marks of a hand-in."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this process ends it
    exit_with_parent()  # or is killed
    if sys.platform == "linux" and os.getppid() != multiprocessing.parent_process().pid:  # type: ignore[union-attr]
        return  # it was killed before this process had asked to be told
    # A marker and a student's process take turns, hundreds of thousands of times for a hand-in: to
    # wake a process on another core costs more than what there is to do.
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        with suppress(OSError):
            os.sched_setaffinity(0, [allowed[place % len(allowed)]])
    try:
        marks = marked(job.content, job.notebook, seed, tree, library=job.library)
    except Exception as error:  # of ours: no student's is raised here
        marks = unmarked(job.notebook, FAILED.format(error=type(error).__name__))
    line.send(marks)
