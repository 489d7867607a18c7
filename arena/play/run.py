"""A run: planned games are played, on one machine or many, and kept; none is lost or played twice.

Match-ups and tournaments differ in their plan only.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import closing
from hashlib import sha256
from itertools import chain, count
from typing import Any

from arena.play.match import GameRecord, GameStopped
from arena.play.schedule import Job
from arena.play.workers import play_elsewhere, play_here
from arena.results.records import FORMAT, VERSION, Header, open_records
from gamelib.agents import Agent, SearchAgent, agent_name
from gamelib.search import parameters
from gamelib.search.limits import Progress, Stop
from gamelib.state import GameState

OURS = {"gamelib", "arena", "course"}  # their text goes with the version of the programs


def header(kind: str, agents: Sequence[Agent], state: GameState, games: int, seed: int) -> Header:
    """Return the first line of a file of results: all that decides which games are played.

    A function is known by its text, so that a run is not gone on with after it was changed.
    """
    names = unique_names(agents)
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "agents": names,
        "start": start_json(state),
        "games": games,
        "seed": seed,
        **{
            f"the text of {name}": digest
            for name, agent in zip(names, agents, strict=True)
            if (digest := program_digest(agent))
        },
    }


def program_digest(agent: Agent) -> str | None:
    """Return the beginning of the SHA-256 of an agent's program; None if it is all of gamelib's."""
    if hasattr(agent, "digest"):
        return str(agent.digest)
    parts = [agent.search, *agent.options.values()] if isinstance(agent, SearchAgent) else [agent]
    texts = "".join(text for part in parts if (text := _own_text(part)))
    return sha256(texts.encode()).hexdigest()[:16] if texts else None


def _own_text(part: object) -> str | None:
    """Return the text of a function outside these packages; None for anything else.

    The text of a lambda is that of its whole line, which says nothing.
    """
    if not inspect.isfunction(part) or part.__name__ == "<lambda>":
        return None
    if part.__module__.partition(".")[0] in OURS:
        return None
    try:
        return inspect.getsource(part)
    except (OSError, TypeError):  # typed in where no text is kept
        return None


def start_json(state: GameState) -> dict[str, Any]:
    """Return a position as plain data; its text, where the game has no `to_json`."""
    to_json = getattr(state, "to_json", None)
    if to_json is None:
        return {"game": type(state).__name__, "text": str(state)}
    data: dict[str, Any] = to_json()
    return data


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
    for agent in agents:
        if not isinstance(agent, SearchAgent):
            continue
        if type(agent.options.get("rng")) is int:
            raise ValueError(
                f"an agent's chance comes from the seed of each game; leave out rng: {agent.name}"
            )
        if "stop" in parameters(agent.search):
            agent.seeded(0).search_result(state, stop=lambda: True)


def play_all(
    jobs: Sequence[Job],
    agents: Sequence[Agent],
    state: GameState,
    *,
    header: Header,
    path: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> tuple[GameRecord, ...]:
    """Return the records of the planned games by their numbers: all of them, unless stopped.

    header    the configuration; a file at `path` must have the same one, and is then gone on with
    workers   processes to play in; 1 plays here.  `executor` takes their place
    progress  called with the share of games played and the newest record, or None at first
    """
    if type(workers) is not int or workers < 1:
        raise ValueError(f"workers must be an int, 1 or more; got {workers!r}")
    check_searches(agents, state)
    with open_records(path, header, jobs) as records:
        todo = [job for job in jobs if job.game not in records.games]

        def report(record: GameRecord | None) -> None:
            if progress:
                progress(len(records.games) / len(jobs), record)

        report(None)
        if executor is None and workers == 1:
            games = play_here(todo, agents, state, stop)
        else:
            games = play_elsewhere(todo, agents, state, stop, executor=executor, workers=workers)
        try:
            with closing(games):
                for record in games:
                    records.add(record)
                    report(record)
        except GameStopped:
            pass
        except BaseException as error:
            if path is not None:
                error.add_note(
                    f"{len(records.games)} of {len(jobs)} games are stored; "
                    "the same call again goes on from there."
                )
            raise
    return records.in_order()
