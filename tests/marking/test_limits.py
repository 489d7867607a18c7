"""What does not end costs its own exercise, a minute in all, and no more when it is run again."""

import time
from pathlib import Path

import pytest
from handins import SHORT, handed_in, only, rows, run, with_solution, written

from tools.marking import __main__ as command
from tools.marking import marker, marking_pool

pytestmark = pytest.mark.usefixtures("one_copy")

LOOP = "def {name}(*given):\n    while True: pass\n"


def test_loop_in_cell_leaves_other_exercises(mark_only, monkeypatch):
    monkeypatch.setattr(marker, "MAX_LOST_SECONDS", 1.2)
    monkeypatch.setattr(marker, "MIN_LEFT_SECONDS", 0.6)
    before = time.process_time()
    cells = dict.fromkeys(("e1", "e2", "e3"), "while True: pass")
    points, marks = mark_only(SHORT, {**cells, "e4": with_solution(SHORT, "e4")})
    assert points == {"e1": 0, "e2": 0, "e3": 0, "e4": 3}
    assert "No end after 0.6 seconds, so the cell was stopped" in marks.results[0].text
    assert time.process_time() - before < 30


def test_limits_of_endless_parts_have_a_sum():
    session = marker._MarkingSession([], None)
    lost = []
    for _ in range(9):
        lost.append(session._limit(marker.CELL_SECONDS))
        session.lost_seconds += lost[-1]
    assert lost == sorted(lost, reverse=True)
    assert sum(lost) <= marker.MAX_LOST_SECONDS + 9 * marker.MIN_LEFT_SECONDS / 2


def test_endless_agent_is_asked_by_one_exercise(mark_only, monkeypatch):
    monkeypatch.setattr(marker, "CALL_CPU_SECONDS", 0.6)
    cell = LOOP.format(name="my_agent") + "entry = my_agent\nexercises.check_agent(my_agent)"
    level = "exercises.check_capstone(entry, level={})"
    cells = {"e2": cell, "e3": level.format(1), "e4": level.format(2), "e5": level.format(3)}
    points, marks = mark_only("08_capstone", cells)
    assert set(points.values()) == {0}
    first, *others = [each.text for each in marks.results]
    assert "no end after 0.6 seconds" in first
    assert "in line 2 of `my_agent`" in first
    assert all("did not come to an end in exercise 08/e2" in text for text in others)


@pytest.mark.parametrize("text", ["chr(27) + '[2J'", "chr(0) + chr(155)"])
def test_control_characters_reach_no_file(tmp_path, monkeypatch, text):
    only(monkeypatch, "e4")
    cell = f"def rewards_along(*given):\n    raise ValueError({text})\n1 / 0"
    written(tmp_path / "in", {"ada": handed_in(SHORT, {"e4": cell}, before=[f"print({text})"])})
    assert run(tmp_path / "in", tmp_path / "out") == 0
    for path in filter(Path.is_file, (tmp_path / "out").rglob("*")):
        assert not set("\x1b\0\x9b") & set(path.read_text(encoding="utf-8")), path


def test_page_of_blank_exercise_gives_no_order(tmp_path, monkeypatch):
    only(monkeypatch, "e4")
    written(tmp_path / "in", {"ada": handed_in(SHORT)})
    assert run(tmp_path / "in", tmp_path / "out") == 0
    page = (tmp_path / "out" / "pages" / "ada.html").read_text(encoding="utf-8")
    assert "Replace" not in page
    assert "<code>rewards_along</code> was handed in as it is in the notebook" in page


def too_long(content, notebook, seed, packages, *, library, report):
    """Judge one exercise, and then never end."""
    report(marker.ExerciseResult("04/e2", "", 2, 2, True, "", "right"))
    time.sleep(1000)


@pytest.mark.skipif(marking_pool.sys.platform != "linux", reason="what is replaced is not so there")
def test_late_hand_in_keeps_what_was_judged(tmp_path, monkeypatch):
    monkeypatch.setattr(marking_pool, "MAX_SECONDS", 1.0)
    monkeypatch.setattr(marking_pool, "mark_submission", too_long)
    folder = written(tmp_path / "in", {"ada": handed_in(SHORT)})
    for attempt in range(2):
        started = time.monotonic()
        assert run(folder, tmp_path / "out") == 0
        row = rows(tmp_path / "out")["ada"]
        assert (row["points"], row["04/e2"]) == ("2", "2")
        assert "was ended before it was complete" in row["remarks"]
        assert attempt == 0 or time.monotonic() - started < 1.0


def test_full_disk_is_named_and_marks_are_kept(tmp_path, monkeypatch, capsys, limit_files):
    only(monkeypatch, "e4")
    folder = written(tmp_path / "in", {"ada": handed_in(SHORT), "bob": handed_in(SHORT)})
    write = command.write_reports

    def write_on_full_disk(*arguments):
        limit_files(1_000)  # less than a page
        write(*arguments)

    monkeypatch.setattr(command, "write_reports", write_on_full_disk)
    assert run(folder, tmp_path / "out") == 1
    message = capsys.readouterr().err
    assert "File too large" in message
    assert "ada.html" in message
    assert "same command again" in message
    limit_files(-1)
    monkeypatch.undo()
    only(monkeypatch, "e4")
    assert run(folder, tmp_path / "out") == 0
    assert "2 of them marked before" in capsys.readouterr().out
    assert set(rows(tmp_path / "out")) == {"ada", "bob"}


def test_full_folder_for_copies_is_named(tmp_path, monkeypatch, capsys, limit_files):
    monkeypatch.undo()  # here the packages are written
    folder = written(tmp_path / "in", {"ada": handed_in(SHORT)})
    limit_files(1_000)  # less than a file of the package
    assert run(folder, tmp_path / "out") == 1
    assert capsys.readouterr().err.startswith("[Errno 27] File too large: ")
