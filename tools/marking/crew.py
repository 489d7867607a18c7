"""Workers that mark, each in a process of its own: one that hangs costs one hand-in only."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from tools.marking.marker import Marks, Verdict, marked, unmarked

SECONDS = 900.0  # by the clock, for one hand-in: all limits inside are far shorter
NO_END = "The marking of this notebook did not come to its end: look at it yourself."


@dataclass(frozen=True)
class Job:
    """A notebook to be marked; `digest` tells it from all others, with the seed and the version."""

    student: str
    file: str
    notebook: str
    content: bytes | None
    digest: str


def all_marks(
    jobs: Sequence[Job], seed: str, tree: Path, workers: int
) -> Iterator[tuple[Job, Marks]]:
    """Yield each job with its marks, in the order in which they are done."""
    waiting = list(jobs)[::-1]
    crew = [_Worker(seed, tree, place) for place in range(min(workers, len(waiting)))]
    try:
        while waiting or any(worker.job for worker in crew):
            for worker in crew:
                if worker.job is None and waiting:
                    worker.begin(waiting.pop())
            wait([worker.line for worker in crew if worker.job], timeout=1)
            for number, worker in enumerate(crew):
                job = worker.job
                if job and (marks := worker.result()):
                    if worker.ended:
                        crew[number] = _Worker(seed, tree, number)
                    yield job, marks
    finally:
        for worker in crew:
            worker.end()


class _Worker:
    def __init__(self, seed: str, tree: Path, place: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, seed, tree, place), daemon=True)
        self.process.start()
        theirs.close()
        self.job: Job | None = None
        self.ended = False

    def begin(self, job: Job) -> None:
        self.job, self.since = job, time.monotonic()
        self.line.send((job.content, job.notebook))

    def result(self) -> Marks | None:
        """Return the marks of the job if they are there, or if it is given up."""
        job = self.job
        assert job
        try:
            if self.line.poll():
                self.job = None
                return marks_of(self.line.recv())
            late = time.monotonic() - self.since > SECONDS
        except (EOFError, OSError):
            late = True
        if not late:
            return None
        self.end()
        self.job = None
        return unmarked(job.notebook, NO_END)

    def end(self) -> None:
        self.ended = True
        self.process.kill()
        self.process.join()
        self.line.close()


def work(line: Connection, seed: str, tree: Path, place: int) -> None:
    """Mark what comes through the line, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this process ends it
    stay_on_one_core(place)
    with suppress(EOFError, BrokenPipeError):
        while True:
            content, notebook = line.recv()
            line.send(asdict(marked(content, notebook, seed, tree)))


def stay_on_one_core(place: int) -> None:
    """Keep this process, and those that it starts, on one core, where the system can.

    A marker and a student's process take turns, hundreds of thousands of times for a hand-in: to
    wake a process on another core costs more than what there is to do.
    """
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        with suppress(OSError):
            os.sched_setaffinity(0, allowed[place % len(allowed) :][:1])


def marks_of(data: dict[str, Any]) -> Marks:
    """Return marks that were stored, or sent, as plain data."""
    return Marks(**data | {"verdicts": [Verdict(**each) for each in data["verdicts"]]})
