"""Functions that the board games share, to read and write boards and to check sizes."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from gamelib.board_layout import MARKS, Grid
from gamelib.state import as_int


def rules_property(name: str, doc: str) -> Any:
    """Return a property of a position whose value is the attribute `name` of its shared rules."""
    return property(attrgetter(f"_rules.{name}"), doc=doc)


def text_rows(board: Grid) -> list[str]:
    """Return one string of marks for each row, top row first; "." is an empty cell."""
    marks: dict[int | None, str] = {None: ".", **dict(enumerate(MARKS))}
    return [
        "".join(marks[board.cell(row, col)] for col in range(board.cols))
        for row in range(board.rows)
    ]


def parse_rows(text: str, num_players: int) -> list[list[int]]:
    """Return the rows of a board like "XX. / .O. / ...", with a player, or -1, for each cell.

    Rows end with "/" or a line end.  ValueError for anything that is not such a board.
    """
    check_size("num_players", num_players, 2, len(MARKS))
    if not isinstance(text, str):
        raise TypeError(f'a board is text like "XX. / .O. / ..."; got {text!r}')
    rows = ["".join(row.split()) for row in board_lines(text)]
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"the rows of a board must have equal lengths; got {rows}")
    marks = MARKS[:num_players]
    if wrong := set("".join(rows)).difference(marks, "."):
        has = f"a board of {num_players} players has the marks {marks} and '.'"
        raise ValueError(f"{has}; got {sorted(wrong)}")
    owner = {mark: player for player, mark in enumerate(marks)} | {".": -1}
    return [[owner[mark] for mark in row] for row in rows]


def board_lines(text: str) -> list[str]:
    """Return the rows of a typed board, which end with "/" or with any line end.

    Text from a word processor has other line ends, such as U+2028 or a vertical tab.
    """
    return "/".join(text.strip().splitlines()).split("/")


def player_to_move(counts: list[int]) -> int:
    """Return whose turn it is, from the number of stones of each player, if player 0 began."""
    mover = sum(counts) % len(counts)
    expected = [sum(counts) // len(counts) + (player < mover) for player in range(len(counts))]
    if counts != expected:
        listed = ", ".join(f"{mark} {n}" for mark, n in zip(MARKS, counts, strict=False))
        why = f"the players have unequal numbers of stones ({listed}); give current_player"
        raise ValueError(f"cannot tell whose turn it is: {why}")
    return mover


def check_size(name: str, value: Any, low: int, high: int) -> int:
    """Return `value` as an int; ValueError unless it is an integer from `low` to `high`."""
    number = as_int(value)
    if number is None or not low <= number <= high:
        raise ValueError(f"{name} must be an int from {low} to {high}; got {value!r}")
    return number
