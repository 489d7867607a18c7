"""The class tournament: everyone plays everyone in every seat; a broken agent harms nobody."""

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
from arena.play.worker_pool import play_in_workers
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
_PARALLEL_STARTS = 4  # files that are tried at the same time
# Of games that are played to see how long all of them take: how many, and for how long at most.
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

    An agent in a file plays each game in a child process of its own.  One that breaks a rule loses
    that game, one that cannot be loaded plays none.  `contained()` says what else is contained.

    agents     a folder, or a list of files, folders and agents such as SearchAgent(solve).  A file
               has a function agent(state) that returns an action; one named "_..." is left out
    games      for every two agents, or as many as the game has players; as in `match_up`
    rounds     for many agents: so many Swiss rounds instead, each meeting of `games` games
    openings   as in `match_up`: the same ones for all
    budget     positions that an agent in a file may make for one move, by `successor`; beyond it
               the call raises BudgetExceededError, which the agent may catch.  None: any number
    seconds    of wall clock for one move: a safety net
    run        `logs`, a folder for what files print and why they forfeit; the rest of `match_up`
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
        close_idle_fork_server()  # a notebook's kernel goes on, and needs none
    names = tuple(header["agents"])
    return Tournament(names, state, games, seed, records, budget, absent, rounds)


def load_entrants(
    agents: PathLike | Iterable[Entrant], limits: Limits, logs: PathLike | None = None
) -> list[Agent]:
    """Return the agents, with those of files and folders in their places, under the same limits."""
    if isinstance(agents, str | os.PathLike):
        agents = [agents]
    found: list[Any] = []
    for agent in agents:
        found += _files(Path(agent)) if isinstance(agent, str | os.PathLike) else [agent]
    names = _names([agent for agent in found if isinstance(agent, Path)])
    for number, agent in enumerate(found):
        if isinstance(agent, Path):
            found[number] = FileAgent(agent, limits=limits, logs=logs, name=names[agent])
        elif isinstance(agent, FileAgent):
            found[number] = agent.with_limits(limits, logs)
    return found


def _names(files: Collection[Path]) -> dict[Path, str]:
    """Return what to call the agents in files: alice/agent and bob/agent if both are agent.py."""
    names = {file: file.stem for file in files}
    for depth in range(2, 10):
        often = Counter(names.values())
        for file, name in names.items():
            if often[name] > 1:
                names[file] = "/".join(file.resolve().with_suffix("").parts[-depth:])
    # a name must not end a line of a table, or steer a terminal
    return {file: re.sub(r"[\x00-\x1f\x7f-\x9f]", "?", name) for file, name in names.items()}


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise FileNotFoundError(f"agents: there is no file or folder {path.name}")
    if path.is_file():
        return [path]
    if not path.is_dir():  # a device or a pipe may never come to an end
        raise ValueError(f"agents: {path.name} is no file and no folder")
    files = sorted(f for f in path.glob("*.py") if f.is_file() and not f.name.startswith("_"))
    if not files:
        raise ValueError(f"agents: the folder {path.name} has no agent, that is no file NAME.py")
    return files


def _validated_setup(
    agents: Sequence[Agent], state: GameState, games: int, seed: int, rounds: int | None
) -> tuple[int, int]:
    """Return `games` and `seed` as ints; an error unless these agents can play that."""
    check_state(state)
    players = state.num_players
    for agent in agents:
        check_agents([agent] * players, state)
    if len(agents) < players:
        raise ValueError(f"agents must be {players} or more, for {players} players; got {agents!r}")
    if any(isinstance(agent, FileAgent) for agent in agents) and type(state) not in GAMES.values():
        raise ValueError(
            f"state must be a position of {', '.join(GAMES)}, since agents in files know no other "
            f"game; got {state!r}"
        )
    if rounds is not None and (as_int(rounds) or 0) < 1:
        raise ValueError(f"rounds must be an int, 1 or more, or None; got {rounds!r}")
    return validated_counts(games, seed, players)


def estimate_hours(
    agents: Sequence[Agent], state: GameState, games: int, absent: Collection[str], workers: int
) -> float:
    """Return about how many hours everyone against everyone takes: some games of it are played."""
    header = configuration("tournament", agents, state, games, 0) | {"absent": absent}
    jobs = Schedule(header, state).jobs({})
    sample = iter([[(job, ()) for job in Random(0).sample(jobs, min(TRIAL_GAMES, len(jobs)))]])
    end = monotonic() + TRIAL_SECONDS
    run = play_in_workers(
        lambda: next(sample, []), agents, state, lambda: monotonic() > end, workers=workers
    )
    arrived = [monotonic() for _ in run]
    each = TRIAL_SECONDS
    if len(arrived) > 1:  # from the first on: until then the workers have started
        each = (arrived[-1] - arrived[0]) / (len(arrived) - 1)
    return len(jobs) * each / 3600


def find_absent(agents: Sequence[Agent], path: PathLike | None) -> dict[str, str]:
    """Return why agents cannot play, by name: as a stored run has found, or by trying."""
    stored: dict[str, str] | None = stored_header(path).get("absent")
    if stored is not None:
        return stored
    named = zip(unique_names(agents), agents, strict=True)
    files = {name: agent for name, agent in named if isinstance(agent, FileAgent)}
    if capabilities.can_start_threads():
        with ThreadPoolExecutor(_PARALLEL_STARTS) as pool:
            list(pool.map(lambda agent: agent.load_error, files.values()))
    tried = {name: agent.load_error for name, agent in files.items()}
    return {name: why for name, why in tried.items() if why is not None}
