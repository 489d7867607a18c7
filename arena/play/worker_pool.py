"""The games that workers play at the same time, and the pool of worker processes of this machine.

`arena.play.executors` has the pool of workers that belong to an executor of the user.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, Self

from arena.play.match import play_job, replay_for_audit
from arena.results.game_records import GameRecord, Job
from gamelib.agents import Agent, agent_name
from gamelib.search.callbacks import Stop
from gamelib.state import GameState

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Games = Generator[GameRecord, None, None]
# Returns the next games, which may depend on the games played, and for each the players to audit.
NextJobs = Callable[[], Sequence[tuple[Job, tuple[int, ...]]]]

IN_FLIGHT = 64  # games in the pool at a time: enough for many cores, few enough to cancel
ATTEMPTS = 3  # to play a game, before its loss is an error
STOP_POLL_SECONDS = 0.2  # between two checks of `stop`


def play_in_process(
    next_jobs: NextJobs, agents: Sequence[Agent], state: GameState, stop: Stop | None
) -> Games:
    """Yield the record of each game when it ends, played in this process."""
    while jobs := next_jobs():
        for job, players in jobs:
            yield replay_for_audit(play_job(job, agents, state, stop), agents, state, players)


class Pool(Protocol):
    """Workers that play games."""

    @property
    def max_jobs_in_flight(self) -> int:
        """The number of games to submit at a time."""

    @property
    def loses_all(self) -> bool:
        """Whether the death of one worker loses all games that have been submitted."""

    def submit(
        self, job: Job, agents: Mapping[int, Agent], state: GameState, players: Collection[int]
    ) -> Future[GameRecord]:
        """Return the future record of a game, with audits of these players."""

    def replace_workers(self, error: BaseException, deaths: int) -> Self:
        """Return a pool to continue with; RuntimeError if a game was lost too often, `deaths`."""

    def close(self, at_once: bool) -> None:
        """End the work; with `at_once`, even in the middle of a game."""


def play_in_workers(
    next_jobs: NextJobs,
    agents: Sequence[Agent],
    state: GameState,
    stop: Stop | None,
    pool: Pool,
) -> Games:
    """Yield the record of each game when it ends, played by the workers of a pool.

    The games of workers that have died are played again.  RuntimeError if that does not help, or if
    the game has a bug; TypeError if the agents or the state cannot be sent.
    """
    for agent in agents:
        check_picklable(agent, f"the agent {agent_name(agent)}")
    check_picklable(state, f"a position of {type(state).__name__}")
    waiting, lost = deque(next_jobs()), Counter[int]()
    playing: dict[Future[GameRecord], tuple[Job, tuple[int, ...]]] = {}
    try:
        while waiting or playing or (waiting := deque(next_jobs())):
            while waiting and len(playing) < pool.max_jobs_in_flight:
                job, players = waiting.popleft()
                seated = {index: agents[index] for index in job.seats}
                playing[pool.submit(job, seated, state, players)] = job, players
            ended = wait(playing, STOP_POLL_SECONDS, FIRST_COMPLETED).done
            errors = {future: error for future in ended if (error := _loss(future))}
            # A game counts once: what a worker may still send for a lost future is never read.
            for future in [*playing] if errors and pool.loses_all else errors:
                waiting.appendleft(again := playing.pop(future))
                lost[again[0].game] += 1
            if errors:
                pool = pool.replace_workers(next(iter(errors.values())), max(lost.values()))
            for future in ended & playing.keys():
                del playing[future]
                yield future.result()
            if stop and stop():
                return
    finally:
        for future in playing:
            future.cancel()
        pool.close(at_once=bool(waiting or playing))


def _loss(future: Future[GameRecord]) -> BaseException | None:
    """Return the error of a game that is lost with its worker; None if the game has ended."""
    try:
        error = future.exception()
    except CancelledError as cancelled:  # by the executor: this module cancels at the end only
        return cancelled
    return error if isinstance(error, BrokenExecutor) else None


def play_in_worker(
    job: Job, agents: Mapping[int, Agent], state: GameState, players: Collection[int]
) -> GameRecord:
    """Return the record of a game; RuntimeError, which can be sent, if it cannot be played."""
    try:
        return replay_for_audit(play_job(job, agents, state), agents, state, players)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise RuntimeError(f"game {job.game} cannot be played: {reason}") from None


class WorkerPool:
    """A pool of worker processes, which end when this process ends, in whatever way."""

    max_jobs_in_flight, loses_all = IN_FLIGHT, True

    def __init__(self, workers: int) -> None:
        # Imported here, because a Python without processes lacks these modules.
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # Processes are spawned, because a fork of a process with threads, such as Jupyter's, may
        # hang.
        self._workers, context = workers, get_context("spawn")
        reader, self._alive = context.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(
            workers, mp_context=context, initializer=_exit_with_parent, initargs=(reader,)
        )

    def submit(self, *game: Any) -> Future[GameRecord]:
        """Return the future record of a game; its exception is a BrokenExecutor if it is lost."""
        try:
            return self._executor.submit(play_in_worker, *game)
        except BrokenExecutor as error:  # no other future has reported it yet
            future = Future[GameRecord]()
            future.set_exception(error)
            return future

    def replace_workers(self, error: BaseException, deaths: int) -> WorkerPool:
        """Return new workers; RuntimeError if a game was lost too often, `deaths` times."""
        self.close(at_once=True)
        if deaths < ATTEMPTS:
            return WorkerPool(self._workers)
        raise RuntimeError(
            f"the worker processes ended {deaths} times before a game did.  Make sure that there "
            "is enough memory, and that a script makes its calls under `if __name__ == '__main__':`"
        ) from error

    def close(self, at_once: bool) -> None:
        """End the processes; with `at_once`, even in the middle of a game."""
        if at_once:
            self._alive.close()  # every worker waits for the end of this pipe
        self._executor.shutdown(cancel_futures=True)
        self._alive.close()


def _exit_with_parent(alive: Connection) -> None:
    """Make this worker exit when the pipe `alive` is closed, or when its owner has died.

    The processes of its agents exit with it; see `arena.sandbox.fork_server`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the owner handles it
    threading.Thread(target=lambda: (alive.poll(None), os._exit(1)), daemon=True).start()


def check_picklable(value: Agent | GameState, name: str) -> None:
    """Raise a TypeError if an agent or a position cannot be sent to another process.

    Examples are a function of a notebook, a lambda, or a position of a game defined in a notebook.
    """
    from multiprocessing.reduction import ForkingPickler

    with suppress(Exception):  # a value that cannot be sent may raise anything
        if b"__main__" not in bytes(ForkingPickler.dumps(value)):
            return
    raise TypeError(
        f"{name} cannot be sent to another process, because not all of its functions and classes "
        "are in modules that can be imported.  Put them into a .py file and import them from "
        "there, or play with workers=1"
    )
