"""The marking of a class on the workers of a cluster, which have a clone of this project.

A new process of Python on a worker marks a few submissions, as `tools.marking.marking_pool` does
here: a worker of dask has threads, and may not start the processes of the marker itself.
"""

import pickle
import platform
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena.play.executors import check_sandbox, sandbox_restrictions
from arena.sandbox.worker_io import exit_with_parent
from tools.marking import student_packages
from tools.marking.marker import Marks
from tools.marking.marking_pool import (
    KILLED_NOTE,
    MAX_ATTEMPTS,
    MAX_SECONDS,
    MarkingJob,
    mark_all,
    unfinished_marks,
)

ROOT = Path(__file__).parents[2]
START_SECONDS = 120.0  # for a worker to start Python and to copy the students' packages
MAX_IN_FLIGHT = 64
MAX_BATCH = 4  # submissions for one process, which needs 3 seconds before it marks the first one
PROGRAM = "from tools.marking.cluster_pool import main; main()"


def mark_on_executor(
    jobs: Sequence[MarkingJob], seed: str, executor: Executor
) -> Iterator[tuple[MarkingJob, Marks]]:
    """Yield each job with its marks, in the order in which they finish.

    A job that is lost with its worker is marked again.  RuntimeError if a worker has another
    version of this project, if it restricts students' programs less than this machine does, or if
    its marker cannot run.
    """
    needed = student_packages.version(), sandbox_restrictions()
    size = batch_size(jobs)
    batches = [tuple(jobs[start : start + size]) for start in range(0, len(jobs), size)]
    waiting = deque((batch, 1) for batch in batches)
    running: dict[Any, tuple[tuple[MarkingJob, ...], int]] = {}  # by future
    try:
        while waiting or running:
            while waiting and len(running) < getattr(executor, "max_jobs_in_flight", MAX_IN_FLIGHT):
                batch, attempt = waiting.popleft()
                running[executor.submit(mark_on_worker, *needed, batch, seed)] = batch, attempt
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                batch, attempt = running.pop(future)
                try:
                    yield from zip(batch, future.result(), strict=True)
                except (BrokenExecutor, CancelledError):
                    if attempt < MAX_ATTEMPTS:
                        # Alone, for one of them may be what kills its worker.
                        waiting.extend(((job,), attempt + 1) for job in batch)
                        continue
                    for job in batch:
                        marks = unfinished_marks(job.notebook)
                        marks.review_notes.append(KILLED_NOTE)
                        yield job, marks
    finally:
        for future in running:
            future.cancel()


def batch_size(jobs: Sequence[MarkingJob]) -> int:
    """Return how many submissions a process marks: few, so that a small class has work for all."""
    return max(1, min(MAX_BATCH, len(jobs) // 8))


def mark_on_worker(
    version: str, restrictions: frozenset[str], jobs: tuple[MarkingJob, ...], seed: str
) -> list[Marks]:
    """Return the marks of each submission, made by a new process; RuntimeError if it fails."""
    where = f"the worker on {platform.node() or 'another machine'}"
    if student_packages.version() != version:
        raise RuntimeError(
            f"{where} has another version of this project.  Check out the same commit there, and "
            "start the worker again"
        )
    check_sandbox(restrictions)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=pickle.dumps((jobs, seed)),
        capture_output=True,
        cwd=ROOT,
        timeout=MAX_SECONDS * MAX_ATTEMPTS * len(jobs) + START_SECONDS,
    )
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().split("\n")[-1:]
        raise RuntimeError(f"the marker cannot run on {where}: {' '.join(last)}")
    marks: list[Marks] = pickle.loads(done.stdout)
    return marks


def main() -> None:
    """Read submissions of one notebook from stdin, and write the marks of each to stdout."""
    exit_with_parent()
    jobs, seed = pickle.loads(sys.stdin.buffer.read())
    with TemporaryDirectory(prefix="marking-") as folder:
        packages = student_packages.write_packages(Path(folder), jobs[0].notebook)
        marked = {job.digest: marks for job, marks in mark_all(jobs, seed, packages, workers=1)}
    sys.stdout.buffer.write(pickle.dumps([marked[job.digest] for job in jobs]))
