"""Tables of results, as text, as HTML, and as CSV with a row for each game."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

from arena.results.game_records import GameRecord
from arena.results.record_file import FORMAT_PREFIX, PathLike

Row = Sequence[str]
FORMULAS = tuple("=+-@\t\r")  # the first characters of a cell that a spreadsheet computes
PLAIN = re.compile(r"[-\d.,() ]*")  # numbers, such as actions


def text_table(columns: Row, rows: Sequence[Row]) -> str:
    """Return an aligned table, with the first column on the left and the others on the right."""
    lines = [columns, *rows]
    widths = [max(len(line[index]) for line in lines) for index in range(len(columns))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def html_table(caption: str, columns: Row, rows: Sequence[Row]) -> str:
    """Return a table as HTML; every text is escaped.

    A column without a name, such as that of the names in a cross table, has no header, because a
    screen reader would read an empty one.
    """
    head = "".join(
        f'<th scope="col">{escape(column)}</th>' if column else "<td></td>" for column in columns
    )
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return (
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def game_rows(agents: Sequence[str], records: Sequence[GameRecord]) -> list[dict[str, Any]]:
    """Return a row for each game, with the names of the agents."""
    rows = []
    for record in records:
        row: dict[str, Any] = {"game": record.game, "seed": record.seed}
        for player, index in enumerate(record.seats):
            row[f"agent_{player}"] = agents[index]
            row[f"utility_{player}"] = record.utilities[player]
            row |= {f"{count}_{player}": number for count, number in record.counts[player].items()}
            row[f"seconds_{player}"] = record.seconds[player]
            row[f"cpu_{player}"] = record.cpu[player] if record.cpu else 0
        forfeit = record.forfeit
        row["plies"] = len(record.actions)
        row["actions"] = " ".join(str(action).replace(" ", "") for action in record.actions)
        row["forfeit"] = agents[record.seats[forfeit.player]] if forfeit else ""
        rows.append(row | {"reason": forfeit.reason if forfeit else ""})
    return rows


def write_csv(path: PathLike, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows to a CSV file; ValueError if it would replace stored games."""
    if Path(path).is_file():  # reading from a pipe would wait for its writer
        with suppress(OSError), open(path, "rb") as existing:
            if existing.read(len(FORMAT_PREFIX)) == FORMAT_PREFIX:
                name = Path(path).name
                raise ValueError(f"{name} has stored games; name another file for the table")
    # Names of agents may have invalid characters, as in files from a Windows zip.
    with open(path, "w", newline="", encoding="utf-8", errors="backslashreplace") as file:
        writer = csv.DictWriter(file, rows[0] if rows else ["game"], lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)


def _cell(value: Any) -> Any:
    """Return a cell that a spreadsheet does not compute, unlike a text such as "=1+1"."""
    is_risky = isinstance(value, str) and value.startswith(FORMULAS) and not PLAIN.fullmatch(value)
    return f"'{value}" if is_risky else value
