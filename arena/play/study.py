"""Studies: match-ups planned in one file, played in one go, and their results in one table."""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from arena.play.run import match_up
from arena.play.specs import parse_agent, parse_game
from arena.results.match_up import MatchUp
from arena.results.records import PathLike
from gamelib.search.limits import Progress

# What the table keeps of `MatchUp.summary`: nothing that differs from machine to machine.
COLUMNS = ("agent", "seat", "games", "wins", "draws", "losses", "share", "low", "high", "theory")
TEXTS = ("position", "match", "agent")
PLAN = """\
A study is a TOML file:

  games = 1000
  seed = 1
  positions = ["Nim(1, 2)", "Nim(3, 4, 5)"]
  agents = [
      ["mcts(simulations=500)", "mcts(simulations=100)"],
      ["mcts(simulations=500)", "random"],
  ]

Each line of agents plays a match-up from each position. A run that was stopped, or killed,
goes on when the same command is given again.
"""


@dataclass(frozen=True)
class Study:
    """A plan: these agents, from each of these positions, so many games of each match-up.

    positions  as `parse_game` reads them
    agents     for each match-up its agents, as `parse_agent` reads them
    """

    positions: tuple[str, ...]
    agents: tuple[tuple[str, ...], ...]
    games: int = 1000
    seed: int = 0

    @classmethod
    def read(cls, path: PathLike) -> Study:
        """Return the study that a TOML file describes; ValueError if it describes none."""
        try:
            plan = tomllib.loads(Path(path).read_text(encoding="utf-8"))
            plan["positions"] = tuple(plan["positions"])
            plan["agents"] = tuple(map(tuple, plan["agents"]))
            study = cls(**plan)
        except (TypeError, KeyError, ValueError) as error:
            raise ValueError(f"{Path(path).name} is not a study: {error}\n\n{PLAN}") from error
        for position, agents in study.match_ups():
            parse_game(position), [parse_agent(agent) for agent in agents]
        return study

    def match_ups(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Return the position and the agents of each match-up, those of one position together."""
        return product(self.positions, self.agents)

    @property
    def planned(self) -> int:
        """The number of games in all."""
        return len(self.positions) * len(self.agents) * self.games


def run_study(
    study: Study, folder: PathLike, *, workers: int = 1, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Return the table of a study, playing what is not yet stored in `folder`.

    Each match-up has a file there.  `progress` is called with the share of all games played.
    The rows are those of `study_rows`.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    match_ups = list(study.match_ups())
    rows: list[dict[str, Any]] = []
    for done, (position, agents) in enumerate(match_ups):

        def tell(share: float, newest: Any, done: int = done) -> None:
            if progress:
                progress((done + share) / len(match_ups), newest)

        results = match_up(
            *map(parse_agent, agents),
            state=parse_game(position),
            games=study.games,
            seed=study.seed,
            path=Path(folder, file_name(position, agents)),
            workers=workers,
            progress=tell,
        )
        rows += study_rows(position, results)
    return rows


def read_table(path: PathLike) -> list[dict[str, Any]]:
    """Return the rows of a table that `python -m arena study` has written.

    Numbers are numbers again; `seat` is None over all seats, as `theory` is where it is not known.
    """
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return [{name: _value_of(name, text) for name, text in row.items()} for row in rows]


def _value_of(column: str, text: str) -> Any:
    if column in TEXTS:
        return text
    number = float if "." in text else int
    return number(text) if text else None


def study_rows(position: str, results: MatchUp) -> list[dict[str, Any]]:
    """Return what a match-up adds to the table: a row for each agent in each seat, and over all.

    Shares and intervals are rounded to four digits; `seat` is None over all seats; `different` is
    the number of different games in the whole match-up.
    """
    match = {"match": " v ".join(results.agents), "different": results.different_games}
    return [
        {"position": position, **match, **{name: _rounded(row[name]) for name in COLUMNS}}
        for row in results.summary()
    ]


def file_name(position: str, agents: tuple[str, ...]) -> str:
    """Return the name of the file of a match-up."""
    words = [re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-") for text in (position, *agents)]
    return "_".join(words) + ".jsonl"


def _rounded(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value
