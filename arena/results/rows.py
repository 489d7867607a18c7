"""Games as rows of a table: a row for each, with the names of the agents."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from arena.play.match import GameRecord


def game_rows(agents: Sequence[str], records: Sequence[GameRecord]) -> list[dict[str, Any]]:
    """Return a row for each game, with the names of the agents."""
    return [_game_row(agents, record) for record in records]


def _game_row(agents: Sequence[str], record: GameRecord) -> dict[str, Any]:
    row: dict[str, Any] = {"game": record.game, "seed": record.seed}
    for player, index in enumerate(record.seats):
        row[f"agent_{player}"] = agents[index]
        row[f"utility_{player}"] = record.utilities[player]
        row |= {f"{count}_{player}": number for count, number in record.counts[player].items()}
        row[f"seconds_{player}"] = record.seconds[player]
    forfeit = record.forfeit
    row["plies"] = len(record.actions)
    row["actions"] = " ".join(str(action).replace(" ", "") for action in record.actions)
    row["forfeit"] = agents[record.seats[forfeit.player]] if forfeit else ""
    row["reason"] = forfeit.reason if forfeit else ""
    return row


def write_csv(path: str | os.PathLike[str], rows: Sequence[dict[str, Any]]) -> None:
    """Write rows to a CSV file."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0] if rows else ["game"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def frame(rows: Sequence[dict[str, Any]]) -> Any:
    """Return rows as a DataFrame; ImportError that says what to do where pandas is missing."""
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        raise ImportError(
            "to_frame needs pandas: `pip install pandas`.  `rows()` and `to_csv` work without it"
        ) from error
    return pandas.DataFrame(rows)
