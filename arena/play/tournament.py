"""The class tournament: everyone plays everyone in every seat; a broken agent harms nobody."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.play.run import check_agents, configuration, play_all, unique_names
from arena.play.schedule import round_robin
from arena.results.records import PathLike, RecordsError, read_records
from arena.results.standings import Tournament
from arena.sandbox.guard import BUDGET, MEGABYTES, SECONDS, START_SECONDS, FileAgent, Limits
from arena.sandbox.processes import close_idle_nursery
from gamelib.agents import Agent
from gamelib.games import GAMES
from gamelib.state import GameState

Entrant = Agent | PathLike
_STARTING = 4  # files that are tried at the same time


def tournament(
    agents: PathLike | Iterable[Entrant],
    *,
    state: GameState,
    games: int = 20,
    seed: int = 0,
    budget: int | None = BUDGET,
    seconds: float = SECONDS,
    start_seconds: float = START_SECONDS,
    megabytes: int = MEGABYTES,
    logs: PathLike | None = None,
    **run: Any,
) -> Tournament:
    """Return the results of a tournament in which every agent plays every other, in every seat.

    An agent in a file plays each game in a child process of its own.  One that breaks a rule
    forfeits that game, and one whose file cannot be loaded plays none; the others play on.  This
    contains accidents.  It is not a sandbox: code that attacks on purpose can get out.

    agents     a folder, or a list of files, folders and agents such as SearchAgent(solve).  A file
               has a function agent(state) that returns an action; one named "_..." is left out
    games      for every two agents, or as many as the game has players; as in `match_up`
    budget     positions that an agent in a file may make for one move, by `successor`; beyond it
               the call raises BudgetExceededError, which the agent may catch.  None: any number
    seconds    of wall clock for one move; a safety net, so be generous
    start_seconds  of wall clock for loading a file, which every game does anew
    megabytes  of memory that an agent in a file may use
    logs       a folder for what agents in files print, and why they forfeit
    run        path, executor, workers, progress, stop, as in `match_up`
    """
    limits = Limits(budget, seconds, megabytes, start_seconds)
    playing = entrants(agents, limits, logs)
    _check(playing, state)
    try:
        absent = absentees(playing, run.get("path"))
        header = configuration("tournament", playing, state, games, seed)
        header |= {"limits": vars(limits), "absent": absent}
        jobs = round_robin(header["agents"], state.num_players, games, seed, absent)
        records = play_all(jobs, playing, state, header, **run)
    finally:
        close_idle_nursery()  # a notebook's kernel goes on, and needs none
    return Tournament(tuple(header["agents"]), state, games, seed, records, budget, absent)


def entrants(
    agents: PathLike | Iterable[Entrant], limits: Limits, logs: PathLike | None = None
) -> list[Agent]:
    """Return the agents, with those of files and folders in their places, under the same limits."""
    if isinstance(agents, str | os.PathLike):
        agents = [agents]
    found: list[Agent] = []
    for agent in agents:
        if isinstance(agent, str | os.PathLike):
            found += [FileAgent(file, limits=limits, logs=logs) for file in _files(Path(agent))]
        else:
            found.append(agent.under(limits, logs) if isinstance(agent, FileAgent) else agent)
    return found


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.glob("*.py") if not file.name.startswith("_"))
    if not files:
        raise ValueError(f"agents: the folder {path.name} has no agent, that is no file NAME.py")
    return files


def _check(agents: Sequence[Agent], state: GameState) -> None:
    players = state.num_players if isinstance(state, GameState) else 0
    for agent in agents:
        check_agents([agent] * players, state)
    if len(agents) < players:
        raise ValueError(f"agents must be {players} or more, for {players} players; got {agents!r}")
    if any(isinstance(agent, FileAgent) for agent in agents) and type(state) not in GAMES.values():
        raise ValueError(
            f"state must be a position of {', '.join(GAMES)}, since agents in files know no other "
            f"game; got {state!r}"
        )


def absentees(agents: Sequence[Agent], path: PathLike | None) -> dict[str, str]:
    """Return why agents cannot play, by name: as a stored run has found, or by trying."""
    if path is not None and Path(path).exists():
        with suppress(RecordsError):  # `play_all` says what is wrong with the file
            stored: dict[str, str] = read_records(path)[0].get("absent", {})
            return stored
    named = zip(unique_names(agents), agents, strict=True)
    files = {name: agent for name, agent in named if isinstance(agent, FileAgent)}
    with ThreadPoolExecutor(_STARTING) as pool:
        reasons = pool.map(lambda agent: agent.start_failure, files.values())
        return {name: why for name, why in zip(files, reasons, strict=True) if why is not None}
