"""Read the list of the class, and the columns that the instructor added to a table of marks."""

import csv
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from io import StringIO
from math import ceil
from pathlib import Path

from tools.submissions import printable

# The columns of a table of marks that this package writes.
OUR_COLUMNS = re.compile(
    r"student|points|of|late days|file|remarks|\d\d/\w+( microseconds a position)?"
)
MOODLE_NAME_COLUMN = "Full name"
FIRST_NAME_COLUMN, LAST_NAME_COLUMN = "First Name", "Last Name"  # of Gradescope
GRADESCOPE_LATENESS_COLUMN = "Lateness (H:M:S)"
GRADESCOPE_LATENESS = re.compile(r"(\d+):(\d\d):(\d\d)")
MOODLE_TIME_COLUMN = "Last modified (submission)"  # as in "Friday, 20 November 2026, 11:59 PM"
MOODLE_TIME = re.compile(
    r"(?P<day>\d+) (?P<month>\w+) (?P<year>\d{4}), "
    r"(?P<hour>\d+):(?P<minute>\d\d)\s*(?P<half>[AP]M)?"
)
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
NO_STUDENTS = ("Points Possible", "Student, Test")  # rows of a table of Canvas
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
        rows = [row for row in rows if next(iter(row.values())).strip() not in NO_STUDENTS]
        self.columns = [*rows[0]] if rows else []
        self.students = _student_names(rows)
        self.rows = dict(zip(self.students, rows, strict=True))
        self._students_by_key: dict[str, set[str]] = {}
        for student, row in zip(self.students, rows, strict=True):
            for cell in (*row.values(), _name_in(row)):
                for key in _lookup_keys(cell):
                    self._students_by_key.setdefault(key, set()).add(student)

    def find_student(self, name: str) -> str:
        """Return the student with this name on a learning platform; the name itself if unknown."""
        # The number that Moodle gives to a participant is safer than a name, which two may have.
        number = re.search(r"_(\d+)$", name)
        participant = f"Participant {number[1]}" if number else name
        own = re.sub(r"_\d+$", "", name)
        for each in (participant, name, own, name.removeprefix("submission_")):
            found = self._students_by_key.get(_normalized(each), set())
            if len(found) == 1:
                return next(iter(found))
        return name

    def late_days(self, student: str, due: datetime | None) -> int | None:
        """Return how many days late a student has handed in, begun ones counted.

        Gradescope's table says how late it was.  Moodle's worksheet says when it was, which is
        compared with `due`.  None if the list says neither, as Canvas's does.
        """
        row = self.rows.get(student, {})
        if given := GRADESCOPE_LATENESS.fullmatch(row.get(GRADESCOPE_LATENESS_COLUMN, "").strip()):
            hours, minutes, seconds = map(int, given.groups())
            late = timedelta(hours=hours, minutes=minutes, seconds=seconds)
        elif due and (written := _moodle_time(row.get(MOODLE_TIME_COLUMN, ""))):
            late = written - due
        else:
            return None
        return max(0, ceil(late / timedelta(days=1)))


def _moodle_time(cell: str) -> datetime | None:
    """Return the time in a cell of Moodle's worksheet; None if it has none."""
    written = MOODLE_TIME.search(cell)
    if not written or written["month"] not in MONTHS:
        return None
    hour = int(written["hour"]) % 12 if written["half"] else int(written["hour"])
    hour += 12 * (written["half"] == "PM")
    month, numbers = MONTHS.index(written["month"]) + 1, ("year", "day", "minute")
    year, day, minute = (int(written[name]) for name in numbers)
    return datetime(year, month, day, hour, minute)


def _student_names(rows: Sequence[dict[str, str]]) -> list[str]:
    """Return what each student is called; two of the same name by another cell of the row, too."""
    names = [_name_in(row) for row in rows]
    for number, row in enumerate(rows):
        others = [cell.strip() for cell in row.values() if cell.strip() != _name_in(row)]
        if [_name_in(each) for each in rows].count(_name_in(row)) > 1 and any(others):
            names[number] += f" ({next(filter(None, others))})"
    return [printable(name) for name in names]


def _name_in(row: dict[str, str]) -> str:
    """Return what a student is called: in the first column, if the platform has no other place."""
    words = [row.get(name, "").strip() for name in (FIRST_NAME_COLUMN, LAST_NAME_COLUMN)]
    if all(words):
        return " ".join(words)
    return (row.get(MOODLE_NAME_COLUMN) or next(iter(row.values()))).strip()


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
