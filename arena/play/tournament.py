"""The class tournament, in which everyone plays everyone, and a broken agent harms nobody."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

from arena import capabilities
from arena.play.run import check_agents, configuration, play_schedule, unique_names
from arena.play.worker_pool import Pool, play_in_workers
from arena.results.record_file import PathLike, stored_header
from arena.results.schedule import Schedule, validated_counts
from arena.results.standings import Tournament
from arena.sandbox.file_agent import BUDGET, SECONDS, FileAgent, Limits
from arena.sandbox.spawn import close_idle_fork_server
from gamelib.agents import Agent
from gamelib.conformance import check_state
from gamelib.games import GAMES
from gamelib.state import GameState, as_int

Entrant = Agent | PathLike
_PARALLEL_STARTS = 4  # files that are loaded at the same time
# The number of games that are played to estimate the time of all, and the time limit for them.
TRIAL_GAMES, TRIAL_SECONDS = 24, 60.0


def tournament(
    agents: PathLike | Iterable[Entrant],
    *,
    state: GameState,
    games: int = 20,
    rounds: int | None = None,
    seed: int = 0,
    openings: bool | None = None,
    budget: int | None = BUDGET,
    seconds: float = SECONDS,
    **run: Any,
) -> Tournament:
    """Return the results of a tournament in which every agent plays every other, in every seat.

    An agent in a file plays each game in a separate process.  An agent that breaks a rule loses
    that game, and an agent that cannot be loaded plays none.  `contained()` describes the sandbox.

    agents     a folder, or a list of files, folders and agents such as SearchAgent(solve).  A file
               has a function agent(state) that returns an action; one named "_..." is left out
    games      for every two agents, or for as many as the game has players; see `match_up`
    rounds     for many agents, the number of Swiss rounds instead, with `games` games per meeting
    openings   see `match_up`; all agents play the same ones
    budget     positions that an agent in a file may generate for one move, by `successor`; more
               raise BudgetExceededError, which the agent may catch; None for any number
    seconds    of wall clock for one move, as a safety net
    run        `logs`, a folder for the output of files and their reasons to forfeit; and the
               options of `match_up`
    """
    limits = Limits(budget, seconds)
    playing = load_entrants(agents, limits, run.pop("logs", None))
    games, seed = _validated_setup(playing, state, games, seed, rounds)
    try:
        absent = find_absent(playing, run.get("path"))
        header = configuration("tournament", playing, state, games, seed, openings)
        header |= {"limits": vars(limits), "absent": absent, "rounds": as_int(rounds)}
        records = play_schedule(playing, state, header, audits=True, **run)
    finally:
        close_idle_fork_server()  # the kernel of a notebook keeps running without it
    names = tuple(header["agents"])
    return Tournament(names, state, games, seed, records, budget, absent, rounds)


def load_entrants(
    agents: PathLike | Iterable[Entrant], limits: Limits, logs: PathLike | None = None
) -> list[Agent]:
    """Return all agents, with those of files and folders loaded under the same limits."""
    if isinstance(agents, str | os.PathLike):
        agents = [agents]
    entrants: list[Any] = []
    for agent in agents:
        entrants += _files(Path(agent)) if isinstance(agent, str | os.PathLike) else [agent]
    names = _names([entrant for entrant in entrants if isinstance(entrant, Path)])
    for index, entrant in enumerate(entrants):
        if isinstance(entrant, Path):
            entrants[index] = FileAgent(entrant, limits=limits, logs=logs, name=names[entrant])
        elif isinstance(entrant, FileAgent):
            entrants[index] = entrant.with_limits(limits, logs)
    return entrants


def _names(files: Collection[Path]) -> dict[Path, str]:
    """Return the names of agents in files: alice/agent and bob/agent if both are agent.py."""
    names = {file: file.stem for file in files}
    for depth in range(2, 10):
        counts = Counter(names.values())
        for file, name in names.items():
            if counts[name] > 1:
                names[file] = "/".join(file.resolve().with_suffix("").parts[-depth:])
    # A name must not contain line ends or control characters, because tables print it.
    return {file: re.sub(r"[\x00-\x1f\x7f-\x9f]", "?", name) for file, name in names.items()}


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise FileNotFoundError(f"agents: there is no file or folder {path.name}")
    if path.is_file():
        return [path]
    if not path.is_dir():  # a device or a pipe may have no end
        raise ValueError(f"agents: {path.name} must be a file or a folder")
    files = sorted(f for f in path.glob("*.py") if f.is_file() and not f.name.startswith("_"))
    if not files:
        raise ValueError(f"agents: the folder {path.name} has no agents, which are files NAME.py")
    return files


def _validated_setup(
    agents: Sequence[Agent], state: GameState, games: int, seed: int, rounds: int | None
) -> tuple[int, int]:
    """Return `games` and `seed` as ints; an error unless these agents can play this tournament."""
    check_state(state)
    players = state.num_players
    for agent in agents:
        check_agents([agent] * players, state)
    if len(agents) < players:
        raise ValueError(f"agents must be {players} or more, for {players} players; got {agents!r}")
    if any(isinstance(agent, FileAgent) for agent in agents) and type(state) not in GAMES.values():
        raise ValueError(
            f"state must be a position of {', '.join(GAMES)}, because agents in files cannot load "
            f"other games; got {state!r}"
        )
    if rounds is not None and (as_int(rounds) or 0) < 1:
        raise ValueError(f"rounds must be an int, 1 or more, or None; got {rounds!r}")
    return validated_counts(games, seed, players)


def estimate_hours(
    agents: Sequence[Agent], state: GameState, games: int, absent: Collection[str], pool: Pool
) -> float:
    """Return an estimate of the hours for everyone against everyone, from some games of it."""
    header = configuration("tournament", agents, state, games, 0) | {"absent": absent}
    jobs = Schedule(header, state).jobs({})
    sample = iter([[(job, ()) for job in Random(0).sample(jobs, min(TRIAL_GAMES, len(jobs)))]])
    end = monotonic() + TRIAL_SECONDS
    run = play_in_workers(lambda: next(sample, []), agents, state, lambda: monotonic() > end, pool)
    ends = [monotonic() for _ in run]
    seconds_per_game = TRIAL_SECONDS
    if len(ends) > 1:  # measured from the first end, because the workers start before it
        seconds_per_game = (ends[-1] - ends[0]) / (len(ends) - 1)
    return len(jobs) * seconds_per_game / 3600


def find_absent(agents: Sequence[Agent], path: PathLike | None) -> dict[str, str]:
    """Return the agents that cannot be loaded, with the reasons, from a stored run or by trying."""
    stored: dict[str, str] | None = stored_header(path).get("absent")
    if stored is not None:
        return stored
    by_name = zip(unique_names(agents), agents, strict=True)
    files = {name: agent for name, agent in by_name if isinstance(agent, FileAgent)}
    if capabilities.can_start_threads():
        with ThreadPoolExecutor(_PARALLEL_STARTS) as pool:
            list(pool.map(lambda agent: agent.load_error, files.values()))
    errors = {name: agent.load_error for name, agent in files.items()}
    return {name: error for name, error in errors.items() if error is not None}
