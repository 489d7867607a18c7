"""A hand-in changes no mark of another, and none of them ends the run."""

import ast
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from handins import SHORT, handed_in, only, rows, run, with_solution, written

from tools.marking import marking_pool, submission_code

pytestmark = pytest.mark.usefixtures("one_copy")

VISITED = """
import sys
from course.lessons.mcts.check import PathNode
def my_order(state, actions):
    frame = sys._getframe()
    while frame:
        if "restore" in frame.f_globals:
            node = PathNode()
            vars(node).update(add=lambda path: None, made=0, nodes=1, paths=[])
            frame.f_globals["restore"] = lambda a, b: {"_visits": node}
        frame = frame.f_back
    return sorted(actions, key=(4, 0, 2, 6, 8, 1, 3, 5, 7).index)
"""


def test_forged_visit_count_gets_zero(mark_only):
    assert mark_only("03_alpha_beta", {"e3": VISITED})[0] == {"e3": 0}


def test_undecodable_characters_do_not_stop_marking(tmp_path, monkeypatch, capfd):
    only(monkeypatch, "e4")
    odd = json.loads(handed_in(SHORT, before=["raise ValueError('\\ud83d')", "1 / 0"]))
    odd["cells"][2]["id"] = "\ud800"
    right = handed_in(SHORT, {"e4": with_solution(SHORT, "e4")})
    folder = written(tmp_path / "in", {b"J\xf6rg": json.dumps(odd).encode(), b"\x1b[2J\n": right})
    assert run(folder, tmp_path / "out") == 0
    found = rows(tmp_path / "out")
    assert {name: row["points"] for name, row in found.items()} == {"Jörg": "0", r"\x1b[2J\n": "3"}
    assert r"\ud83d" in found["Jörg"]["remarks"]
    assert "Traceback" not in capfd.readouterr().err


DEEP = "def far(n):\n    if n < 0:\n        return 0\n"
DEEP += "".join(f"    elif n == {n}:\n        return {n}\n" for n in range(400))


@pytest.mark.parametrize("cell", [DEEP, f"many = {' + '.join(['1'] * 2000)}"])
def test_long_code_gets_its_points(mark_only, cell):
    assert mark_only(SHORT, {"e4": cell + "\n" + with_solution(SHORT, "e4")})[0] == {"e4": 3}


def test_unparsable_cell_fails_only_itself(mark_only):
    cells = {"e1": f"x = {'-' * 200_000}1", "e4": with_solution(SHORT, "e4")}
    assert mark_only(SHORT, cells)[0] == {"e1": 0, "e4": 3}


def killed_up_to(times, folder, marked):
    def killed(*given, **options):
        number = len(list(folder.iterdir()))
        if number < times:
            (folder / str(number)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return marked(*given, **options)

    return killed


@pytest.mark.skipif(not hasattr(os, "fork"), reason="what is replaced is not so elsewhere")
@pytest.mark.parametrize(("times", "points"), [(1, ["3"]), (2, ["0", "3"])])
def test_killed_marker_is_retried(tmp_path, monkeypatch, times, points):
    only(monkeypatch, "e4")
    written(tmp_path / "in", {"ada": handed_in(SHORT, {"e4": with_solution(SHORT, "e4")})})
    (killed := tmp_path / "killed").mkdir()
    monkeypatch.setattr(
        marking_pool, "mark_submission", killed_up_to(times, killed, marking_pool.mark_submission)
    )
    found = []
    for _ in points:
        assert run(tmp_path / "in", tmp_path / "out") == 0
        found.append(rows(tmp_path / "out")["ada"]["points"])
    assert found == points


@pytest.mark.skipif(not hasattr(os, "fork"), reason="what is replaced is not so elsewhere")
def test_marker_exception_becomes_a_remark(tmp_path, monkeypatch, capfd):
    written(tmp_path / "in", {"ada": handed_in(SHORT)})
    monkeypatch.setattr(marking_pool, "mark_submission", lambda *given, **how: {}["nothing"])
    assert run(tmp_path / "in", tmp_path / "out") == 0
    assert "the marker has met a KeyError" in rows(tmp_path / "out")["ada"]["remarks"]
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("own", "later"),
    [("my_version_two", ""), ("rewards_along", "exercises.check_rewards_along(my_version_two)")],
)
def test_check_called_with_another_name_gets_points(mark_only, own, later):
    right = with_solution(SHORT, "e4").replace("rewards_along", "my_version_two")
    first = right.partition("exercises.")[0] + f"exercises.check_rewards_along({own})"
    blank = "def rewards_along(to_move, utilities):\n    return []\n"
    assert mark_only(SHORT, {"e4": blank + first + f"\n{later}"})[0] == {"e4": 3}


def test_keyboard_interrupt_in_a_cell_is_reported(mark_only):
    cell = (
        "my_scores, my_choice = {}, 0\n@property\ndef x(self):\n    pass\nraise KeyboardInterrupt"
    )
    points, marks = mark_only(SHORT, {"e2": cell})
    assert points == {"e2": 0}
    assert marks.results[0].text


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere they end when nobody asks")
def test_killed_command_leaves_no_process(tmp_path):
    loop = "def rewards_along(*given):\n    while True: pass\n"
    written(tmp_path / "in", {"ada": handed_in(SHORT, {"e4": loop})})
    order = [str(tmp_path / "in"), "--notebook", SHORT, "--seed", "x", "--out", str(tmp_path / "o")]
    run = subprocess.Popen([sys.executable, "-m", "tools.marking", *order, "--workers", "1"])
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
    deadline, markers = time.monotonic() + 60, []
    while not markers and time.monotonic() < deadline:
        time.sleep(0.001)  # as soon as there is one
        markers = [pid for pid in children.read_text().split() if is_running(pid, b"tools.marking")]
    run.kill()
    run.wait()
    deadline = time.monotonic() + 5
    while any(map(is_running, markers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert markers
    assert not any(map(is_running, markers))


def is_running(pid, called=b""):
    try:
        return called in Path(f"/proc/{pid}/cmdline").read_bytes() != b""  # of a zombie it is empty
    except OSError:
        return False


ODD = "".join(sign for sign in map(chr, range(0x3000)) if len(f"a{sign}b".splitlines()) > 1)
ODD = ODD.replace("\r", "").replace("\n", "")  # what Word pastes: line ends, but not for Python


@pytest.mark.parametrize("text", [f"# a{ODD}b\n", f"words = 'a{ODD}b'\n"])
def test_unusual_line_separators_keep_all_points(mark_only, text):
    right = with_solution(SHORT, "e4").replace("return", f"{text.strip()}\n    return", 1)
    points, marks = mark_only(
        SHORT, {"e4": text + right.replace("exercises.", text + "exercises.")}
    )
    assert (points, marks.remarks, marks.review_notes) == ({"e4": 3}, [], [])


@pytest.mark.parametrize("line", ["{}; x = 1", "x = 1; {}", "'ä'; {}  # ü", "{}"])
def test_statements_next_to_a_check_are_kept(line):
    call = "exercises.check_it(\n    answer\n)"
    source = f"{line.format(call)}\ny = 2"
    nodes = ast.parse(source).body
    left = ast.parse(submission_code._without_checks(source, nodes)).body
    kept = [(node.lineno, ast.unparse(node)) for node in nodes if "check_" not in ast.unparse(node)]
    assert [pair for n in left if (pair := (n.lineno, ast.unparse(n)))[1] != "..."] == kept


def test_huge_cell_ends_its_own_hand_in_only(tmp_path, monkeypatch):
    only(monkeypatch, "e4")
    # An eighth as usual, for an eighth of the largest file that is read.
    monkeypatch.setattr(marking_pool, "MARKER_MEGABYTES", 128)
    files = {
        "ada": handed_in(SHORT, {"e4": "x=1;" * 10**6}),
        "bob": handed_in(SHORT, {"e4": with_solution(SHORT, "e4")}),
        "eve": b'{"cells": [' + b"[]," * 1_000_000 + b"[]]}",
    }
    assert run(written(tmp_path / "in", files), tmp_path / "out") == 0
    found = rows(tmp_path / "out")
    points = {name: row["points"] for name, row in found.items()}
    assert points == {"ada": "0", "bob": "3", "eve": "0"}
    assert "characters of code" in found["ada"]["remarks"]
    assert found["eve"]["remarks"]


def test_long_cell_costs_itself_only(mark_only):
    cells = {"e1": "x=1;" * 30_000, "e4": with_solution(SHORT, "e4")}
    points, marks = mark_only(SHORT, cells)
    assert points == {"e1": 0, "e4": 3}
    assert "120,000 characters" in marks.results[0].text


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process has no such limit")
def test_memory_of_a_marker_is_limited(tmp_path, monkeypatch):
    written(tmp_path / "in", {"ada": handed_in(SHORT)})
    monkeypatch.setattr(marking_pool, "mark_submission", lambda *given, **how: bytes(2**31))
    assert run(tmp_path / "in", tmp_path / "out") == 0
    assert "MemoryError" in rows(tmp_path / "out")["ada"]["remarks"]


def test_copies_are_marked_up_to_a_number(tmp_path, monkeypatch):
    only(monkeypatch, "e4")
    folder = written(tmp_path / "in", {"ada": handed_in(SHORT)})
    for number in range(20):
        (folder / "ada" / f"{SHORT} ({number}).ipynb").write_bytes(b"%d" % number)
    assert run(folder, tmp_path / "out") == 0
    remarks = rows(tmp_path / "out")["ada"]["remarks"]
    assert "21 files were handed in, and 5 of them were marked" in remarks
