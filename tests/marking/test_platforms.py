"""What learning platforms import, beside the examples that they publish."""

import csv
import json
import shutil
import subprocess
import zipfile
from datetime import datetime

import pytest
from handins import SHORT, handed_in, only, rows, run, with_solution, written

from tools.marking.mark_reports import Row
from tools.marking.marker import ExerciseResult, Marks
from tools.marking.platforms import canvas_table, gradescope_result, moodle_folder, moodle_table
from tools.marking.roster import Roster

pytestmark = pytest.mark.usefixtures("one_copy")

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,04_mcts (811),Final Score
    Points Possible,,,,,10.00,(read only)
"Lovelace, Ada",11,S11,ada,XC 101,,
"Turing, Alan",12,S12,alan,XC 101,,
"Student, Test",13,,x,XC 101,,
"""
MOODLE = (
    'Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed",'
    '"Last modified (submission)","Last modified (grade)","Feedback comments"\n'
    'Participant 4711,"Ada Lovelace",ada@x.org,"Submitted for grading",,10.00,Yes,'
    '"Friday, 20 November 2026, 11:59 PM",-,\n'
    'Participant 4712,"Alan Turing",alan@x.org,"Submitted for grading",,10.00,Yes,'
    '"Sunday, 22 November 2026, 12:05 AM",-,\n'
    'Participant 4713,"Alan Turing",other@x.org,"No submission",,10.00,Yes,-,-,\n'
)
# The columns of grades of an assignment in Gradescope, as tools that read them show.
GRADESCOPE = """First Name,Last Name,SID,Email,Sections,Total Score,Max Points,Status,\
Submission ID,Submission Time,Lateness (H:M:S),View Count,Submission Count
Ada,Lovelace,S11,ada@x.org,,,10.0,Ungraded,7,2026-11-20 23:12:01 -0800,00:00:00,,1
Alan,Turing,S12,alan@x.org,,,10.0,Ungraded,99,2026-11-22 00:05:11 -0800,24:06:11,,2
Grace,Hopper,S13,grace@x.org,,,10.0,Missing,,,,,
"""


def roster(tmp_path, text):
    (tmp_path / "class.csv").write_text(text, encoding="utf-8")
    return Roster(tmp_path / "class.csv")


def row(student, points=3, hand_in=""):
    result = ExerciseResult("04/e4", "Rewards", points, 10, True, "", "right")
    return Row(student, "", Marks([result]), hand_in)


def test_canvas_gets_its_own_columns_and_the_maxima(tmp_path):
    known = roster(tmp_path, CANVAS)
    table = canvas_table(
        [row("Lovelace, Ada"), row("Turing, Alan", 0), row("nobody")], known, SHORT
    )
    assert table == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "04_mcts (811)"],
        ["    Points Possible", "", "", "", "", "10"],
        ["Lovelace, Ada", "11", "S11", "ada", "XC 101", "3"],
        ["Turing, Alan", "12", "S12", "alan", "XC 101", "0"],
    ]


def test_worksheet_of_moodle_differs_in_the_grades_only(tmp_path):
    known = roster(tmp_path, MOODLE)
    given = list(csv.reader(MOODLE.splitlines()))
    marked = [row(student, points) for points, student in enumerate(known.students)]
    table = moodle_table(marked, known)
    grade = given[0].index("Grade")
    assert [line[grade] for line in table] == ["Grade", "0", "1", "2"]
    for line in table:
        line[grade] = next(each for each in given if each[0] == line[0])[grade]
    assert all(line in given for line in table)


@pytest.mark.parametrize(
    ("hand_in", "folder"),
    [
        ("Ada Lovelace_4711_assignsubmission_file_", "Ada Lovelace_4711_assignsubmission_file_"),
        ("", "Ada Lovelace_4711_assignsubmission_file_"),
        ("ada.zip", "Ada Lovelace_4711_assignsubmission_file_"),
    ],
)
def test_feedback_lies_in_a_folder_that_moodle_knows(tmp_path, hand_in, folder):
    found = moodle_folder(row("Ada Lovelace", hand_in=hand_in), roster(tmp_path, MOODLE))
    assert found == folder
    # As Moodle reads it: the full name, the number, and the plugin, then the rest.
    assert found.split("_", 4)[1:4] == ["4711", "assignsubmission", "file"]


@pytest.mark.parametrize(
    ("student", "days"), [("Ada Lovelace", 0), ("Alan Turing", 2), ("nobody", None)]
)
def test_begun_days_after_the_due_date_are_counted(tmp_path, student, days):
    text = MOODLE.rpartition("Participant 4713")[0]
    due = datetime.fromisoformat("2026-11-20T23:59")
    assert roster(tmp_path, text).late_days(student, due) == days


@pytest.mark.parametrize(
    ("student", "days"), [("Ada Lovelace", 0), ("Alan Turing", 2), ("Grace Hopper", None)]
)
def test_gradescope_says_how_late_it_was(tmp_path, student, days):
    assert roster(tmp_path, GRADESCOPE).late_days(student, None) == days


def test_gradescope_number_of_a_submission_names_student(tmp_path):
    known = roster(tmp_path, GRADESCOPE)
    found = [known.find_student(f"submission_{number}") for number in (7, 99)]
    assert found == ["Ada Lovelace", "Alan Turing"]


def test_canvas_says_only_that_it_was_late(tmp_path, monkeypatch):
    only(monkeypatch, "e4")
    folder, right = tmp_path / "in", handed_in(SHORT)
    folder.mkdir()
    names = ("lovelaceada_LATE_11_346", "turingalan_12_347", "hopper_13_348_LATE_1_2")
    for name in names:
        (folder / f"{name}_{SHORT}.ipynb").write_bytes(right)
    assert run(folder, tmp_path / "out") == 0
    late = {name: row["late days"] for name, row in rows(tmp_path / "out").items()}
    assert late == {"lovelaceada": "1 or more", "turingalan": "", "hopper": ""}


def test_gradescope_result_is_as_documented():
    result = gradescope_result(row("ada", hand_in="submission_7"))
    assert result["score"] == 3
    assert set(result["tests"][0]) <= {"name", "score", "max_score", "output", "status"}
    json.dumps(result)


def test_class_gets_its_pages_back_by_folder(tmp_path, monkeypatch):
    only(monkeypatch, "e4")
    right = handed_in(SHORT, {"e4": with_solution(SHORT, "e4")})
    folder = "{}_{}_assignsubmission_file_".format
    hand_ins = {folder("Ada Lovelace", 4711): right, folder("Alan Turing", 4712): right}
    roster(tmp_path, MOODLE)
    words = ("--class", str(tmp_path / "class.csv"), "--due", "2026-11-20T23:59")
    out = tmp_path / "out"
    assert run(written(tmp_path / "in", hand_ins), out, *words) == 0
    late = {name: row["late days"] for name, row in rows(out).items()}
    assert late == {
        "Ada Lovelace": "0",
        "Alan Turing (Participant 4712)": "2",
        "Alan Turing (Participant 4713)": "",
    }
    with zipfile.ZipFile(out / "moodle_feedback.zip") as archive:
        names = archive.namelist()
        page = archive.read(f"{folder('Ada Lovelace', 4711)}/{SHORT}.html").decode()
    assert {name.split("/")[0] for name in names} >= {*hand_ins}
    assert "Ada Lovelace" in page
    with (out / "mail.csv").open(encoding="utf-8") as file:
        mail = list(csv.DictReader(file))
    assert mail[0]["address"] == "ada@x.org"
    assert (out / mail[0]["page"]).read_text(encoding="utf-8") == page


@pytest.mark.skipif(not shutil.which("sh"), reason="the script is for Gradescope's Linux")
def test_autograder_hands_out_the_result_of_its_submission(tmp_path, monkeypatch):
    only(monkeypatch, "e4")
    hand_ins = {"submission_99": handed_in(SHORT), "submission_7": handed_in(SHORT)}
    out = tmp_path / "out"
    assert run(written(tmp_path / "in", hand_ins), out) == 0
    place = tmp_path / "autograder"
    with zipfile.ZipFile(out / "gradescope_autograder.zip") as archive:
        archive.extractall(place / "source")
    (place / "results").mkdir()
    text = '{"id": 99, "created_at": "2026-11-20", "assignment": {"id": 25828}}'
    (place / "submission_metadata.json").write_text(text)
    script = (place / "source" / "run_autograder").read_text().replace("/autograder", str(place))
    subprocess.run(["sh", "-c", script], check=True)
    assert json.loads((place / "results" / "results.json").read_text())["score"] == 0
