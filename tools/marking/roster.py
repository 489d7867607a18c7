"""Read the list of the class, and the columns that the instructor added to a table of marks."""

import csv
import re
from collections.abc import Iterable
from io import StringIO
from pathlib import Path

from tools.submissions import printable

# The columns of a table of marks that this package writes.
OUR_COLUMNS = re.compile(r"student|points|of|file|remarks|\d\d/\w+( microseconds a position)?")
SEPARATORS = ",;\t"  # of the columns in files from spreadsheets


def read_table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file from any spreadsheet; ValueError if it cannot be read."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    first = text.partition("\n")[0]
    separator = max(SEPARATORS, key=first.count)
    try:
        lines = StringIO(text.replace("\0", ""), newline="")
        rows = list(csv.reader(lines, delimiter=separator)) if first.strip() else [[]]
    except csv.Error as error:
        raise ValueError(f"{path} cannot be read as a table: {error}") from None
    head = [name.strip() for name in rows[0]]
    return [dict(zip(head, row, strict=False)) for row in rows[1:] if any(map(str.strip, row))]


class Roster:
    """The students of a class, found by any cell of their row: a name, an address or a number.

    The first column has the student's name.  A learning platform may leave out spaces or put the
    last name first, so `turingalan` finds Alan Turing.  A student who is not on the list keeps the
    name of the submission.
    """

    def __init__(self, path: Path | None = None) -> None:
        rows = read_table(path) if path else []
        if path and not rows:
            raise ValueError(f"{path} names no student: a first line of headings, then a row each")
        self.students = [printable(next(iter(row.values())).strip()) for row in rows]
        self._students_by_key: dict[str, set[str]] = {}
        for student, row in zip(self.students, rows, strict=True):
            for cell in row.values():
                for key in _lookup_keys(cell):
                    self._students_by_key.setdefault(key, set()).add(student)

    def find_student(self, name: str) -> str:
        """Return the student with this name on a learning platform; the name itself if unknown."""
        for each in (name, re.sub(r"_\d+$", "", name), name.removeprefix("submission_")):
            found = self._students_by_key.get(_normalized(each), set())
            if len(found) == 1:
                return next(iter(found))
        return name


def _lookup_keys(cell: str) -> Iterable[str]:
    """Yield the names that a platform may make of a cell: also with the last word first.

    For an address, the part before the @ is one of them.
    """
    words = cell.split()
    for text in (cell, *(" ".join(words[n:] + words[:n]) for n in (1, -1)), cell.partition("@")[0]):
        if plain := _normalized(text):
            yield plain


def _normalized(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def extra_columns(marks: Path) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Return the columns that the instructor added to a table of marks, and their cells by student.

    Students without such cells are left out.
    """
    rows = read_table(marks) if marks.exists() else []
    names = [name for name in (rows[0] if rows else ()) if name and not OUR_COLUMNS.fullmatch(name)]
    cells = {row.get("student", ""): {name: row.get(name, "") for name in names} for row in rows}
    return names, {student: own for student, own in cells.items() if any(own.values())}
