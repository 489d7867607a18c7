"""Studies: match-ups planned in one file, played in one run, with their results in one table.

python -m course.lessons.experiments.study FILE --out FOLDER --csv TABLE
"""

import argparse
import csv
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Self

from arena.cli import add_cluster_option, open_executor, show_progress
from arena.play.parsing import parse_agent, parse_game
from arena.play.run import match_up
from arena.results.record_file import PathLike
from arena.results.table_format import write_csv
from gamelib.search.callbacks import Progress

# The columns of `MatchUp.summary` in the table, which are the same on every machine.
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

Each line of agents plays a match-up from each position. A run that was stopped or killed
resumes when you repeat the command.
"""


@dataclass(frozen=True)
class Study:
    """A plan of match-ups between these agents, from each of these positions.

    positions  as `parse_game` reads them
    agents     for each match-up its agents, as `parse_agent` reads them
    """

    positions: list[str]
    agents: list[list[str]]
    games: int = 1000
    seed: int = 0

    @classmethod
    def read(cls, path: PathLike) -> Self:
        """Return the study in a TOML file; ValueError if the file does not contain one."""
        try:
            study = cls(**tomllib.loads(Path(path).read_text(encoding="utf-8")))
            for position, agents in study.match_ups:
                parse_game(position), [parse_agent(agent) for agent in agents]
        except (TypeError, ValueError) as error:
            raise ValueError(f"{Path(path).name} is not a study: {error}\n\n{PLAN}") from error
        return study

    @property
    def match_ups(self) -> list[tuple[str, list[str]]]:
        """The position and the agents of each match-up, ordered by position."""
        return list(product(self.positions, self.agents))


def run_study(
    study: Study, folder: PathLike, *, progress: Progress | None = None, **run: Any
) -> list[dict[str, Any]]:
    """Return the table of a study, after playing the games that are not yet stored in `folder`.

    It has a row for each agent of each match-up in each seat, and one over all seats, where `seat`
    is None.  Shares and intervals are rounded to four digits; `different` is the number of
    different games in the whole match-up, which has a file in the folder.  `progress` is called
    with the fraction of all games that have been played.  `run` are the options `workers` and
    `executor` of `match_up`.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for done, (position, agents) in enumerate(study.match_ups):

        def tell(share: float, newest: Any, done: int = done) -> None:
            if progress:
                progress((done + share) / len(study.match_ups), newest)

        results = match_up(
            *map(parse_agent, agents),
            state=parse_game(position),
            games=study.games,
            seed=study.seed,
            path=Path(folder, file_name(position, *agents)),
            progress=tell,
            **run,
        )
        match = {"match": " v ".join(results.agents), "different": results.different_games}
        for row in results.summary():
            kept = {name: row[name] for name in COLUMNS}
            shares = {name: round(v, 4) for name, v in kept.items() if isinstance(v, float)}
            rows.append({"position": position, **match, **kept, **shares})
    return rows


def read_table(path: PathLike) -> list[dict[str, Any]]:
    """Return the rows of a table that the command has written.

    Numbers are converted back; `seat` is None over all seats, and `theory` is None if it is
    unknown.
    """
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return [{name: _value_of(name, text) for name, text in row.items()} for row in rows]


def _value_of(column: str, text: str) -> Any:
    if column in TEXTS:
        return text
    number = float if "." in text else int
    return number(text) if text else None


def file_name(*words: str) -> str:
    """Return the name of the file of a match-up, from its position and its agents."""
    return "_".join(re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-") for text in words) + ".jsonl"


def main(arguments: Sequence[str] | None = None) -> int:
    """Play a study and write its table; return 0, 1 after an error, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python -m course.lessons.experiments.study",
        description="Play many match-ups that a file describes, and write one table of results.",
        epilog=PLAN,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="the study")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="where to keep the games")
    parser.add_argument("--csv", metavar="FILE", help="where to write the table of results")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    add_cluster_option(parser)
    chosen = parser.parse_args(arguments)
    try:
        study = Study.read(chosen.file)
        games = len(study.match_ups) * study.games
        with open_executor(chosen.cluster) as executor, show_progress(games) as progress:
            run = {"workers": chosen.workers, "executor": executor}
            rows = run_study(study, chosen.out, progress=progress, **run)
        if chosen.csv:
            write_csv(chosen.csv, rows)
    except (ValueError, TypeError, OSError, RuntimeError, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; repeat the command to resume the study", file=sys.stderr)
        return 130
    played = f"{games:,} games of {len(study.match_ups)} match-ups"
    print(f"{played} are in {chosen.out}" + (f", the table in {chosen.csv}" if chosen.csv else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
