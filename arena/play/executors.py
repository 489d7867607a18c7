"""Games that the workers of any executor play, perhaps on other machines.

The workers must have the same version of this course, and must protect themselves from agents in
files at least as well as this machine.  Each game checks that, because workers come and go.
"""

from __future__ import annotations

import platform
import threading
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import nullcontext
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Self

import gamelib
from arena import capabilities
from arena.play.worker_pool import ATTEMPTS, IN_FLIGHT, Pool, WorkerPool, play_in_worker
from arena.results.game_records import GameRecord, Job
from arena.sandbox.containment import RESTRICTED_MESSAGES, contained
from arena.sandbox.file_agent import FileAgent
from gamelib.agents import Agent
from gamelib.state import GameState, as_int

# The packages whose source code determines a game.
COURSE_PACKAGES = ("gamelib", "gamefast", "arena", "course")
# A function may use the module `random`, whose state all threads of a process share.
_one_game = threading.Lock()


class WorkerError(RuntimeError):
    """The error of a worker that must not play, which says why and what to do."""


class Requirements(NamedTuple):
    """What a worker must have to play the games of a run.

    version       of the course, as `course_version` returns it
    restrictions  of agents in files that this machine's sandbox has; None if there are no such
                  agents
    """

    version: str
    restrictions: frozenset[str] | None


class ExecutorPool:
    """The workers of an executor of `concurrent.futures`, which the user closes."""

    loses_all = False

    def __init__(self, executor: Executor, agents: Sequence[Agent]) -> None:
        if not callable(getattr(executor, "submit", None)):
            raise TypeError(
                "executor must be an executor of concurrent.futures, with a method submit; "
                f"got {executor!r}"
            )
        if any(agent.logs for agent in agents if isinstance(agent, FileAgent)):
            raise ValueError(
                "logs cannot be kept with an executor, because its workers may be on other "
                "machines; leave out logs"
            )
        self._executor, self._needed = executor, requirements(agents)

    @property
    def max_jobs_in_flight(self) -> int:
        """The number of games to submit at a time."""
        number: int = getattr(self._executor, "max_jobs_in_flight", IN_FLIGHT)
        return number

    def submit(
        self, job: Job, agents: Mapping[int, Agent], state: GameState, players: Collection[int]
    ) -> Future[GameRecord]:
        """Return the future record of a game."""
        return self._executor.submit(play_on_worker, self._needed, job, agents, state, players)

    def replace_workers(self, error: BaseException, deaths: int) -> Self:
        """Return this pool, whose executor has other workers; RuntimeError after many deaths."""
        if deaths < ATTEMPTS:
            return self
        raise RuntimeError(
            f"the workers of the executor lost a game {deaths} times ({error}).  Make sure that "
            "its workers run, that they can import this course, and that they have enough memory"
        ) from error

    def close(self, at_once: bool) -> None:
        """Do nothing, because the executor belongs to the user."""


def choose_pool(executor: Executor | None, workers: int, agents: Sequence[Agent]) -> Pool | None:
    """Return the pool of a run; None to play in this process, with one worker or in a browser."""
    if (as_int(workers) or 0) < 1:
        raise ValueError(f"workers must be an int, 1 or more; got {workers!r}")
    if executor is not None:
        return ExecutorPool(executor, agents)
    return WorkerPool(workers) if workers > 1 and capabilities.can_start_processes() else None


def requirements(agents: Sequence[Agent]) -> Requirements:
    """Return what a worker must have to play games between these agents."""
    in_files = any(isinstance(agent, FileAgent) for agent in agents)
    return Requirements(course_version(), sandbox_restrictions() if in_files else None)


@cache
def course_version() -> str:
    """Return the version of the course, with a digest of the code that plays games."""
    digest, root = sha256(), Path(gamelib.__file__).parents[1]
    for package in COURSE_PACKAGES:
        for path in sorted(root.glob(f"{package}/**/*.py")):
            digest.update(path.read_bytes())
    return f"{gamelib.__version__} ({digest.hexdigest()[:8]})"


@cache
def sandbox_restrictions() -> frozenset[str]:
    """Return the sentences on what this machine's sandbox restricts, which takes a second."""
    return frozenset(contained()) & frozenset(RESTRICTED_MESSAGES.values())


def check_worker(needed: Requirements) -> None:
    """Raise a WorkerError unless this process has what is needed."""
    where = f"the worker on {platform.node() or 'another machine'}"
    if course_version() != needed.version:
        raise WorkerError(
            f"{where} has version {course_version()} of this course, and this machine has "
            f"{needed.version}.  Install the same version there, and start the worker again"
        )
    if needed.restrictions is not None:
        check_sandbox(needed.restrictions)


def check_sandbox(needed: frozenset[str]) -> None:
    """Raise a WorkerError unless this process restricts untrusted programs as is needed."""
    where = f"the worker on {platform.node() or 'another machine'}"
    if not capabilities.can_start_processes():
        raise WorkerError(f"{where} cannot start processes, in which untrusted programs must run")
    if missing := sorted(needed - sandbox_restrictions()):
        raise WorkerError(
            f"{where} restricts untrusted programs less than this machine does.  This does not "
            f"hold there: {' '.join(missing)}  Stop this worker, and give the same command again"
        )


def play_on_worker(
    needed: Requirements,
    job: Job,
    agents: Mapping[int, Agent],
    state: GameState,
    players: Collection[int],
) -> GameRecord:
    """Return the record of a game; RuntimeError, which can be sent, if it cannot be played here."""
    check_worker(needed)
    in_files = all(isinstance(agent, FileAgent) for agent in agents.values())
    with nullcontext() if in_files else _one_game:
        return play_in_worker(job, agents, state, players)
