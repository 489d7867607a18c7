"""A run: planned games are played, on one machine or many, and kept; none is lost or played twice.

Match-ups and tournaments differ in their plan only.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from contextlib import closing, suppress
from hashlib import sha256
from itertools import chain, count
from typing import Any

from arena import capabilities
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
from gamelib.state import CHANCE, GameState, as_int

# Their text goes with the version of the programs.
COURSE_PACKAGES = {"gamelib", "gamefast", "arena", "course"}


def match_up(
    *agents: Agent,
    state: GameState,
    games: int = 1000,
    seed: int = 0,
    openings: bool | None = None,
    **run: Any,
) -> MatchUp:
    """Return the results of many games from `state`, in which the agents change seats.

    There is one agent per player.  Two swap seats after every game; more take all their seatings
    in turn.  Each game has a seed of its own, made from `seed` and its number, and every agent's
    chance in it comes from there: the same call plays the same games, on every machine and with
    any number of workers, unless a search is limited by seconds.  The dice of a game come from its
    seed as well, whoever sits where.  An agent that raises, or answers an illegal action, forfeits
    that game.  ValueError for wrong arguments, or a file of others.

    games     a multiple of the number of agents, so that each sits in each seat equally often
    openings  whether games begin with a few plies that `seed` has drawn (see
              `arena.results.openings`), the same ones with each agent in each seat; None: where two
              of the agents draw no chance, as far as one can tell, and would repeat their games
    run       the options of any run:
    path      a file to keep the games in as they end; if it is there, the run goes on with it
    workers   processes to play in; 1 plays in this one, as any number does in a browser
    progress  called with the share of games played and the newest record, or None at first
    stop      asked often; true ends the run, and the games played so far are the result
    """
    check_agents(agents, state)
    games, seed = validated_counts(games, seed, len(agents))
    header = configuration("match-up", agents, state, games, seed, openings)
    records = play_schedule(agents, state, header, **run)
    return MatchUp(tuple(unique_names(agents)), state, games, seed, records)


def check_agents(agents: Sequence[Agent], state: GameState) -> None:
    """Raise an error unless there is one agent for each player of the game, and it can play."""
    check_state(state)
    if state.is_terminal():
        raise ValueError(f"state must not be the end of a game; got {state!r}")
    if len(agents) != state.num_players:
        raise ValueError(
            f"agents must be one per player: {state.num_players} players, {len(agents)} agents"
        )
    for agent in agents:
        if not callable(agent) and not hasattr(agent, "for_game"):
            raise TypeError(f"an agent must be a function of a state; got {agent!r}")
        if isinstance(agent, CompiledSearch) or agent in SEARCHES.values():
            name = agent_name(agent)
            raise TypeError(f"{name} is a search; the agent that plays it is SearchAgent({name})")


def configuration(
    kind: str,
    agents: Sequence[Agent],
    state: GameState,
    games: int,
    seed: int,
    openings: bool | None = None,
) -> Header:
    """Return the first line of a file of results: all that decides which games are played.

    A function is known by its text, so that a run is not gone on with after it was changed.
    """
    names = unique_names(agents)
    if openings is None:
        # Of a function or a file nobody knows whether it draws chance.
        known = [isinstance(a, SearchAgent) and "rng" in parameters(a.search) for a in agents]
        openings = known.count(False) > 1
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
    """Return the beginning of the SHA-256 of an agent's program; None if it is all of gamelib's."""
    if hasattr(agent, "digest"):
        return str(agent.digest)
    parts = [agent.search, *agent.options.values()] if isinstance(agent, SearchAgent) else [agent]
    texts = "".join(text for part in parts if (text := _source_of_function(part)))
    return sha256(texts.encode()).hexdigest()[:16] if texts else None


def _source_of_function(part: object) -> str | None:
    """Return the text of a function outside these packages; None for anything else.

    The text of a lambda is that of its whole line, which says nothing.
    """
    if not inspect.isfunction(part) or part.__name__ == "<lambda>":
        return None
    with suppress(OSError, TypeError):  # of a function typed in where no text is kept
        return None if part.__module__.split(".")[0] in COURSE_PACKAGES else inspect.getsource(part)
    return None


def unique_names(agents: Sequence[Agent]) -> list[str]:
    """Return the names of agents; the second of the same name is called "name #2"."""
    names: list[str] = []
    for agent in agents:
        name = agent_name(agent)
        same = (f"{name} #{number}" for number in count(2))
        names.append(next(each for each in chain([name], same) if each not in names))
    return names


def check_searches(agents: Sequence[Agent], state: GameState) -> None:
    """Raise the error of a search that cannot play from `state` with its options.

    Every search is started and stopped at once, so that a wrong option is no forfeit in every game.
    """
    while state.current_player == CHANCE:  # every agent begins at a position with a choice
        state = state.successor(state.legal_actions()[0])
    for agent in agents:
        if not isinstance(agent, SearchAgent):
            continue
        if type(agent.options.get("rng")) is int:
            raise ValueError(
                f"an agent's chance comes from the seed of each game; leave out rng: {agent.name}"
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
    progress: Progress | None = None,
    stop: Stop | None = None,
    audits: bool = False,
) -> tuple[GameRecord, ...]:
    """Return the records of the planned games by their numbers: all of them, unless stopped.

    `header` is the configuration: a file at `path` must have the same one, and is then gone on
    with.  `audits` says whether some games of each are played again.  The rest as in `match_up`.
    """
    if (as_int(workers) or 0) < 1:
        raise ValueError(f"workers must be an int, 1 or more; got {workers!r}")
    check_searches(agents, state)
    plan = Schedule(header, state)
    draw = AuditSampler(plan.num_games * state.num_players // len(agents)) if audits else None
    with open_records(path, header, state) as records:

        def more() -> list[tuple[Job, tuple[int, ...]]]:
            left = [job for job in plan.jobs(records.games) if job.game not in records.games]
            return [(job, draw(job.seats) if draw else ()) for job in left]

        games = play_in_process(more, agents, state, stop)
        if workers > 1 and capabilities.can_start_processes():
            games = play_in_workers(more, agents, state, stop, workers=workers)
        try:
            _store_games(games, records, plan.num_games, progress)
        except BaseException as error:
            if path is not None:
                stored = f"{len(records.games)} of {plan.num_games} games are stored"
                error.add_note(f"{stored}; the same call again goes on from there.")
            raise
    return records.sorted_games()


def _store_games(games: Games, records: Records, planned: int, progress: Progress | None) -> None:
    """Keep each game as it ends, and tell `progress` of it; first it is told of none."""
    with closing(games), suppress(GameStopped):
        for record in chain([None], games):
            if record:
                records.add(record)
            if progress:
                progress(len(records.games) / planned if planned else 1, record)
