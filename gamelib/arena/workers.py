"""Playing many games: here, in worker processes, or on any `concurrent.futures.Executor`."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import Executor

from gamelib.agents import Agent
from gamelib.arena.match import GameRecord, play_job
from gamelib.arena.schedule import Job
from gamelib.search.limits import Stop
from gamelib.state import GameState


def play_here(
    jobs: Sequence[Job], agents: Sequence[Agent], state: GameState, stop: Stop | None
) -> Generator[GameRecord, None, None]:
    """Yield the record of each game, played one after the other in this process."""
    for job in jobs:
        yield play_job(job, agents, state, stop=stop)


def play_elsewhere(
    jobs: Sequence[Job],
    agents: Sequence[Agent],
    state: GameState,
    stop: Stop | None,
    *,
    executor: Executor | None,
    workers: int,
) -> Generator[GameRecord, None, None]:
    """Yield the record of each game as it ends, played by `executor`, or by worker processes."""
    raise NotImplementedError
    yield
