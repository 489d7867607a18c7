"""The marking of a class by the workers of an executor."""

from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from dataclasses import replace

import pytest
from handins import SHORT, handed_in, with_solution

from tools.marking import cluster_pool, student_packages
from tools.marking.cluster_pool import mark_on_executor, mark_on_worker
from tools.marking.marking_pool import KILLED_NOTE, MarkingJob, mark_all

SEED = "a word"


def job_of(exercise):
    content = handed_in(SHORT, {exercise: with_solution(SHORT, exercise)})
    return MarkingJob("ann", "ann.ipynb", SHORT, content, True, exercise)


class Dying(Executor):
    """An executor whose workers die with each job before they take it, a number of times."""

    def __init__(self, deaths, marks):
        self.deaths, self.marks = deaths, marks

        self.batches = []

    def submit(self, function, version, restrictions, jobs, seed):
        future = Future()
        self.batches.append(len(jobs))
        if self.deaths:
            self.deaths -= 1
            future.set_exception(BrokenExecutor("killed"))
        else:
            future.set_result([self.marks] * len(jobs))
        return future


def test_executor_marks_as_this_machine(packages, monkeypatch):
    jobs = [job_of("e4"), job_of("e3")]
    here = dict(mark_all(jobs, SEED, packages, workers=1))
    monkeypatch.setattr(cluster_pool, "batch_size", len)
    with ThreadPoolExecutor(1) as executor:
        assert dict(mark_on_executor(jobs, SEED, executor)) == here
    assert all(marks.points > 0 for marks in here.values())


def test_lost_job_is_marked_again():
    job = job_of("e4")
    assert [*mark_on_executor([job], SEED, Dying(1, "marks"))] == [(job, "marks")]


def test_jobs_of_lost_batch_are_marked_alone():
    jobs = [replace(job_of("e4"), digest=str(number)) for number in range(16)]
    dying = Dying(1, "marks")
    marked = [job for job, _ in mark_on_executor(jobs, SEED, dying)]
    assert sorted(marked, key=jobs.index) == jobs
    assert dying.batches == [2] * 8 + [1] * 2


def test_job_that_is_always_lost_has_row():
    job = job_of("e4")
    [(_, marks)] = mark_on_executor([job], SEED, Dying(9, "marks"))
    assert (marks.points, marks.review_notes) == (0, [KILLED_NOTE])


def test_worker_with_other_version_marks_nothing(monkeypatch):
    monkeypatch.setattr(student_packages, "version", lambda: "another")
    with pytest.raises(RuntimeError, match="another version"):
        mark_on_worker("this", frozenset(), (job_of("e4"),), SEED)


def test_marker_that_cannot_run_is_named(monkeypatch):
    monkeypatch.setattr(cluster_pool, "PROGRAM", "raise SystemExit('no space left')")
    with pytest.raises(RuntimeError, match="no space left"):
        mark_on_worker(student_packages.version(), frozenset(), (job_of("e4"),), SEED)


def test_worker_with_weaker_sandbox_marks_nothing():
    needed = frozenset({"Restricted: it cannot do what no sandbox restricts."})
    with pytest.raises(RuntimeError, match="no sandbox restricts"):
        mark_on_worker(student_packages.version(), needed, (job_of("e4"),), SEED)
