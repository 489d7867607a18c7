"""A run plays the games of a schedule and stores them, so that none is lost or played twice.

Match-ups and tournaments differ only in their schedule.

>>> from arena import match_up
>>> from gamelib import Nim, SearchAgent, random_agent, solve
>>> match = match_up(SearchAgent(solve), random_agent(), state=Nim((1, 2)), games=10)
>>> match.games
10
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from itertools import chain, count
from typing import Any

from arena.play.executors import COURSE_PACKAGES, choose_pool
from arena.play.match import GameStopped
from arena.play.worker_pool import Games, play_in_process, play_in_workers
from arena.results.game_records import GameRecord, Job
from arena.results.match_up import MatchUp
from arena.results.record_file import (
    DIGEST_PREFIX,
    FORMAT_HEADER,
    Header,
    PathLike,
    Records,
    open_records,
    start_json,
)
from arena.results.schedule import Schedule, validated_counts
from arena.sandbox.audit import AuditSampler
from gamefast.fast import CompiledSearch
from gamelib.agents import Agent, SearchAgent, agent_name
from gamelib.conformance import check_state
from gamelib.search import SEARCHES
from gamelib.search.callbacks import Progress, Stop
from gamelib.search.registry import parameters
from gamelib.state import CHANCE, GameState


def match_up(
    *agents: Agent,
    state: GameState,
    games: int = 1000,
    seed: int = 0,
    openings: bool | None = None,
    **run: Any,
) -> MatchUp:
    """Return the results of many games from `state`, in which the agents change seats.

    There is one agent per player.  Two agents swap seats after every game; more agents take all
    their seatings in turn.  Each game has its own seed, made from `seed` and its number, and all
    random numbers of the agents come from it.  So the same call plays the same games, on every
    machine and with any number of workers, unless a search is limited by seconds.  The dice of a
    game come from its seed as well, and do not depend on the agents.  An agent that raises an
    exception, or returns an illegal action, forfeits that game.  ValueError for wrong arguments, or
    for a file of another run.

    games     a multiple of the number of agents, so that each has each seat equally often
    openings  whether games begin with a few plies that are drawn by `seed` (see
              `arena.results.openings`), the same ones with each agent in each seat; with None, only
              if two of the agents may be deterministic, and would repeat their games
    run       the options of any run:
    path      a file in which each game is stored when it ends; an existing file is continued
    workers   the number of processes; 1 plays in this process, as any number does in a browser
    executor  an executor of `concurrent.futures` whose workers play instead, perhaps on other
              machines, such as `arena.ClusterExecutor`; it is not shut down
    progress  called with the fraction of games played and the newest record, or None at first
    stop      called often; if it returns true, the run ends with the games played so far
    """
    check_agents(agents, state)
    games, seed = validated_counts(games, seed, len(agents))
    header = configuration("match-up", agents, state, games, seed, openings)
    records = play_schedule(agents, state, header, **run)
    return MatchUp(tuple(unique_names(agents)), state, games, seed, records)


def check_agents(agents: Sequence[Agent], state: GameState) -> None:
    """Raise an error unless there is one agent that can play for each player of the game."""
    check_state(state)
    if state.is_terminal():
        raise ValueError(f"state must be a position before the end of a game; got {state!r}")
    if len(agents) != state.num_players:
        raise ValueError(
            f"agents must be one per player: {state.num_players} players, {len(agents)} agents"
        )
    for agent in agents:
        if not callable(agent) and not hasattr(agent, "for_game"):
            raise TypeError(f"an agent must be a function of a state; got {agent!r}")
        if isinstance(agent, CompiledSearch) or agent in SEARCHES.values():
            name = agent_name(agent)
            raise TypeError(f"{name} is a search, not an agent; use SearchAgent({name})")


def configuration(
    kind: str,
    agents: Sequence[Agent],
    state: GameState,
    games: int,
    seed: int,
    openings: bool | None = None,
) -> Header:
    """Return the first line of a file of results, which determines the games of the run.

    It has a digest of each function, so that a run cannot be continued after a change.
    """
    names = unique_names(agents)
    if openings is None:
        # A function or a file may be deterministic, because we cannot tell.
        random = [isinstance(a, SearchAgent) and "rng" in parameters(a.search) for a in agents]
        openings = random.count(False) > 1
    return {
        **FORMAT_HEADER,
        "kind": kind,
        "agents": names,
        "start": start_json(state),
        "games": games,
        "seed": seed,
        "openings": bool(openings),
        **{
            f"{DIGEST_PREFIX}{name}": digest
            for name, agent in zip(names, agents, strict=True)
            if (digest := program_digest(agent))
        },
    }


def program_digest(agent: Agent) -> str | None:
    """Return the beginning of the SHA-256 of an agent's program; None if all of it is gamelib's."""
    if hasattr(agent, "digest"):
        return str(agent.digest)
    parts = [agent.search, *agent.options.values()] if isinstance(agent, SearchAgent) else [agent]
    texts = "".join(text for part in parts if (text := _source_of_function(part)))
    return sha256(texts.encode()).hexdigest()[:16] if texts else None


def _source_of_function(part: object) -> str | None:
    """Return the source code of a function outside these packages; None for anything else.

    A lambda has no source code of its own, only that of its whole line.
    """
    if not inspect.isfunction(part) or part.__name__ == "<lambda>":
        return None
    with suppress(OSError, TypeError):  # a function that was typed in may have no source code
        # The source code of the course is part of its version, so it has no digest of its own.
        return None if part.__module__.split(".")[0] in COURSE_PACKAGES else inspect.getsource(part)
    return None


def unique_names(agents: Sequence[Agent]) -> list[str]:
    """Return the names of agents; a second one of the same name is called "name #2"."""
    names: list[str] = []
    for agent in agents:
        name = agent_name(agent)
        candidates = chain([name], (f"{name} #{number}" for number in count(2)))
        names.append(next(candidate for candidate in candidates if candidate not in names))
    return names


def check_searches(agents: Sequence[Agent], state: GameState) -> None:
    """Raise the error of a search that cannot play from `state` with its options.

    Every search is started and stopped immediately, so that a wrong option is reported here and
    does not cause a forfeit in every game.
    """
    while state.current_player == CHANCE:  # every agent begins at a position with a choice
        state = state.successor(state.legal_actions()[0])
    for agent in agents:
        if not isinstance(agent, SearchAgent):
            continue
        if type(agent.options.get("rng")) is int:
            raise ValueError(
                f"leave out rng in {agent.name}, because the seed of each game replaces it"
            )
        if "stop" in parameters(agent.search):
            agent.seeded(0).search_result(state, stop=lambda: True)


def play_schedule(
    agents: Sequence[Agent],
    state: GameState,
    header: Header,
    *,
    path: PathLike | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
    audits: bool = False,
) -> tuple[GameRecord, ...]:
    """Return the records of the scheduled games by number; not all of them if it is stopped.

    `header` is the configuration.  A file at `path` is continued, so it must have the same one.
    `audits` says whether some games of each agent are played again.  For the others, see
    `match_up`.
    """
    check_searches(agents, state)
    pool = choose_pool(executor, workers, agents)
    schedule = Schedule(header, state)
    total = schedule.num_games
    draw = AuditSampler(total * state.num_players // len(agents)) if audits else None
    with open_records(path, header, state) as records:

        def next_jobs() -> list[tuple[Job, tuple[int, ...]]]:
            jobs = [job for job in schedule.jobs(records.games) if job.game not in records.games]
            return [(job, draw(job.seats) if draw else ()) for job in jobs]

        games = play_in_process(next_jobs, agents, state, stop)
        if pool:
            games = play_in_workers(next_jobs, agents, state, stop, pool)
        with _note_on_stored_games(path, records, total):
            _store_games(games, records, total, progress)
    return records.sorted_games()


def _store_games(games: Games, records: Records, total: int, progress: Progress | None) -> None:
    """Store each game when it ends, and report it to `progress`, which first gets None."""
    with closing(games), suppress(GameStopped):
        for record in chain([None], games):
            if record:
                records.add(record)
            if progress:
                progress(len(records.games) / total if total else 1, record)


@contextmanager
def _note_on_stored_games(path: PathLike | None, records: Records, total: int) -> Iterator[None]:
    """Add to an error how many games are in the file, so that nobody takes them for lost."""
    try:
        yield
    except BaseException as error:
        if path is not None:
            stored = f"{len(records.games)} of {total} games are stored"
            error.add_note(f"{stored}; make the same call again to play the rest.")
        raise
