"""Playing many games elsewhere: in worker processes."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from arena.play.match import play_job, replay_for_audit
from arena.results.game_records import GameRecord, Job
from gamelib.agents import Agent, agent_name
from gamelib.search.callbacks import Stop
from gamelib.state import GameState

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Games = Generator[GameRecord, None, None]
# What is to be played next, which may depend on what was played; and whose part in it is audited.
NextJobs = Callable[[], Sequence[tuple[Job, tuple[int, ...]]]]

IN_FLIGHT = 64  # games handed out at a time: enough for many cores, few enough to call back
ATTEMPTS = 3  # how often a game is handed out before its loss is an error
STOP_POLL_SECONDS = 0.2  # seconds between two looks at `stop`


def play_in_process(
    next_jobs: NextJobs, agents: Sequence[Agent], state: GameState, stop: Stop | None
) -> Games:
    """Yield the record of each game as it ends, played in this process."""
    while jobs := next_jobs():
        for job, players in jobs:
            yield replay_for_audit(play_job(job, agents, state, stop), agents, state, players)


def play_in_workers(
    next_jobs: NextJobs,
    agents: Sequence[Agent],
    state: GameState,
    stop: Stop | None,
    *,
    workers: int,
) -> Games:
    """Yield the record of each game as it ends, played by worker processes.

    The games of workers that have died are handed out again.  RuntimeError if that does not help,
    or for a mistake of the game; TypeError if the agents or the state cannot be sent.
    """
    for agent in agents:
        check_picklable(agent, f"the agent {agent_name(agent)}")
    check_picklable(state, f"a position of {type(state).__name__}")
    crew, todo, lost = _WorkerPool(workers), deque(next_jobs()), Counter[int]()
    playing: dict[Future[GameRecord], tuple[Job, tuple[int, ...]]] = {}
    try:
        while todo or playing or (todo := deque(next_jobs())):
            while todo and len(playing) < IN_FLIGHT:
                job, players = todo.popleft()
                its = {index: agents[index] for index in job.seats}
                playing[crew.submit(job, its, state, players)] = job, players
            for future in wait(playing, STOP_POLL_SECONDS, FIRST_COMPLETED).done:
                if isinstance(error := future.exception(), BrokenExecutor):  # so all have died
                    todo.extendleft(playing.values())
                    lost.update(job.game for job, _ in playing.values())
                    playing.clear()
                    crew = crew.replace_workers(error, max(lost.values()))
                    break
                del playing[future]
                yield future.result()
            if stop and stop():
                return
    finally:
        for future in playing:
            future.cancel()
        crew.close(at_once=bool(todo or playing))


def play_in_worker(
    job: Job, agents: Mapping[int, Agent], state: GameState, players: Collection[int]
) -> GameRecord:
    """Return the record of a game; RuntimeError, which can be sent, where it cannot be played."""
    try:
        return replay_for_audit(play_job(job, agents, state), agents, state, players)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise RuntimeError(f"game {job.game} cannot be played: {why}") from None


class _WorkerPool:
    """Worker processes.  They end with this process, however it ends."""

    def __init__(self, workers: int) -> None:
        # Not needed before, and not there without processes.
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # Spawned, not forked: a fork of a process with threads, such as Jupyter's, may hang.
        self._workers, context = workers, get_context("spawn")
        reader, self._alive = context.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(
            workers, mp_context=context, initializer=_exit_with_parent, initargs=(reader,)
        )

    def submit(self, *work: Any) -> Future[GameRecord]:
        try:
            return self._executor.submit(play_in_worker, *work)
        except BrokenExecutor as error:  # nobody has heard of it yet
            future = Future[GameRecord]()
            future.set_exception(error)
            return future

    def replace_workers(self, error: BaseException, deaths: int) -> _WorkerPool:
        """Return new workers; RuntimeError where a game has seen so many deaths."""
        self.close(at_once=True)
        if deaths < ATTEMPTS:
            return _WorkerPool(self._workers)
        raise RuntimeError(
            f"the worker processes ended {deaths} times before a game did.  Is there enough "
            "memory?  A script that uses workers must make its calls under "
            "`if __name__ == '__main__':`"
        ) from error

    def close(self, at_once: bool) -> None:
        """End the processes, those that are in the middle of a game too."""
        if at_once:
            self._alive.close()  # every worker waits at the other end of this pipe
        self._executor.shutdown(cancel_futures=True)
        self._alive.close()


def _exit_with_parent(alive: Connection) -> None:
    """Make this worker end as soon as the other end of a pipe is closed, or its owner has died.

    What its agents have started ends with it: see `arena.sandbox.fork_server`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the owner sees to it
    threading.Thread(target=lambda: (alive.poll(None), os._exit(1)), daemon=True).start()


def check_picklable(thing: Agent | GameState, name: str) -> None:
    """Raise a TypeError if another process could not have an agent or a position.

    Such as a function of a notebook, a lambda, or a position of a game that is written there.
    """
    from multiprocessing.reduction import ForkingPickler

    with suppress(Exception):  # whatever a thing raises that cannot be sent
        if b"__main__" not in bytes(ForkingPickler.dumps(thing)):
            return
    raise TypeError(
        f"{name} cannot be sent to another process: it must be made of functions and classes of "
        "modules that can be imported.  Put them into a .py file of their own and import them from "
        "there, or play with workers=1"
    )
