"""The way back: marks and pages in the formats that learning platforms import.

The list of the class is an export of the platform, so its columns show which platform it is:

Canvas      Student, ID, SIS User ID, SIS Login ID, Section    canvas.csv, to be imported
Moodle      Identifier, Full name, ..., Grade, ...             moodle.csv, the grading worksheet
any         a cell with an address                             mail.csv, for a mail merge

Pages go back by the name that the platform gave to a hand-in: moodle_feedback.zip, and for
Gradescope an autograder that hands out the results that are stored in it.

Sources: Canvas Instructor Guide, "How do I import grades in the Gradebook?"; Moodle,
mod/assign/feedback/offline (worksheet) and mod/assign/feedback/file/importziplib.php (names of
folders: fullname_number_assignsubmission_file_); Gradescope, "Autograder specifications".
"""

import csv
import json
import re
import zipfile
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from tools.marking.mark_reports import Row, page_names, write_atomically
from tools.marking.roster import Roster

CANVAS_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
CANVAS_REQUIRED = {"Student", "ID", "Section"}
POINTS_POSSIBLE = "    Points Possible"  # begins the row of maxima; Canvas knows it by its spaces
MOODLE_REQUIRED = {"Identifier", "Grade"}
PARTICIPANT = re.compile(r"\D*(\d+)")  # "Participant 4711", in the language of the site
MOODLE_FOLDER = re.compile(r"[^_]+_\d+_assignsubmission_[a-z]+_")
GRADESCOPE_FOLDER = re.compile(r"submission_(\d+)")
RUN_AUTOGRADER = """#!/bin/sh
# Hand out the result that the course's marker has stored for this submission.
number=$(grep -o '"id": *[0-9]*' /autograder/submission_metadata.json | head -n 1 | tr -dc 0-9)
cp "/autograder/source/results/$number.json" /autograder/results/results.json
"""

Table = list[list[str]]


def write_platform_files(rows: Sequence[Row], roster: Roster, notebook: str, out: Path) -> None:
    """Write the files that the platform of a class imports, if the platform is recognised."""
    tables = {
        "canvas.csv": canvas_table(rows, roster, notebook),
        "moodle.csv": moodle_table(rows, roster),
        "mail.csv": mail_table(rows, roster),
    }
    for name, table in tables.items():
        if table:
            text = StringIO()
            csv.writer(text, lineterminator="\n").writerows(table)
            write_atomically(out / name, text.getvalue())
    pages = page_names([row.student for row in rows])
    feedback = {
        f"{folder}/{notebook}.html": (out / "pages" / pages[row.student]).read_bytes()
        for row in rows
        if (folder := moodle_folder(row, roster))
    }
    _write_archive(out / "moodle_feedback.zip", feedback)
    results = {
        f"results/{number[1]}.json": json.dumps(gradescope_result(row)).encode()
        for row in rows
        if (number := GRADESCOPE_FOLDER.fullmatch(row.hand_in))
    }
    if results:
        scripts = {"setup.sh": b"#!/bin/sh\n", "run_autograder": RUN_AUTOGRADER.encode()}
        _write_archive(out / "gradescope_autograder.zip", results | scripts)


def canvas_table(rows: Sequence[Row], roster: Roster, notebook: str) -> Table:
    """Return the table for Canvas; [] if the list of the class is not an export of Canvas.

    If the export has a column of the assignment, as in "02_minimax (1234)", the points go there.
    """
    if not {*roster.columns} >= CANVAS_REQUIRED:
        return []
    columns = [name for name in CANVAS_COLUMNS if name in roster.columns]
    assignment = next((name for name in roster.columns if name.startswith(notebook)), notebook)
    most = str(max((row.max_points for row in rows), default=0))
    table = [[*columns, assignment]]
    table.append([POINTS_POSSIBLE, *[""] * (len(columns) - 1), most])
    for row, known in _listed(rows, roster):
        table.append([*(known.get(name, "") for name in columns), str(row.marks.points)])
    return table


def moodle_table(rows: Sequence[Row], roster: Roster) -> Table:
    """Return Moodle's grading worksheet with the grades; [] if the list of the class is not one."""
    if not {*roster.columns} >= MOODLE_REQUIRED:
        return []
    table = [list(roster.columns)]
    for row, known in _listed(rows, roster):
        filled = known | {"Grade": str(row.marks.points)}
        table.append([filled.get(name, "") for name in roster.columns])
    return table


def mail_table(rows: Sequence[Row], roster: Roster) -> Table:
    """Return a row for each student with an address: for a mail merge; [] if there is none."""
    pages = page_names([row.student for row in rows])
    table = []
    for row, known in _listed(rows, roster):
        if address := next((cell.strip() for cell in known.values() if "@" in cell), ""):
            points = [str(row.marks.points), str(row.max_points)]
            table.append([address, row.student, *points, f"pages/{pages[row.student]}"])
    return [["address", "student", "points", "of", "page"], *table] if table else []


def moodle_folder(row: Row, roster: Roster) -> str:
    """Return the folder by which Moodle knows whose feedback a file is; "" if there is none.

    It is the one that Moodle has named, or made of the worksheet for a student without a hand-in.
    """
    if MOODLE_FOLDER.fullmatch(row.hand_in):
        return row.hand_in
    known = roster.rows.get(row.student, {})
    number = PARTICIPANT.fullmatch(known.get("Identifier", ""))
    name = known.get("Full name", "").replace("_", " ").replace("/", " ")
    return f"{name}_{number[1]}_assignsubmission_file_" if number and name else ""


def gradescope_result(row: Row) -> dict[str, Any]:
    """Return the result of a submission as an autograder of Gradescope gives it."""
    tests = [
        {
            "name": f"{result.key} {result.title}",
            "score": result.points,
            "max_score": result.max_points,
            "output": result.text,
        }
        for result in row.marks.results
    ]
    return {"score": row.marks.points, "output": "\n".join(row.marks.remarks), "tests": tests}


def _listed(rows: Sequence[Row], roster: Roster) -> Iterable[tuple[Row, dict[str, str]]]:
    """Yield the rows of students who are on the list, and what it says of them."""
    return ((row, roster.rows[row.student]) for row in rows if row.student in roster.rows)


def _write_archive(path: Path, files: dict[str, bytes]) -> None:
    """Write an archive if there is something to put into it."""
    if files:
        part = path.with_name(path.name + ".part")
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        part.replace(path)
